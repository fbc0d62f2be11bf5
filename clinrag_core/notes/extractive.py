"""The summary without a model: every unit of the note, quoted, in the section it belongs to.

A statement may belong to two sections: a diagnosis under an impression is a key problem too, and a
medicine of the plan is one of the medicines. Descriptions of operations belong to none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.fit.question_gate import OF_FIELD
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.people import ADULT
from clinrag_core.facts.spelled import in_figures
from clinrag_core.facts.stated_ages import may_be_patient, sure_ages
from clinrag_core.notes.assertion import read_note_findings, statement_status
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.day_entries import (
    EARLIER,
    entries_of,
    with_later_stops,
    with_stopped_treatment,
)
from clinrag_core.notes.households import PERSON, opens_with_person
from clinrag_core.notes.lexicon import note_cues, note_measures
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.plan_lines import PLAN, PROBLEM
from clinrag_core.notes.records import SUMMARY_SECTIONS, NoteSummary, SummaryItem
from clinrag_core.notes.repeats import without_repeats
from clinrag_core.notes.shorthand import in_full
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.notes.records import NoteMedication, NoteUnit, SummarySection

EXTRACTIVE = "extractive"
_NOT_WHOM = frozenset({None, "labs_imaging", "objective_findings"})
_OF_PATIENT = frozenset({"present", "mixed", "possible", "past"})
"""Status of a statement that may say who a patient is."""
_OPERATION = "operation"
"""Kind of the heading that names the operation a note is about."""
_MOST_DONE = 3
"""Operations in the snapshot: what follows is their material."""
_MOST_PROBLEMS = 2
"""Diseases whose care is checked."""
_TELLS = re.compile(r"[,;:]|\b(?:is|was|has|had|since|with)\b")
"""What the name of a disease alone does not have."""
_LONGEST_NAME = 80
_PAIN = "pain_score"
_PATIENT_REPORTED = frozenset({"history", "complaint", "overview", ""})
"""Kinds of headings under which a pain score is what the patient says."""
_FOLLOW_UP = re.compile(r"(?:\w+ ){0,3}follow[- ]?up\W*")
_FAMILY = "family"
_TO_TAKE = frozenset({"planned", "started", "continued", "increased", "decreased"})
"""What a plan does with a medicine that is taken."""
_ALLERGIES = "allergies"
_MEDICATIONS = "medications"
_ALLERGY_LABEL = re.compile(r"allerg(?:y|ies) ?:")
"""A label at the end of a list of medicines."""
_CLAUSE_END = re.compile(r"[;:.]\s+|\s[-\u2013]\s")
_TAKES = re.compile(r"\b(?:is|was|has|had|takes|took|uses)\b(?! to\b)")
FOR_OTHER = "for somebody else"
"""Status of a medicine that a plan gives a relative or a newborn."""
_PLANNED = frozenset({"plan", "assessment"})
_ORDERED = frozenset({"present", "planned"})
"""Status of an order of an earlier day, which is past."""
_OF_HISTORY = frozenset({"family", "social", "past", "surgical"})
_BEGIN_OF_NOTE = frozenset({"history", "overview", "complaint", "", "assessment", "plan"})
"""Kinds of headings under which a note says whom it is about."""


class ExtractiveSummary(NamedTuple):
    """A summary with the statements that no section of it has a place for."""

    summary: NoteSummary
    left_out: tuple[SummaryItem, ...]


def extractive_summary(note: ReadNote) -> ExtractiveSummary:
    """Return the summary of a note in its own words."""
    filed: dict[SummarySection, list[SummaryItem]] = {name: [] for name in SUMMARY_SECTIONS}
    left_out: list[SummaryItem] = []
    done: list[SummaryItem] = []
    classes = classify_units(note.text, note.sections, note.units)
    for unit, name in zip(note.units, classes, strict=True):
        item = quoted_item(note, unit)
        if name is None:
            left_out.append(item)
            continue
        filed[name].append(item)
        if unit.kind == _OPERATION and name == "pertinent_history":
            done.append(item)
        for other in _also(item, name, unit.kind):
            filed[other].append(item)
    if not filed["key_problems"]:
        filed["key_problems"] = _named_problems(filed)
    if not filed["patient_snapshot"]:
        filed["patient_snapshot"] = _first_of_whom(note, classes)
    filed["patient_snapshot"] += done[:_MOST_DONE]
    _add_reason(filed, has_complaint=any(s.kind == "complaint" for s in note.sections))
    if entries_of(note.text, note.sections):
        filed = with_later_stops(filed)
    filed = with_stopped_treatment(filed)
    kept = without_repeats(filed)
    summary = NoteSummary(**{name: tuple(items) for name, items in kept.items()})
    return ExtractiveSummary(summary, tuple(left_out))


def _named_problems(filed: Mapping[SummarySection, Sequence[SummaryItem]]) -> list[SummaryItem]:
    """Return what a note without an impression calls the disease: first as a conclusion of it."""
    cues = note_cues().blocks
    said = [
        item
        for name in ("assessment", "patient_snapshot", "labs_imaging", "pertinent_history")
        for item in filed[name]
        if item.status in _OF_PATIENT
        and (diseases(item.text) or cues.concludes.search(in_full(item.text)))
    ]
    results = {item.source for item in filed["labs_imaging"]}
    concluded = [
        item
        for item in said
        if cues.concludes.search(fold_chars(item.text)) or cues.weighs.search(fold_chars(item.text))
    ]
    said = [item for item in said if item.source not in results]
    came_with = [i for i in said if note_cues().operations.presents.search(fold_chars(i.text))]
    names = [i for i in said if not _TELLS.search(i.text) and len(i.text) <= _LONGEST_NAME]
    whom = [item for item in said if item in filed["patient_snapshot"]]
    found = [i for i in filed["objective_findings"] if i.status in _OF_PATIENT]
    return (concluded or came_with or names or whom or _of_each_disease([*said, *found]))[
        :_MOST_PROBLEMS
    ]


def _of_each_disease(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the first statement on each disease, those on tuberculosis and pneumonia first."""
    first: dict[str, SummaryItem] = {}
    for item in items:
        for disease in sorted(diseases(item.text)):
            first.setdefault(disease.partition(".")[0], item)
    ordered = sorted(first, key=lambda disease: disease not in OF_FIELD)
    return list({first[disease].source: first[disease] for disease in ordered}.values())


