"""The plan without a model: what the note recommends, quoted, the most urgent first.

Each recommendation takes its source from the summary. Confidence is the seed's: 1.0 for what a plan
states, .9 for what is found by its words alone, .7 for what the note itself makes conditional or
doubtful; below .8 a note says why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.extractive import FOR_OTHER
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.plan_lines import PLAN, PROBLEM, REASONING
from clinrag_core.notes.records import NotePlan, PlanProblem, PlanRecommendation
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.notes.records import (
        NoteSummary,
        RecommendationKind,
        SummaryItem,
        Urgency,
    )

EXPLICIT, FOUND_BY_WORDS, DOUBTFUL = 1.0, 0.9, 0.7
GUARD_BELOW = 0.8
"""Confidence below which a recommendation says why it is weak (seed 003)."""
_CLAUSE_END = re.compile(r"[;.](?:\s|$)")
_OWN_PROBLEM = re.compile(r"#\d{1,2}\b")
"""How a line begins that names its problem itself: "#4 Low sodium: no hypotonic fluids"."""
_LISTED = 3
"""Problems in a row that are a list: what follows is about none of them alone."""
_LEAST_ACT = 20
"""Characters before what holds should it get worse that may order something for now."""
_CHANGED = frozenset({"started", "planned", "increased", "decreased", "switched", "stopped"})
"""What is done with a medicine that a patient did not have so before."""
_URGENCIES: tuple[Urgency, ...] = ("emergency", "prompt", "routine", "other")
_GUARDS = {
    "conditional": "The note states this only under a condition; read the cited characters.",
    "family": "The note plans this for somebody else; read the cited characters.",
    "possible": "The note itself marks this as uncertain; read the cited characters.",
}


class _PlanStatement(NamedTuple):
    """A statement of the assessment with where it is and the kind of its unit."""

    item: SummaryItem
    start: int
    kind: str
    section: int


def extractive_plan(note: ReadNote, summary: NoteSummary) -> NotePlan:
    """Return the plan that a note states."""
    stated = _statements(note, summary)
    problems = [s for s in stated if s.kind == PROBLEM]
    recommendations: list[PlanRecommendation] = []
    for one in stated:
        if one.kind in (PROBLEM, REASONING):
            continue
        listed = _is_after_list(stated, one)
        recommendations.append(_recommendation(one, None if listed else _problem_of(one, problems)))
    ordered = sorted(recommendations, key=lambda r: _URGENCIES.index(r.urgency))
    return NotePlan(
        recommendations=tuple(
            r.model_copy(update={"number": n}) for n, r in enumerate(ordered, start=1)
        )
    )


def problems_to_show(plan: NotePlan) -> tuple[PlanProblem | None, ...]:
    """Return the problem to show before each recommendation: none where all are about one."""
    problems = [one.problem for one in plan.recommendations]
    is_one = len({p.source for p in problems if p}) <= 1
    return tuple(None if is_one else problem for problem in problems)


def how_soon(one: PlanRecommendation) -> str:
    """Return how soon a recommendation is to be done as a reader sees it; "" where nobody says."""
    if "safety_net" in one.kinds and one.urgency == "routine":
        return "under a condition"
    return "" if one.urgency == "other" else one.urgency


def _is_after_list(stated: list[_PlanStatement], one: _PlanStatement) -> bool:
    """Return whether a statement, or the run it is in, follows a mere list of problems."""
    before = [s for s in stated if s.start < one.start and s.section == one.section]
    kinds = [s.kind for s in before]
    while kinds and kinds[-1] != PROBLEM:
        kinds.pop()
    return len(kinds) >= _LISTED and set(kinds[-_LISTED:]) == {PROBLEM}


def _problem_of(one: _PlanStatement, problems: list[_PlanStatement]) -> SummaryItem | None:
    """Return the problem that a statement is about.

    That is the last one under its own heading; of an impression before, the only one.
    """
    if _OWN_PROBLEM.match(one.item.text):
        return None
    before = [p for p in problems if p.start < one.start]
    own = [p for p in before if p.section == one.section]
    if own or not before:
        return own[-1].item if own else None
    above = [p for p in before if p.section == before[-1].section]
    return above[0].item if len(above) == 1 else None


def _statements(note: ReadNote, summary: NoteSummary) -> list[_PlanStatement]:
    """Return the items of the assessment with their place, in the order of the note."""
    units = {(u.start, u.end): u for u in note.units}
    stated: list[_PlanStatement] = []
    for item in summary.assessment:
        source = parse_source(item.source)
        if source is not None:
            unit = units.get((source.start, source.end))
            kind, section = (unit.kind, unit.section) if unit else ("", -1)
            stated.append(_PlanStatement(item, source.start, kind, section))
    return sorted(stated, key=lambda s: s.start)


def _recommendation(one: _PlanStatement, problem: SummaryItem | None) -> PlanRecommendation:
    """Return a statement as a recommendation, with the problem it is about."""
    text = fold_chars(one.item.text)
    status = one.item.status
    confidence = EXPLICIT if one.kind in (PLAN, PROBLEM) else FOUND_BY_WORDS
    is_bound = status != "conditional" or _is_bound(text)
    if status in _GUARDS and is_bound and not note_cues().plan.safety_net.search(text):
        confidence = DOUBTFUL
    about = problem if problem is not None and problem.source != one.item.source else None
    return PlanRecommendation(
        number=1,
        recommendation=one.item.text,
        source=one.item.source,
        confidence=confidence,
        hallucination_guard_note=_GUARDS.get(status) if confidence < GUARD_BELOW else None,
        urgency=_urgency(one.item, text),
        kinds=tuple(_kinds(one.item, text)),
        problem=PlanProblem(text=about.text, source=about.source) if about else None,
    )


def _is_bound(text: str) -> bool:
    """Return whether a condition is one of the whole recommendation, not of an addition to it.

    "Film at 6 weeks; if unclear, a scan" orders the film without a condition.
    """
    first = _CLAUSE_END.split(text, maxsplit=1)[0]
    parts = first.split(",")
    conditional = note_cues().assertion.conditional
    if conditional.search(parts[0]):
        return True
    return any(conditional.match(part.strip()) for part in parts[1:])


def _kinds(item: SummaryItem, text: str) -> Iterator[RecommendationKind]:
    """Yield what a statement recommends: treatment, a test, visit or call, or a risk to know."""
    follows = note_cues().plan.follow_up.search(text) is not None
    if item.medications or not follows:
        yield "treatment"
    if follows:
        yield "follow_up"
    if note_cues().plan.risks.search(text):
        yield "risk"
    if note_cues().plan.safety_net.search(text):
        yield "safety_net"


def _urgency(item: SummaryItem, text: str) -> Urgency:
    """Return how soon a recommendation is to be done.

    What holds should it get worse waits for that; a time in weeks is no matter of days. What is
    given without a word on when is given now, unless it is only continued.
    """
    cues, found = note_cues().plan, note_cues().urgency
    if (net := cues.safety_net.search(text)) and not found["emergency"].match(text):
        text = text[: net.start()]  # "check it today and call if positive"
        if len(text) < _LEAST_ACT:
            return "routine"
    if found["emergency"].search(text) and not cues.elsewhere.search(text):
        return "emergency"
    is_later = cues.later.search(text) is not None
    is_continued = bool(item.medications) and all(m.status == "continued" for m in item.medications)
    if is_continued or (item.status == "conditional" and _is_bound(text)):
        return "routine"
    if cues.needless.search(text) or cues.at_once.search(text):
        return "other" if cues.needless.search(text) else "prompt"
    if found["prompt"].search(text) or _is_new(item):
        return "routine" if is_later and not _is_new(item) else "prompt"
    return "routine" if is_later or found["routine"].search(text) else "other"


def _is_new(item: SummaryItem) -> bool:
    """Return whether a recommendation starts or changes a medicine.

    What somebody else is to take under a condition waits for it: "newborn, if well".
    """
    if any(m.status == FOR_OTHER for m in item.medications):
        return note_cues().assertion.conditional.search(fold_chars(item.text)) is None
    return any(m.status in _CHANGED for m in item.medications)
