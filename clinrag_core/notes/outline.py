"""A result as a reader sees it: each fact once, under the heading of the note it is from.

The terminal and the page show the same outline. The record keeps every item in every section that
it belongs to; here a statement of the plan is not listed in the assessment again, a medicine of
another section is listed by its fields, and a status is a word for a reader.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.quantities import stated_frequencies
from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.clipped import medicine_key
from clinrag_core.notes.extractive import FOR_OTHER
from clinrag_core.notes.lexicon import note_measures
from clinrag_core.notes.of_whom import is_of_patient
from clinrag_core.notes.records import SUMMARY_SECTIONS
from clinrag_core.notes.shorthand import in_full
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
_PLAN = "plan"
"""Kind of a heading under which problems and what is done about each follow each other."""
_PROBLEMS: SummarySection = "key_problems"
_SHOWN_FIRST: tuple[SummarySection, ...] = (
    "patient_snapshot",
    "key_problems",
    "pertinent_history",
    "assessment",
    "labs_imaging",
    "objective_findings",
    "medicines_allergies",
)
"""Where a statement of several sections is shown: a medicine or a figure is part of a statement."""
_UNSTATED = "nothing stated"
_ELSEWHERE = "all of it is shown under another heading of this summary"
_BEGUN = frozenset({"started", "continued"})
_UNSAID = frozenset({"current", "planned"})
"""What is done with a medicine that needs no word: "planned" is the default of a plan."""


_OPENS = re.compile(r"\W*([^\W\d_][\w -]{1,24}?) ?[,:(]")
"""The first words of a statement, which say whom it is for."""
_CHANGED = frozenset({"started", "switched"})
_BOUND = "only under a condition"
_STOP_AFTER = 25
"""Characters behind a medicine that may order to stop it."""
_TO_STOP = "to be stopped"
"""What an order stops is still taken."""
_MEDICINE_WORDS = {"avoided": "not to be taken", "planned": "in the plan"}


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
    remark: str
    """Why there is no line; "" where there is one."""


def outline(result: NoteResult) -> tuple[OutlineSection, ...]:
    """Return the sections of a summary as a reader sees them."""
    planned = {r.source for r in result.plan.recommendations} if result.plan else set[str]()
    problems = {item.source for item in result.summary.key_problems}
    joint = {section.title for section in result.sections if section.kind == _PLAN}
    homes = _homes(result)
    sections: list[OutlineSection] = []
    for name in SUMMARY_SECTIONS:
        lines: list[tuple[str, OutlineItem]] = []
        about, of_title = "", ""
        for number, item in enumerate(result.summary.section(name)):
            if name == _ASSESSMENT and item.source in problems:
                about, of_title = " ".join(item.text.split()), _title(item.source)
            if item.source in planned or homes[item.source] != name:
                continue
            is_about = name == _ASSESSMENT and about and _title(item.source) == of_title in joint
            line = _line(item, number, of_medicines=name == _MEDICINES)
            lines.append((about if is_about else _title(item.source), line))
        if name == _MEDICINES:
            lines += _other_medicines(result, homes, planned)
        is_elsewhere = not lines and bool(result.summary.section(name))
        remark = _ELSEWHERE if is_elsewhere else _UNSTATED
        sections.append(OutlineSection(name, tuple(_grouped(lines)), remark if not lines else ""))
    return tuple(sections)


def _homes(result: NoteResult) -> dict[str, SummarySection]:
    """Return the section that shows each statement: the first of those it belongs to."""
    homes: dict[str, SummarySection] = {}
    for name in _SHOWN_FIRST:
        for item in result.summary.section(name):
            homes.setdefault(item.source, name)
    problems = {i.source for i in result.summary.key_problems if not is_of_patient(in_full(i.text))}
    others = [i for i in result.summary.patient_snapshot if i.source not in problems]
    return {**homes, **dict.fromkeys(problems, _PROBLEMS)} if others else homes


def _other_medicines(
    result: NoteResult, homes: Mapping[str, SummarySection], planned: set[str]
) -> list[tuple[str, OutlineItem]]:
    """Return the medicines of statements that another section or the plan shows.

    A medicine is listed once with a dose, or once without; one that only the list of the note has
    is shown there.
    """
    items = list(enumerate(result.summary.medicines_allergies))
    own = [(n, i) for n, i in items if homes[i.source] == _MEDICINES and i.source not in planned]
    others = [(n, i) for n, i in items if (n, i) not in own]
    listed = " ".join(fold_chars(i.text) for _, i in own)
    named = [m for _, i in own for m in i.medications]
    dosed = {medicine_key(m) for _, i in others for m in i.medications if m.dose and _is_own(m)}
    ordered = [m for _, i in others if i.source in planned for m in i.medications]
    stopped = {medicine_key(m) for m in ordered if m.status == "stopped"}
    said = {(medicine_key(m), m.status) for m in named}
    everything = [*named, *(m for _, i in others for m in i.medications if _is_own(m))]
    lines: list[tuple[str, OutlineItem]] = []
    doses: set[tuple[str, str, str]] = set()
    for number, item in others:
        allergies = any(m.status == "allergy" for m in item.medications)
        for medicine in _without_tried(item.medications):
            is_taken = medicine.status in _UNSAID | _BEGUN
            if is_taken and medicine_key(medicine) in stopped and item.source not in planned:
                continue
            if medicine.status == "current" and item.source in planned and not medicine.dose:
                continue  # its neighbour lists it
            if _is_part(medicine, everything):
                continue
            if allergies and medicine.status not in ("allergy", "avoided", "stopped"):
                continue
            is_known = any(_is_said_by(medicine, m) for m in named)
            is_known = is_known or (not medicine.dose and medicine_key(medicine) in dosed)
            line = _medicine(medicine, item, number, is_ordered=item.source in planned)
            if line is None or (is_taken and (is_known or fold_chars(line.text) in listed)):
                continue
            if (said_dose := (medicine_key(medicine), line.status, medicine.dose)) in doses:
                continue
            doses.add(said_dose)
            is_bound = item.status == "conditional" and medicine_key(medicine) in dosed
            is_said = (medicine_key(medicine), line.status) in said
            said.add((medicine_key(medicine), line.status))
            if not (is_bound and not medicine.dose) and not (is_said and not medicine.dose):
                lines.append((_title(item.source), line))
    return lines


def _without_tried(medicines: Sequence[NoteMedication]) -> list[NoteMedication]:
    """Return medicines without what was tried and is stopped in the same statement."""
    stopped = {medicine_key(m) for m in medicines if m.status == "stopped"}
    return [m for m in medicines if m.status != "tried" or medicine_key(m) not in stopped]


def _is_own(medicine: NoteMedication) -> bool:
    return medicine.status != FOR_OTHER


def _is_said_by(medicine: NoteMedication, listed: NoteMedication) -> bool:
    """Return whether a list has a medicine already, not by another route or at another dose."""
    if medicine_key(medicine) != medicine_key(listed):
        return False
    if medicine.dose and _key_of(medicine.dose) != _key_of(listed.dose):
        return False
    often = (stated_frequencies(medicine.frequency), stated_frequencies(listed.frequency))
    return not all(often) or often[0] == often[1]


def _key_of(words: str) -> str:
    return "".join(words.split()).lower()


def _is_part(medicine: NoteMedication, others: Sequence[NoteMedication]) -> bool:
    """Return whether a medicine without a dose is one that a dose or a combination lists."""
    own = set(medicine.ingredients)
    if medicine.dose or not own or medicine.status not in _UNSAID | _BEGUN | {"considered"}:
        return False
    wider = [m for m in others if own <= set(m.ingredients) and m.status in _UNSAID | _BEGUN]
    return any(m.dose or len(m.ingredients) > len(own) for m in wider)


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


def _line(item: SummaryItem, number: int, *, of_medicines: bool) -> OutlineItem:
    """Return an item as a line; one of the medicines says what is done with it."""
    status = STATUS_WORDS[item.status]
    said = {m.status for m in item.medications}
    done = said - _UNSAID - {"absent"} if "current" not in said else set[str]()
    if "allergy" in said:
        status = "allergy"
    elif of_medicines and item.medications and item.status in ("present", "planned"):
        status = next(iter(done)) if len(done) == 1 else ""
    return OutlineItem(" ".join(item.text.split()), status, item.source, number)


def _medicine(
    medicine: NoteMedication, item: SummaryItem, number: int, *, is_ordered: bool
) -> OutlineItem | None:
    """Return a medicine of a statement that is shown elsewhere; None for one that is not taken."""
    is_brand = note_measures().brand.fullmatch(fold_chars(medicine.name)) is not None
    is_known = bool(medicine.ingredients or medicine.dose or is_brand)
    is_known = is_known or medicine.status == "current"
    if medicine.status == "absent" or not is_known:
        return None
    status = _MEDICINE_WORDS.get(medicine.status, medicine.status)
    if is_ordered and item.status == "conditional" and medicine.status in _UNSAID | _CHANGED:
        status = _BOUND
    elif is_ordered and status == "stopped" and _orders_stop(medicine, item):
        status = _TO_STOP
    whom = _OPENS.match(item.text) if medicine.status == FOR_OTHER else None
    status = f"{status}: {whom[1]}" if whom else status
    return OutlineItem(_fields(medicine), status, item.source, number)


def _orders_stop(medicine: NoteMedication, item: SummaryItem) -> bool:
    """Return whether a statement orders to stop a medicine, and does not say that it was."""
    text = fold_chars(item.text)
    end = text.find(fold_chars(medicine.name)) + len(medicine.name)
    return note_measures().entries.to_stop.search(text[: end + _STOP_AFTER]) is not None


def _fields(medicine: NoteMedication) -> str:
    """Return a medicine with its first dose; the statement has those that follow."""
    first = (part.partition(";")[0] for part in (medicine.dose, medicine.frequency))
    return " ".join(" ".join((medicine.name, *first)).split()).rstrip(".")