def _add_reason(filed: dict[SummarySection, list[SummaryItem]], *, has_complaint: bool) -> None:
    """Add to the snapshot why the patient comes, where neither it nor a complaint says so."""
    presents = note_cues().operations.presents
    if has_complaint or any(presents.search(fold_chars(i.text)) for i in filed["patient_snapshot"]):
        return
    reasons = (
        item
        for item in filed["pertinent_history"]
        if item.status in ("present", "mixed") and presents.search(fold_chars(item.text))
    )
    filed["patient_snapshot"] += [item for item in (next(reasons, None),) if item is not None]


def _first_of_whom(note: ReadNote, classes: Sequence[SummarySection | None]) -> list[SummaryItem]:
    """Return the complaint of a note that prints no age, else its first statement on the patient.

    What the patient does not have says nothing of who that is.
    """
    placed = [u for u, name in zip(note.units, classes, strict=True) if name not in _NOT_WHOM]
    complaints = (u for u in placed if note.sections[u.section].kind == "complaint")
    of_whom = (
        u
        for u in placed
        if _is_of_whom(fold_chars(note.said(u))) and note.sections[u.section].kind in _BEGIN_OF_NOTE
    )
    first = (u for u, name in zip(note.units, classes, strict=True) if name == "key_problems")
    found = (quoted_item(note, u) for u in (*complaints, *first, *of_whom))
    said = [item for item in found if item.status in _OF_PATIENT]
    telling = [item for item in said if not _FOLLOW_UP.fullmatch(fold_chars(item.text))]
    return (telling or said)[:1]


def _is_of_whom(text: str) -> bool:
    """Return whether a statement is about the patient, and not how an operation ended."""
    cues = note_cues().operations
    return cues.of_patient.search(text) is not None and not cues.ended.search(text)


def _also(item: SummaryItem, name: SummarySection, kind: str) -> list[SummarySection]:
    """Return the other sections that an item belongs to.

    Of the drugs in ACI-Bench's notes a third is in a list of medicines, half in the plan.
    """
    if kind == PERSON:
        return []
    others: list[SummarySection] = []
    if kind == PROBLEM and name == "assessment" and item.status != "absent":
        others.append("key_problems")
    is_ordered = kind == PLAN
    if is_ordered and name == "medicines_allergies":
        others.append("assessment")
    if any(m.ingredients or m.dose or is_ordered or _is_taken(m) for m in item.medications):
        others.append("medicines_allergies")
    if any(v.name != _PAIN or kind not in _PATIENT_REPORTED for v in item.vitals):
        others.append("objective_findings")
    if kind == "history" and note_cues().plan.leaves.search(fold_chars(item.text)):
        others.append("assessment")
    is_result = name == "assessment" and kind != PLAN
    if is_result and note_cues().sections["labs_imaging"].search(fold_chars(item.text)):
        others.append("labs_imaging")
    return [other for other in others if other != name]


def _is_taken(medicine: NoteMedication) -> bool:
    """Return whether a medicine without a known ingredient is one that a patient takes."""
    name = fold_chars(medicine.name)
    return medicine.status == "current" and note_measures().brand.fullmatch(name) is not None


