"""Summary and plan by a server that speaks the OpenAI protocol, with every item checked.

The answer is JSON of a schema; what is not gets one attempt at repair, then an error. An item whose
citation is wrong, or that says what its unit does not, is dropped with its code. A server off this
machine is refused unless the configuration allows it, and gets no names, dates or places.
"""

from __future__ import annotations

import ipaddress
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError

from clinrag_core.answer.generate.chat_server import ChatServer
from clinrag_core.errors import ConfigurationError, GenerationError, NoteError
from clinrag_core.lexicon.model_orders import gives_orders
from clinrag_core.model.base import Record, described
from clinrag_core.notes.citations import NOT_IN_SUMMARY, CitationChecker, parse_source
from clinrag_core.notes.extractive import item_of
from clinrag_core.notes.name_finder import NameFinder
from clinrag_core.notes.phi import Deidentified
from clinrag_core.notes.plan import GUARD_BELOW
from clinrag_core.notes.records import (
    SUMMARY_SECTIONS,
    DroppedItem,
    NotePlan,
    NoteSummary,
    PlanRecommendation,
    SummaryItem,
)
from clinrag_core.notes.written import (
    WrittenPlan,
    WrittenRecommendation,
    WrittenSections,
    WrittenSummary,
)
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.notes.inference import SectionStart
    from clinrag_core.notes.records import NoteUnit
    from clinrag_core.settings import NoteSettings

_UNSAID = "Confidence is low and the generator gave no reason."
Written = TypeVar("Written", bound=Record)


class GeneratedSummary(NamedTuple):
    """A summary with what was dropped from it."""

    summary: NoteSummary
    dropped: tuple[DroppedItem, ...]


