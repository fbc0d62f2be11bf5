"""Summarises a note: reads it, drafts by the profile's generator, checks every citation.

Nothing of a note is logged or written. What is asked for decides whether there is a plan and a
check against the guidelines.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.notes.citations import (
    NOT_A_UNIT,
    NOT_CITED,
    OUT_OF_BOUNDS,
    SECTION_MISMATCH,
    CitationChecker,
)
from clinrag_core.notes.extractive import EXTRACTIVE, extractive_summary
from clinrag_core.notes.generated import NoteGenerator, plan_problem
from clinrag_core.notes.guideline import check_guidelines
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import (
    SUMMARY_SECTIONS,
    CitationFigures,
    DroppedItem,
    NotePlan,
    NoteResult,
    NoteSummary,
    PlanRecommendation,
    SummaryItem,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.settings import Settings


class _Drafted(NamedTuple):
    """What a generator made of a note, after the checks."""

    summary: NoteSummary
    plan: NotePlan | None
    dropped: tuple[DroppedItem, ...]
    left_out: tuple[SummaryItem, ...] = ()


class NoteSummariser:
    """Summarises notes with the generator of a profile; one object serves all threads.

    Raises:
        ConfigurationError: the generator cannot be used.
        NoteError: its server is off this machine and `notes.allow_external` is not set.
    """

    def __init__(self, settings: Settings, transport: httpx.BaseTransport | None = None) -> None:
        self._most = settings.notes.max_characters
        self._generator = (
            None
            if settings.notes.generator.kind == EXTRACTIVE
            else NoteGenerator(settings.notes, build_gates(settings.answer), transport)
        )

        infers = self._generator is not None and settings.notes.infer_sections
        self._finder = self._generator.section_starts if infers and self._generator else None

    @property
    def name(self) -> str:
        """The generator, with its model and prompts."""
        return EXTRACTIVE if self._generator is None else self._generator.name

    def summarise(
        self, text: str, *, with_plan: bool = False, engine: AnswerEngine | None = None
    ) -> NoteResult:
        """Return the summary of a note; with an engine its medicines and plan are checked.

        Raises:
            NoteError: the note is empty or too long.
            GenerationError: the generator gave nothing usable.
        """
        started = time.perf_counter()
        note = read_note(text, self._most, self._finder)
        summary, plan, dropped, left_out = self._drafted(note, with_plan=with_plan)
        checked = None
        if engine is not None:
            checked = check_guidelines(summary, plan, engine.unaudited())
        return NoteResult(
            sections=note.sections,
            chunks=note.chunks,
            summary=summary,
            plan=plan,
            guideline_check=checked,
            not_summarised=left_out,
            dropped=dropped,
            figures=citation_figures(summary, plan, dropped),
            generator=self.name,
            milliseconds=round((time.perf_counter() - started) * 1_000, 3),
        )

    def _drafted(self, note: ReadNote, *, with_plan: bool) -> _Drafted:
        """Return summary, plan, what the checks refused and what is not summarised."""
        if self._generator is None:
            summary, left_out = extractive_summary(note)
            plan = extractive_plan(note, summary) if with_plan else None
            return _Drafted(*_checked_quotes(note, summary, plan), left_out)
        made = self._generator.summary(note)
        if not with_plan:
            return _Drafted(made.summary, None, made.dropped)
        planned = self._generator.plan(note, made.summary)
        return _Drafted(made.summary, planned.plan, (*made.dropped, *planned.dropped))


def _checked_quotes(
    note: ReadNote, summary: NoteSummary, plan: NotePlan | None
) -> tuple[NoteSummary, NotePlan | None, tuple[DroppedItem, ...]]:
    """Return a summary and plan of quotes without what fails a check, and what failed."""
    checker = CitationChecker(note, quoting=True)
    dropped: list[DroppedItem] = []
    for name, item in summary.filed():
        code = checker.problem(item.text, item.source)
        if code is not None:
            dropped.append(DroppedItem(place=name, code=code, text=item.text, source=item.source))
    refused = {(d.text, d.source) for d in dropped}
    if refused:
        summary = NoteSummary(
            **{
                name: tuple(i for i in summary.section(name) if (i.text, i.source) not in refused)
                for name in SUMMARY_SECTIONS
            }
        )
    if plan is not None:
        plan, failed = _checked_plan(checker, summary, plan)
        dropped += failed
    return summary, plan, tuple(dropped)


def _checked_plan(
    checker: CitationChecker, summary: NoteSummary, plan: NotePlan
) -> tuple[NotePlan, list[DroppedItem]]:
    """Return a plan without the recommendations that fail a check, and what failed."""
    sources = frozenset(item.source for _, item in summary.filed())
    kept: list[PlanRecommendation] = []
    dropped: list[DroppedItem] = []
    for one in plan.recommendations:
        problems = [(t, s, plan_problem(checker, sources, t, s)) for t, s in one.cited()]
        dropped += [
            DroppedItem(place="plan", code=code, text=text, source=source)
            for text, source, code in problems
            if code is not None
        ]
        if not any(code for _, _, code in problems):
            kept.append(one.model_copy(update={"number": len(kept) + 1}))
    return NotePlan(recommendations=tuple(kept)), dropped


def citation_figures(
    summary: NoteSummary, plan: NotePlan | None, dropped: Sequence[DroppedItem]
) -> CitationFigures:
    """Return how the citations of all that was drafted fared."""
    valid = len(summary.filed()) + (len(plan.recommendations) if plan else 0)
    drafted = valid + len(dropped)
    codes = [one.code for one in dropped]
    return CitationFigures(
        items=drafted,
        valid=valid,
        coverage=round(valid / drafted, 4) if drafted else 1.0,
        section_mismatches=codes.count(SECTION_MISMATCH),
        out_of_bounds=codes.count(OUT_OF_BOUNDS) + codes.count(NOT_A_UNIT),
        orphan_claims=codes.count(NOT_CITED),
    )
