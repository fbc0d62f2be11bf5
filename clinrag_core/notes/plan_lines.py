"""Tells the statements under a plan apart: the name of a problem, reasoning, a recommendation.

"Assessment and plan" holds all three. A name is of kind "assessment", what only describes is
"reasoning"; in doubt a statement stays a recommendation, for one that is lost could hurt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from clinrag_core.facts.indications import diseases
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.households import PERSON, person_lines
from clinrag_core.notes.lexicon import note_cues, note_findings
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.of_whom import is_of_patient
from clinrag_core.notes.shorthand import in_full
from clinrag_core.notes.units import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.lists import NoteList
    from clinrag_core.notes.records import NoteSection, NoteUnit

_PlaceInPlan = Literal["listed", "behind", ""]

_NUMBERED = re.compile(r"#\d{1,2}\b")
"""Sign of a list of problems: "#2 HIV"."""
_LABELLED = re.compile(r"[:.]\s+\S")
"""What such a line goes on with where it says what is done as well."""
PLAN, PROBLEM, REASONING, CLOSING = "plan", "assessment", "reasoning", "closing"
"""Kinds of statements under a plan; `CLOSING`: who was informed, behind the list of acts."""
_UNNAMED = frozenset({"", "overview"})
"""Kinds of headings that say nothing, of what closes a note behind its plan."""
_MEDICATIONS = "medications"
_MOSTLY = 0.8
"""Part of an item of a list of acts that a report must be for the item to be none."""
_LONGEST_ITEM = 320
"""Characters of the sentences of a list item that are one recommendation."""
_LONGEST_PERSON = 600
"""Characters of what a line says of one person of a household."""
_LEAST_LISTED = 3
"""Items of a list that is all of a plan."""
_MAX_NAME = 100
"""Characters of a line that names a problem."""
_BLANK = re.compile(r"\n[^\S\n]*\n")
_LEADS_SIGNS = re.compile(r"[.:]?[^\S\n]*\r?\n\s*[\u2022\u25cf*\u2013-]\s")
_LEADS_NUMBERS = re.compile(r"[.:]?[^\S\n]*\r?\n\s*\d{1,2}[.)]\s")
"""What follows a line that a list is about."""
_AFTER_NAME = re.compile(
    r"[^\w,]*(?:$|,|\b(?:and|of|with|without|due|secondary|type|in|on|at|after|from|by)\b)"
)
_HEAD_WORDS = 6
_PARAGRAPH = re.compile(r"[^\S\n]*:?[^\S\n]*\n[A-Z][^\n]{15,}\.")
"""What follows the name of a problem on a line of its own."""
_FEW_WORDS = 3
_ASSESSES = re.compile(r"assess|impression|diagnos")
"""Titles under which a bare name of a few words is a problem, as "BPH" is."""
_ASIDE = re.compile(r"\([^()]*\)")
_LINE_START = re.compile(r"(?:^|\n)[^\S\n]*$")
_NUMBER = re.compile(r"(?:^|\n)[^\S\n]*\d{1,2}[.)][^\S\n]*$")


def with_kinds(
    note: str, sections: Sequence[NoteSection], units: Sequence[NoteUnit]
) -> tuple[NoteUnit, ...]:
    """Return units with their kind: that of their heading, distinguished under a plan.

    An assessment with the labels of a template ("Medical treatment:") is a plan as well.
    """
    templates = {
        u.section for u in units if sections[u.section].kind == PROBLEM and label_of(note, u)
    }
    lists = note_lists(note)
    planned = [place for place, section in enumerate(sections) if section.kind == PLAN]
    last = planned[-1] if planned else len(sections)
    made: list[NoteUnit] = []
    for unit in units:
        section = sections[unit.section]
        heading = PLAN if unit.section in templates else section.kind
        place = _place_of(note, section, unit, lists)
        kind = _kind(note, section, unit, heading, place)
        is_closing = unit.section > last and kind in _UNNAMED
        made.append(unit._replace(kind=CLOSING if is_closing else kind))
    return _joined(note, _of_people(note, made))


def _place_of(
    note: str, section: NoteSection, unit: NoteUnit, lists: Sequence[NoteList]
) -> _PlaceInPlan:
    """Return where a unit is in the list of its section."""
    own = [one.items for one in lists if section.start <= one.items[0].start < section.end]
    if not own or _ASSESSES.search(section.title.lower()):
        return ""
    whole = [items for items in own if len(items) >= _LEAST_LISTED]
    if any(i.start <= unit.start < i.end for items in whole for i in items):
        return "listed"
    last = own[-1]
    is_apart = _BLANK.search(note, last[-1].end, max(unit.start, last[-1].end)) is not None
    return "behind" if is_apart and last in whole else ""


def _of_people(note: str, units: Sequence[NoteUnit]) -> list[NoteUnit]:
    """Return units, the sentences of a line about somebody else as one: it opens with whom."""
    people = person_lines(note)
    made: list[NoteUnit] = []
    owner = None
    for unit in units:
        before = owner
        owner = next((p for p in people if p.start <= unit.start < p.end), None)
        if owner is None:
            made.append(unit)
            continue
        last = made[-1] if made else unit
        is_one = before == owner and (last.section, last.chunk) == (unit.section, unit.chunk)
        if is_one and unit.end - last.start <= _LONGEST_PERSON:
            made[-1] = last._replace(end=unit.end)
        else:
            made.append(unit._replace(kind=PERSON))
    return made


def _joined(note: str, units: Sequence[NoteUnit]) -> tuple[NoteUnit, ...]:
    """Return units with the sentences of a list item under a plan as one.

    "Infant brother: well. Give isoniazid." is about the brother in both sentences.
    """
    bodies = {i.body: i.end for one in note_lists(note) for i in one.items}
    joined: list[NoteUnit] = []
    until = -1
    for unit in units:
        if unit.kind == PLAN and unit.start in bodies:
            until = bodies[unit.start]
        elif joined and unit.end <= until and unit.kind in (PLAN, REASONING):
            is_one = unit.end - joined[-1].start <= _LONGEST_ITEM
            if is_one and joined[-1].chunk == unit.chunk and not label_of(note, unit):
                joined[-1] = joined[-1]._replace(end=unit.end)
                continue
            until = -1
        else:
            until = -1
        joined.append(unit)
    return tuple(joined)


def _kind(
    note: str, section: NoteSection, unit: NoteUnit, heading: str, place: _PlaceInPlan
) -> str:
    """Return what a unit under a heading of some kind is.

    An impression names problems; only what says plainly what to do is more. A statement behind the
    list of a plan is one of it only where it orders something.
    """
    text = in_full(note[unit.start : unit.end])
    if heading == PROBLEM:
        return _of_impression(text)
    if heading != PLAN:
        is_change = heading == _MEDICATIONS and note_cues().plan.changes.match(text)
        return PLAN if is_change else heading
    if place == "behind" and not _is_order(text):
        return CLOSING
    is_named = _NUMBERED.match(text) is not None and not _LABELLED.search(text)
    if not is_named and _is_reasoning(text, label_of(note, unit), is_listed=place == "listed"):
        return REASONING
    if is_named or _is_problem(note, unit, text):
        return PROBLEM
    is_bare = len(text.split()) <= _FEW_WORDS and not note_cues().plan.recommends.search(text)
    is_joint = _ASSESSES.search(section.title.lower()) is not None
    is_act = _names_medicine(text) or _names_test(text)
    return PROBLEM if is_bare and is_joint and not is_act else PLAN


def _of_impression(text: str) -> str:
    """Return what a statement under an impression is."""
    cues = note_cues().plan
    if cues.problem_anyway.search(text):
        return PROBLEM
    if cues.scope.search(text):
        return PLAN
    said = _ASIDE.sub(
        " ", cues.considers.sub(" ", text)
    )  # "TIA (need to exclude a clot)" names a problem
    if cues.acts.search(said) and not _is_reasoning(text, ""):
        return PLAN
    is_narrative = cues.sentence.match(text) is not None
    first = text.partition(",")[0]
    is_named = first != text and bool(diseases(first)) and not cues.describes.search(first)
    if is_named and not is_narrative and not cues.normal.search(first):
        return PROBLEM  # "pneumonia, improving"
    is_sentence = cues.describes.search(text) is not None
    is_narrative = is_narrative or (
        is_sentence and (len(text) > _MAX_NAME or not _names_problem(text))
    )
    return REASONING if is_narrative or cues.normal.search(text) else PROBLEM


def _is_order(text: str) -> bool:
    """Return whether a statement says plainly what is to be done or how far care goes."""
    cues = note_cues()
    return any(
        one.search(text)
        for one in (cues.blocks.orders, cues.plan.scope, cues.plan.appointed, cues.plan.safety_net)
    )


def _is_reasoning(text: str, label: str, *, is_listed: bool = False) -> bool:
    """Return whether a statement only describes: it says nothing to do, and doses nothing.

    An item of a list of acts is an act, whatever verb it has.
    """
    cues = note_cues().plan
    of_whom = is_of_patient(text)
    if cues.empty.search(text) or _only_reports(text, _MOSTLY if is_listed else 0.0):
        return True
    if is_listed and of_whom:
        return False
    if any(
        (
            cues.labelled_reasoning.match(label + text),
            cues.courtesy.search(text),
            of_whom,
        )
    ):
        return cues.orders.search(text) is None
    if is_listed or cues.directs.search(text) or not cues.describes.search(text):
        return False
    return not _treats(text)


def _only_reports(text: str, part: float) -> bool:
    """Return whether a statement reports how things are, and orders nothing as well.

    `part` is how much of it the report must be at least.
    """
    cues = note_cues().plan
    report = cues.reports.search(text)
    if report is None or cues.orders.search(text):
        return False
    if len(report.group()) < part * len(text):
        return False
    return cues.directs.search(text[: report.start()] + text[report.end() :]) is None


def _is_problem(note: str, unit: NoteUnit, text: str) -> bool:
    """Return whether a short statement without a verb names a problem."""
    cues = note_cues().plan
    if len(text) > _MAX_NAME or cues.describes.search(text) or _names_test(text):
        return False
    if cues.problem_anyway.search(text):
        return True
    is_head = _leads_list(note, unit) or _heads_paragraph(note, unit)
    if is_head and not cues.directs.search(text):
        return True
    if cues.recommends.search(text) or _names_medicine(text):
        return False
    return _leads_list(note, unit) or _names_problem(text)


def _leads_list(note: str, unit: NoteUnit) -> bool:
    """Return whether a list follows a line, which is not an item of the same list."""
    before = note[max(0, unit.start - _MAX_NAME) : unit.start]
    if _LINE_START.search(before):
        return any(form.match(note, unit.end) for form in (_LEADS_SIGNS, _LEADS_NUMBERS))
    return bool(_NUMBER.search(before) and _LEADS_SIGNS.match(note, unit.end))


def _heads_paragraph(note: str, unit: NoteUnit) -> bool:
    """Return whether a unit is a short line without a stop, right above a paragraph."""
    is_short = len(note[unit.start : unit.end].split()) <= _HEAD_WORDS
    above, below = note[: unit.start].rstrip(" \t"), note[unit.end :]
    return is_short and above.endswith("\n\n") and _PARAGRAPH.match(below) is not None


def _treats(text: str) -> bool:
    """Return whether a description says more of a medicine than that it is taken."""
    return any(m.dose or m.status != "current" for m in read_medications(text, ""))


def _names_medicine(text: str) -> bool:
    return bool(read_medications(text, ""))


def _names_test(text: str) -> bool:
    """Return whether a text names a test or other care, and no result of it."""
    is_named = any(one.names.search(text) for one in note_care().measures.values())
    return is_named and note_cues().plan.measured.search(text) is None


def _names_problem(text: str) -> bool:
    """Return whether a short text without a verb is the name of a condition or symptom.

    The condition ends it, or a phrase about it follows: "sputum samples" names none, nor does what
    is "for" a condition.
    """
    if " for " in text:
        return False
    known = (finding_lexicon().conditions, note_findings().findings)
    ends = [span.end for table in known for span in concept_spans(text, table)]
    ends += [match.end() for match in note_cues().plan.problem.finditer(text)]
    return any(_AFTER_NAME.match(text, end) for end in ends)