class GeneratedPlan(NamedTuple):
    """A plan with what was dropped from it."""

    plan: NotePlan
    dropped: tuple[DroppedItem, ...]


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class NoteGenerator:
    """Writes summaries and plans with a model server; one object serves all threads.

    Raises:
        ConfigurationError: no address or model is set, the generator cannot write notes, or
            `notes.name_model` cannot be used.
        NoteError: the server is off this machine and `notes.allow_external` is not set.
    """

    def __init__(
        self,
        settings: NoteSettings,
        gates: Sequence[Gate],
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if settings.generator.kind != "openai":
            raise ConfigurationError("notes are written by 'extractive' or 'openai' generators")
        self._server = ChatServer(settings.generator, transport)
        self._is_local = is_loopback(settings.generator.url or "")
        if not self._is_local and not settings.allow_external:
            raise NoteError(
                "a note may not be sent off this machine: notes.allow_external is not set"
            )
        is_sent = not self._is_local and settings.name_model
        self._finder = NameFinder(settings.name_model or "") if is_sent else None
        self._gates = gates
        used = ["summary", "plan", *(["section_inference"] if settings.infer_sections else [])]
        self.name = f"openai:{self._server.model}/{fingerprint(*map(_prompt, used))}"

    def section_starts(self, note: str, units: Sequence[NoteUnit]) -> list[SectionStart]:
        """Return where the model says that the sections of a note without headings begin.

        Raises:
            GenerationError: no answer, or twice one that is not the JSON asked for, or one that
                names units that there are not or not in their order.
        """
        said = [note[u.start : u.end] for u in units]
        shown = [{"number": n, "text": t} for n, t in enumerate(said) if not gives_orders(t)]
        written = self._ask(
            "section_inference", {"units": shown}, WrittenSections, self._hidden(note)
        )
        places = [one.first_unit for one in written.sections]
        if places != sorted(set(places)) or any(place >= len(units) for place in places):
            raise GenerationError("the model named sections out of order or outside of the note")
        return [(one.first_unit, one.section) for one in written.sections]

    def summary(self, note: ReadNote) -> GeneratedSummary:
        """Return what the model writes about a note, checked.

        Raises:
            GenerationError: no answer, or twice one that is not the JSON asked for.
        """
        hidden = self._hidden(note.text)
        written = self._ask("summary", _shown_note(note), WrittenSummary, hidden)
        checker = CitationChecker(note, self._gates, quoting=False)
        kinds = {(u.start, u.end): u.kind for u in note.units}
        kept: dict[str, tuple[SummaryItem, ...]] = {}
        dropped: list[DroppedItem] = []
        for name in SUMMARY_SECTIONS:
            items: list[SummaryItem] = []
            for one in getattr(written, name):
                text, source = _restored(hidden, one.text), _restored(hidden, one.source)
                code = checker.problem(text, source)
                if code is not None:
                    dropped.append(DroppedItem(place=name, code=code, text=text, source=source))
                    continue
                place = parse_source(source)
                span = (place.start, place.end) if place else (0, 0)
                items.append(_own_words(note, text, source, span, kinds.get(span, "")))
            kept[name] = tuple(items)
        return GeneratedSummary(NoteSummary(**kept), tuple(dropped))

    def plan(self, note: ReadNote, summary: NoteSummary) -> GeneratedPlan:
        """Return the plan that the model makes of a summary, checked.

        Raises:
            GenerationError: no answer, or twice one that is not the JSON asked for.
        """
        hidden = self._hidden(note.text)
        shown = {
            name: [{"text": i.text, "source": i.source} for i in summary.section(name)]
            for name in SUMMARY_SECTIONS
        }
        written = self._ask("plan", shown, WrittenPlan, hidden)
        checker = CitationChecker(note, self._gates, quoting=False)
        sources = frozenset(item.source for _, item in summary.filed())
        dropped: list[DroppedItem] = []
        kept: list[PlanRecommendation] = []
        for one in written.recommendations:
            text, source = _restored(hidden, one.recommendation), _restored(hidden, one.source)
            code = plan_problem(checker, sources, text, source)
            if code is not None:
                dropped.append(DroppedItem(place="plan", code=code, text=text, source=source))
                continue
            kept.append(
                PlanRecommendation(
                    number=len(kept) + 1,
                    recommendation=text,
                    source=source,
                    confidence=one.confidence,
                    hallucination_guard_note=_guard_note(hidden, one),
                )
            )
        return GeneratedPlan(NotePlan(recommendations=tuple(kept)), tuple(dropped))

    def _hidden(self, note: str) -> Deidentified | None:
        """Return what is hidden of a note from the server; None if it is on this machine."""
        if self._is_local:
            return None
        return Deidentified(note, self._finder.identifiers(note) if self._finder else ())

    def _ask(
        self, prompt: str, data: object, schema: type[Written], hidden: Deidentified | None
    ) -> Written:
        """Return what the model writes in a schema; asks once more where it is not in it."""
        shown = data if hidden is None else hidden.hide_data(data)
        messages = [
            {"role": "system", "content": _prompt(prompt)},
            {"role": "user", "content": json.dumps(shown, ensure_ascii=False)},
        ]
        written = self._server.complete(messages, schema.model_json_schema())
        try:
            return _read(written, schema)
        except ValidationError as error:
            problems = described(error)
        repair = f"That is not the JSON asked for: {problems}. Write the whole object again."
        messages += [
            {"role": "assistant", "content": written},
            {"role": "user", "content": repair},
        ]
        try:
            return _read(self._server.complete(messages, schema.model_json_schema()), schema)
        except ValidationError as error:
            raise GenerationError(
                f"the model twice did not write the JSON asked for: {error.error_count()} problems"
            ) from None


def plan_problem(
    checker: CitationChecker, sources: frozenset[str], text: str, source: str
) -> str | None:
    """Return the code of what is wrong with a text of a plan; its source is one of the summary."""
    code = checker.problem(text, source)
    return NOT_IN_SUMMARY if code is None and source not in sources else code


@cache
def _prompt(name: str) -> str:
    """Return the instructions of a prompt file."""
    folder = resources.files("clinrag_core.notes") / "prompts"
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def _shown_note(note: ReadNote) -> dict[str, object]:
    """Return a note as the model sees it; a unit that gives orders to a model is left out."""
    chunks: list[dict[str, object]] = []
    for place, chunk in enumerate(note.chunks):
        units = [
            {"range": f"{u.start}-{u.end}", "text": note.said(u)}
            for u in note.units
            if u.chunk == place and not gives_orders(note.said(u))
        ]
        title = chunk.section_title
        chunks.append({"section_title": title, "chunk_id": chunk.id, "units": units})
    return {"chunks": chunks}


def _restored(hidden: Deidentified | None, text: str) -> str:
    restored = text if hidden is None else hidden.restore(text)
    return restored.strip()


def _read(written: str, schema: type[Written]) -> Written:
    """Return what a model wrote as a record of a schema; text around the object is ignored."""
    start, end = written.find("{"), written.rfind("}")
    return schema.model_validate_json(written[start : end + 1] if start >= 0 else written)


def _guard_note(hidden: Deidentified | None, one: WrittenRecommendation) -> str | None:
    """Return why a recommendation is weak; always something below the limit of confidence."""
    if one.confidence >= GUARD_BELOW:
        return None
    return _restored(hidden, one.hallucination_guard_note or "") or _UNSAID


def _own_words(
    note: ReadNote, text: str, source: str, span: tuple[int, int], kind: str
) -> SummaryItem:
    """Return an item in the model's words; its fields are read from the characters it cites."""
    cited = note.text[slice(*span)]
    return item_of(cited, source, span[0], kind).model_copy(update={"text": text})