def quoted_item(note: ReadNote, unit: NoteUnit) -> SummaryItem:
    """Return the item that quotes a unit; allergies are the patient's under any heading."""
    text = note.said(unit)
    if unit.kind == PERSON:
        item = item_of(text, note.source(unit), unit.start, _FAMILY)
        return _for_other(item).model_copy(update={"vitals": ()})
    is_allergy = note_cues().sections["medicines_allergies"].match(fold_chars(text)) is not None
    is_listed = unit.kind in _OF_HISTORY or _ALLERGY_LABEL.match(fold_chars(text)) is not None
    kind = _ALLERGIES if is_allergy and is_listed else unit.kind
    item = item_of(text, note.source(unit), unit.start, kind)
    if kind == _MEDICATIONS and _is_under_stopped(note.text, unit.start):
        given = tuple(_stopped(m) for m in item.medications)
        item = item.model_copy(update={"medications": given})
    if unit.kind == EARLIER and item.status in _ORDERED:
        item = item.model_copy(update={"status": "past"})
    is_about_relative = unit.kind not in _PLANNED and _is_about_relative(item)
    is_other = is_about_relative or _is_for_other(note, unit)
    return _for_other(item) if is_other else _without_others(item)


def _is_about_relative(item: SummaryItem) -> bool:
    """Return whether a statement is of a relative until it names a medicine, or to its end.

    "His son takes A" is, "his son had it, and he takes A" is not.
    """
    cues, folded = note_cues().assertion, fold_chars(item.text)
    named = [folded.find(fold_chars(m.name)) for m in item.medications]
    whom = cues.of_relative.match(folded)
    until = min((at for at in named if at >= 0), default=len(folded))
    return whom is not None and cues.own_again.search(folded, whom.end(), until) is None


def _without_others(item: SummaryItem) -> SummaryItem:
    """Return an item with what a clause of it says that a relative takes: "; her son is on A"."""
    folded = fold_chars(item.text)
    given: list[NoteMedication] = []
    at = 0
    for one in item.medications:
        at = max(folded.find(fold_chars(one.name), at), at)
        clause = _CLAUSE_END.split(folded[:at])[-1]
        whom = note_cues().assertion.of_relative.match(clause)
        takes = whom and _TAKES.search(clause, whom.end())
        again = whom and note_cues().assertion.own_again.search(clause, whom.end())
        given.append(one.model_copy(update={"status": FOR_OTHER}) if takes and not again else one)
    return item.model_copy(update={"medications": tuple(given)})


def _is_under_stopped(note: str, start: int) -> bool:
    """Return whether a label before several medicines says that they are: "Stopped: A, B"."""
    line = note[max(note.rfind("\n", 0, start), note.rfind(". ", 0, start)) + 1 : start]
    return note_measures().entries.stopped_label.match(fold_chars(line).lstrip()) is not None


def _stopped(medicine: NoteMedication) -> NoteMedication:
    is_taken = medicine.status == "current"
    return medicine.model_copy(update={"status": "stopped"}) if is_taken else medicine


def _for_other(item: SummaryItem) -> SummaryItem:
    """Return an item as one about somebody else than the patient."""
    given = tuple(
        m if m.status == "absent" else m.model_copy(update={"status": FOR_OTHER})
        for m in item.medications
    )
    return item.model_copy(update={"status": "family", "medications": given})


def _is_for_other(note: ReadNote, unit: NoteUnit) -> bool:
    """Return whether a plan is for somebody else: its line begins with whom, or it says so."""
    if note.sections[unit.section].kind not in _PLANNED:
        return False
    cues = note_cues().assertion
    line = note.text[note.text.rfind("\n", 0, unit.start) + 1 : unit.end]
    own = fold_chars(note.said(unit))
    if opens_with_person(note.text, note.said(unit)):
        return True
    whom = cues.others.match(fold_chars(line)) or cues.for_others.search(own)
    if whom is None:
        return False
    before = fold_chars(in_figures(note.text[: note.sections[unit.section].start]).text)
    who = whom.group().removeprefix("for ")
    return _is_of_adult(before) or not may_be_patient(who, before)


def _is_of_adult(before: str) -> bool:
    """Return whether the first person that a note tells of is grown up: "the boy" is another."""
    age = next(sure_ages(before), None)
    if age is not None:
        return age >= ADULT
    return note_cues().assertion.of_adult.match(before) is not None


def item_of(text: str, source: str, offset: int, kind: str) -> SummaryItem:
    """Return an item with what its text says: findings, medicines, vital signs, status."""
    findings = read_note_findings(text, offset, kind)
    medications = read_medications(text, kind)
    status = statement_status(text, findings, kind)
    if (
        kind == PLAN
        and status == "absent"
        and any(m.dose and m.status in _TO_TAKE for m in medications)
    ):
        status = "mixed"  # "No ethambutol. Amikacin 400 mg daily" gives one
    return SummaryItem(
        text=text,
        source=source,
        status=status,
        medications=medications,
        vitals=read_vitals(text),
        findings=findings,
    )
