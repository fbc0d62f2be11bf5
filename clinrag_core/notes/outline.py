"""A result as a reader sees it: each fact once, under the heading of the note it is from.

The terminal and the page show the same outline. The record keeps every item in every section that
it belongs to; here a statement of the plan is not listed in the assessment again, a medicine of
another section is listed by its fields, and a status is a word for a reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.records import SUMMARY_SECTIONS
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.notes.records import (
        AssertionStatus,
        NoteMedication,
        NoteResult,
        SummaryItem,
        SummarySection,
    )

STATUS_WORDS: dict[AssertionStatus, str] = {
    "present": "",
    "absent": "negative",
    "mixed": "partly negative",
    "family": "family",
    "past": "past",
    "planned": "planned",
    "possible": "uncertain",
    "conditional": "conditional",
}
_MEDICINES: SummarySection = "medicines_allergies"
_ASSESSMENT: SummarySection = "assessment"
_BEGUN = frozenset({"started", "continued"})
_UNSAID = frozenset({"current", "planned"})
"""What is done with a medicine that needs no word: "planned" is the default of a plan."""


_MEDICINE_WORDS = {"absent": "not taken", "avoided": "not to be taken", "planned": "in the plan"}


class OutlineItem(NamedTuple):
    """A line of an outline."""

    text: str
    status: str
    """In words; "" for what is simply so."""
    source: str
    number: int
    """Place of the item in its section of the summary."""


class OutlineGroup(NamedTuple):
    """Lines from under one heading of the note, or about one problem."""

    title: str
    items: tuple[OutlineItem, ...]


class OutlineSection(NamedTuple):
    """A section of a summary with its lines."""

    name: SummarySection
    groups: tuple[OutlineGroup, ...]


def outline(result: NoteResult) -> tuple[OutlineSection, ...]:
    """Return the sections of a summary as a reader sees them."""
    planned = {r.source for r in result.plan.recommendations} if result.plan else set[str]()
    problems = {item.source for item in result.summary.key_problems}
    shown: set[str] = set()
    own = _own_medicines(result, planned)
    sections: list[OutlineSection] = []
    for name in SUMMARY_SECTIONS:
        lines: list[tuple[str, OutlineItem]] = []
        about = ""
        for number, item in enumerate(result.summary.section(name)):
            if name == _ASSESSMENT and item.source in problems:
                about = " ".join(item.text.split())
            elif name == _ASSESSMENT and item.source in planned:
                continue
            elif name == _MEDICINES and (item.source in shown or item.source in planned):
                title = _title(item.source)
                lines += [(title, m) for m in _medicines(item, number) if not _is_listed(m, own)]
                continue
            is_only = name == "key_problems" and len(result.summary.key_problems) == 1
            if item.source in shown and not is_only:
                continue
            shown.add(item.source)
            title = about if name == _ASSESSMENT and about else _title(item.source)
            lines.append((title, _line(item, number)))
        sections.append(OutlineSection(name, tuple(_grouped(lines))))
    return tuple(sections)


def _own_medicines(result: NoteResult, planned: set[str]) -> str:
    """Return the words of the lists of medicines of a note."""
    told = {i.source for i in result.summary.pertinent_history}
    items = result.summary.medicines_allergies
    return " ".join(fold_chars(i.text) for i in items if i.source not in told | planned)


def _is_listed(line: OutlineItem, listed: str) -> bool:
    """Return whether a list of medicines has what a history or a plan says of one again."""
    return line.status in _UNSAID | _BEGUN and fold_chars(line.text) in listed


def _grouped(lines: list[tuple[str, OutlineItem]]) -> Iterator[OutlineGroup]:
    """Yield neighbouring lines of one title as a group."""
    own: list[OutlineItem] = []
    for place, (title, line) in enumerate(lines):
        own.append(line)
        if place + 1 == len(lines) or lines[place + 1][0] != title:
            yield OutlineGroup(title, tuple(own))
            own = []


def _title(source: str) -> str:
    place = parse_source(source)
    return place.title if place else ""


def _line(item: SummaryItem, number: int) -> OutlineItem:
    """Return an item as a line; a medicine says what is done with it, not its statement."""
    status = STATUS_WORDS[item.status]
    done = {m.status for m in item.medications} - _UNSAID
    if item.medications and item.status in ("present", "planned"):
        status = next(iter(done)) if len(done) == 1 else ""
    return OutlineItem(" ".join(item.text.split()), status, item.source, number)


def _medicines(item: SummaryItem, number: int) -> Iterator[OutlineItem]:
    """Yield the medicines of a statement that is listed elsewhere, each with what is printed."""
    for medicine in item.medications:
        if medicine.ingredients or medicine.dose:
            status = _MEDICINE_WORDS.get(medicine.status, medicine.status)
            yield OutlineItem(_fields(medicine), status, item.source, number)


def _fields(medicine: NoteMedication) -> str:
    parts = (medicine.name, medicine.dose, medicine.frequency)
    return " ".join(" ".join(part for part in parts if part).split())
