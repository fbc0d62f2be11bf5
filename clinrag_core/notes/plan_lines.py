"""Tells the statements under a plan apart: the name of a problem, reasoning, a recommendation.

"Assessment and plan" holds all three. A name is of kind "assessment", what only describes is
"reasoning"; in doubt a statement stays a recommendation, for one that is lost could hurt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.lexicon import note_care, note_cues, note_findings
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.units import label_of
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSection, NoteUnit

PLAN, PROBLEM, REASONING = "plan", "assessment", "reasoning"
_MAX_NAME = 100
"""Characters of a line that names a problem."""
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
    return tuple(
        u._replace(
            kind=_kind(
                note,
                sections[u.section],
                u,
                PLAN if u.section in templates else sections[u.section].kind,
            )
        )
        for u in units
    )


def _kind(note: str, section: NoteSection, unit: NoteUnit, heading: str) -> str:
    """Return what a unit under a heading of some kind is.

    An impression names problems; only what says plainly what to do is more.
    """
    text = fold_chars(note[unit.start : unit.end])
    if heading == PROBLEM:
        return _of_impression(text)
    if heading != PLAN:
        return heading
    if _is_reasoning(text, label_of(note, unit)):
        return REASONING
    if _is_problem(note, unit, text):
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
    said = _ASIDE.sub(" ", text)  # "TIA (need to exclude a clot)" names a problem
    if cues.acts.search(said) and not _is_reasoning(text, ""):
        return PLAN
    is_told = cues.sentence.match(text) is not None
    is_told = is_told or (len(text) > _MAX_NAME and cues.describes.search(text) is not None)
    return REASONING if is_told or cues.normal.search(text) else PROBLEM


def _is_reasoning(text: str, label: str) -> bool:
    """Return whether a statement only describes: it says nothing to do, and doses nothing."""
    cues = note_cues().plan
    of_whom = note_cues().sections["patient_snapshot"]
    if cues.empty.search(text) or _is_told(text):
        return True
    if any(
        (
            cues.labelled_reasoning.match(label + text),
            cues.courtesy.search(text),
            of_whom.search(text),
        )
    ):
        return cues.orders.search(text) is None
    if cues.directs.search(text) or not cues.describes.search(text):
        return False
    return not _treats(text)


def _is_told(text: str) -> bool:
    """Return whether a statement tells how things are, and orders nothing beside that."""
    cues = note_cues().plan
    told = cues.told.search(text)
    if told is None or cues.orders.search(text):
        return False
    return cues.directs.search(text[: told.start()] + text[told.end() :]) is None


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
