"""Files each unit of a note under one of the seven sections of the summary.

The heading decides where it says it; under a history, and without a heading, the words do.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.facts.dosed_names import has_dose, is_only_length
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.blocks import is_seen
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.day_entries import EARLIER
from clinrag_core.notes.frame import frame_of
from clinrag_core.notes.households import PERSON
from clinrag_core.notes.lexicon import note_cues, note_findings, note_headers
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.of_whom import is_of_patient
from clinrag_core.notes.plan_lines import CLOSING, PLAN, PROBLEM
from clinrag_core.notes.results import is_result, names_test_first
from clinrag_core.notes.shorthand import in_full
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSection, NoteUnit, SummarySection

_BY_CONTENT = frozenset({"", "overview", "history", "complaint"})
"""Kinds of headings under which anything may be written."""
_NAME_OF_OPERATION = 400
"""Characters under "PROCEDURE" above which it is described, not named."""
_NARRATED = frozenset({"narrative", "operation", "outcome"})
_LABELLED = frozenset({"exam", "review", "labs", "results", "imaging"})
"""Kinds of headings under which an organ or a test alone on a line heads a list."""
_LEADS_LIST = re.compile(r"\s*\r?\n\s*[-\u2022\u25cf*\u2013]\s")
_TABLE_RULE = re.compile(r"[ |]*\r?\n[ ]*\|?[ :|-]*---[ :|-]*(?:\r?\n|$)")
"""What follows the row of a table that names its columns."""
_LABEL_WORDS = 4
_FIRST = 3
"""Statements at the begin of a note that may only say when and where it was written."""
_LABELS = frozenset(
    {"history", "past", "family", "social", "medications", "allergies", "vitals", "results", "exam"}
)
"""Kinds of headings that are labels inside a paragraph as well."""
_NAMED_BY_LABEL = frozenset({"assessment", "problems", "results", "labs", "imaging"})
_KEPT_OF_OWN_LABEL = frozenset({"pertinent_history", "medicines_allergies"})
"""Sections of a label inside a paragraph under a heading of results or problems."""
_PARTS = re.compile(r"[,/&:\s]+(?:and\s+)?")
_TITLED = frozenset({"history", "past", "surgical", "family", "social", "review"})
"""Kinds of headings under which others stand alone on a line: "Gynecologic History"."""
_KINDS_OF_HISTORY = frozenset({"medical", "surgical", "obstetric", "psychiatric"})
_REPORTED = frozenset({"finding", "findings"})
"""Headings of what an image shows, in a note of no operation."""
_UNLABELLED = frozenset({"", "overview"})
_LEAST_DONE, _SHARE_DONE = 3, 4
"""Statements of how an operation was done, and their share, that make a section a description."""
_HISTORY = frozenset({"history", "complaint"})
_OF_TESTS = frozenset({"labs", "results"})
_KEPT = frozenset({"past", "surgical", "family", "social", "review"})
_FROM_HISTORY: tuple[SummarySection, ...] = ("labs_imaging",)
_ORDER: tuple[SummarySection, ...] = ("labs_imaging", "medicines_allergies", "objective_findings")
_LABEL = re.compile(r"(?P<label>[a-z][a-z /&'-]{1,30}?)(?:, [a-z ]{1,20})?\s?:\s")
"""A label inside a paragraph, before its text: "home tablets, all held: "."""


def classify_units(
    note: str, sections: Sequence[NoteSection], units: Sequence[NoteUnit]
) -> tuple[SummarySection | None, ...]:
    """Return the section of the summary for each unit; None for what no section has a place for."""
    found: list[SummarySection | None] = []
    has_complaint = any(s.kind == "complaint" for s in sections)
    narrated = _of_operations(note, sections, units)
    frame = frame_of(note, sections[0], units)
    is_operation = any(s.kind in _NARRATED for s in sections)
    for place, unit in enumerate(units):
        section = sections[unit.section]
        text = in_full(note[unit.start : unit.end])
        is_first = place == 0 or units[place - 1].section != unit.section
        is_label = section.kind in _LABELLED and _is_label(note, unit)
        is_label = is_label or _TABLE_RULE.match(note, unit.end) is not None
        is_mute = place in frame or is_label or _is_heading(note, unit, section.kind)
        is_place = place < _FIRST and note_cues().frame.places.fullmatch(text) is not None
        if is_mute or is_place or _says_nothing(text):
            found.append(None)
        elif unit.kind == CLOSING:
            found.append("pertinent_history" if _is_clinical(text) else None)
        elif unit.kind in (PERSON, EARLIER) or is_only_length(text):
            found.append("pertinent_history")
        elif section.inferred and unit.kind not in (PLAN, PROBLEM) and is_of_patient(text):
            found.append("patient_snapshot")
        elif section.title.lower() in _REPORTED and not is_operation:
            found.append("labs_imaging")
        elif unit.section in narrated:
            found.append(_narrated(text))
        elif section.kind not in _BY_CONTENT:
            found.append(_under_heading(text, section))
        else:
            is_begin = place == 0 and not has_complaint and _names_illness(text)
            is_complaint = is_first and (section.kind == "complaint" or is_begin)
            found.append(_by_content(text, section.kind, is_complaint=is_complaint))
    return tuple(found)


def _is_label(note: str, unit: NoteUnit) -> bool:
    """Return whether a unit is the name of what a list under it is about."""
    said = note[unit.start : unit.end]
    parts = [part for part in _PARTS.split(fold_chars(said)) if part]
    if all(note_headers().kinds["organ"].names.fullmatch(part) for part in parts):
        return True
    is_short = len(said.split()) <= _LABEL_WORDS and said[-1:].isalnum()
    before = note[: unit.start].rstrip(" \t")
    return is_short and before[-1:] in ("\n", "") and bool(_LEADS_LIST.match(note, unit.end))


def _is_heading(note: str, unit: NoteUnit, kind: str) -> bool:
    """Return whether a unit alone on its line is a known heading of another level."""
    line = note[note.rfind("\n", 0, unit.start) + 1 : (note.find("\n", unit.end) + 1 or len(note))]
    said = fold_chars(note[unit.start : unit.end]).strip(" .:")
    if kind not in _TITLED or line.strip(" .:\r\n\t").lower() != said:
        return False
    return said in _KINDS_OF_HISTORY or note_headers().kind_of(said) in _TITLED


def _says_nothing(text: str) -> bool:
    """Return whether a statement is no fact of the patient: consent, courtesy, dictation."""
    cues = note_cues()
    if cues.units.announces.fullmatch(text):
        return True
    if cues.plan.orders.search(text) or _refers(text):
        return False
    return any(e.search(text) for e in (cues.units.says_nothing, cues.plan.courtesy))


def _refers(text: str) -> bool:
    """Return whether a word of thanks says whom it is about, or what somebody is referred with."""
    if note_cues().frame.referred.search(text) is None:
        return False
    if is_of_patient(text):
        return True
    return _names_illness(text)


def _is_clinical(text: str) -> bool:
    """Return whether a statement names an illness, a medicine or care, or denies or asks anything.

    What closes a note says as often who was present, or who has a key.
    """
    cues = note_cues()
    words = (cues.assertion.negation, cues.blocks.orders, cues.plan.scope)
    is_care = any(one.names.search(text) for one in note_care().measures.values())
    is_said = is_care or is_seen(text) or any(one.search(text) for one in words)
    return is_said or _names_illness(text) or bool(read_medications(text, ""))


def _names_illness(text: str) -> bool:
    """Return whether a statement names a disease, a condition or a symptom."""
    known = (finding_lexicon().conditions, note_findings().findings)
    return any(concept_spans(text, table) for table in known) or bool(diseases(text))


def _under_heading(text: str, section: NoteSection) -> SummarySection | None:
    """Return the section of a unit under a heading that decides it; allergies are said anywhere."""
    kind = section.kind
    is_after = kind in _NARRATED and note_cues().operations.afterwards.search(text)
    if is_after or (kind == "outcome" and note_cues().plan.acts.search(text)):
        return "assessment"
    is_long = section.end - section.body > _NAME_OF_OPERATION
    is_narrated = kind == "operation" and (is_long or note_cues().operations.narrated.search(text))
    if kind == "narrative" or is_narrated:
        return _of_operation(text)
    if kind == "exam" and _is_only_result(text):
        return "labs_imaging"
    is_of_other = kind == "medications" and not read_medications(text, kind)
    is_measured = kind in _OF_TESTS and read_vitals(text) and not is_result(text)
    is_seen_here = (kind == "exam" and section.inferred) or (is_of_other and _is_elsewhere(text))
    if is_measured or is_seen_here:
        return "objective_findings" if is_measured else _seen_or_said(text)
    if kind == "assessment" and section.inferred and not _is_thought(text):
        return _by_content(text, "", is_complaint=False)
    return _section_of_own_label(text, kind) or note_headers().kinds[kind].section


def _is_only_result(text: str) -> bool:
    """Return whether a statement is a result of a test and says nothing of an examination."""
    seen = note_cues().sections["objective_findings"]
    return is_result(text) and not read_vitals(text) and seen.search(text) is None


def _section_of_own_label(text: str, kind: str) -> SummarySection | None:
    """Return the section that a statement itself names under a heading of other things."""
    if kind in _KEPT and note_cues().sections["medicines_allergies"].match(text):
        return "medicines_allergies"
    labelled = _labelled(text) if kind in _NAMED_BY_LABEL else None
    return labelled if labelled in _KEPT_OF_OWN_LABEL else None


def _is_thought(text: str) -> bool:
    """Return whether a statement concludes, weighs or orders something, or names a disease."""
    cues = note_cues()
    own = (cues.blocks.concludes, cues.blocks.weighs, cues.blocks.orders, cues.plan.directs)
    return any(one.search(text) for one in own) or bool(diseases(text))


def _is_elsewhere(text: str) -> bool:
    """Return whether a statement in a list of medicines is a finding or a habit."""
    is_habit = note_cues().frame.habits.match(text) is not None
    return is_habit or (is_seen(text) and not has_dose(text))


def _seen_or_said(text: str) -> SummarySection:
    """Return the section of a statement among findings that no heading leads."""
    if note_cues().sections["objective_findings"].search(text) and not is_of_patient(text):
        return "objective_findings"
    if note_cues().frame.habits.match(text):
        return "pertinent_history"
    section = _by_content(text, "", is_complaint=False)
    is_reported = _reports_illness(text) or note_cues().blocks.background.search(text)
    is_unsaid = section == "pertinent_history" and not is_reported
    return "objective_findings" if is_unsaid else section


def _reports_illness(text: str) -> bool:
    """Return whether a statement says what somebody has or feels: "She has no cough"."""
    return note_cues().frame.subjects.match(text) is not None and _names_illness(text)


def _of_operations(
    note: str, sections: Sequence[NoteSection], units: Sequence[NoteUnit]
) -> frozenset[int]:
    """Return the sections without a heading whose words describe an operation."""
    done: Counter[int] = Counter()
    for unit in units:
        if sections[unit.section].kind in _UNLABELLED:
            text = fold_chars(note[unit.start : unit.end])
            done[unit.section] += note_cues().operations.done.search(text) is not None
    sizes = Counter(unit.section for unit in units)
    return frozenset(s for s, n in done.items() if n >= _LEAST_DONE and _SHARE_DONE * n >= sizes[s])


def _labelled(text: str) -> SummarySection | None:
    """Return the section that the label of a statement inside a paragraph names."""
    label = _LABEL.match(text)
    if label is None:
        return None
    headers = note_headers()
    kind = headers.kind_of(label["label"]) or headers.kind_of_part(label["label"])
    return headers.kinds[kind].section if kind is not None and kind in _LABELS else None


def _narrated(text: str) -> SummarySection | None:
    """Return the section of a statement of the description of an operation."""
    cues = note_cues()
    if cues.operations.afterwards.search(text) or cues.plan.acts.search(text):
        return "assessment"
    return _of_operation(text)


def _of_operation(text: str) -> SummarySection | None:
    """Return where the description of an operation states its result; None for how it was done."""
    operations = note_cues().operations
    is_result = operations.ended.search(text) or (
        operations.showed.search(text) and not operations.done.search(text)
    )
    if is_result:
        return "objective_findings"
    is_given = operations.given.search(text) and not operations.done.search(text)
    return "medicines_allergies" if is_given and read_medications(text, "") else None


def _by_content(text: str, kind: str, *, is_complaint: bool) -> SummarySection:
    """Return the section of a unit by its label, else by its words."""
    cues = note_cues().sections
    if is_of_patient(text):
        return "patient_snapshot"
    labelled = _labelled(text)
    if labelled is not None:
        return labelled
    for name in _FROM_HISTORY if kind in _HISTORY else _ORDER:
        if name == "labs_imaging" and not is_result(text):
            continue
        if cues[name].search(text) or (name == "labs_imaging" and names_test_first(text)):
            return name
    if kind in _HISTORY and cues["medicines_allergies"].match(text):
        return "medicines_allergies"
    if kind != "history" and read_vitals(text) and not _reports_illness(text):
        return "objective_findings"
    return "key_problems" if is_complaint else "pertinent_history"
