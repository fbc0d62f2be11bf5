"""Which statements frame a note and say nothing of the patient: its title, address and signature.

A title is one of the first lines, in capitals or with a word for notes or places ("Chest clinic
letter"), without an age, a finding, a medicine or a figure. A signature is what follows a closing
formula at the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans
from clinrag_core.notes.lexicon import note_cues, note_findings
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSection, NoteUnit

_COLON = re.compile(r":(?!\d)")
"""What makes a line more than a title; a time has one as well."""
_LINE = re.compile(r"[^\r\n]+")
_UNTITLED = frozenset({"overview", ""})
_MOST_LINES = 8
"""Lines of a letterhead."""
_MOST_WORDS = 12
_LONGEST_FIELD = 90
"""Characters of a line of a letterhead; a longer one is of a paragraph."""
_MOST_SIGNED = 400
"""Characters of a signature with names, offices and copies."""


def frame_of(note: str, first: NoteSection, units: Sequence[NoteUnit]) -> frozenset[int]:
    """Return the places of the units that are a title or a signature.

    `first` is the first section of the note: a title is no part of what a heading is above.
    """
    head = min(_end_of_title(note), first.end) if first.kind in _UNTITLED else 0
    fields = _lines_of_fields(note)
    foot = _start_of_signature(note)
    return frozenset(
        place
        for place, unit in enumerate(units)
        if unit.end <= head
        or any(start <= unit.start < end for start, end in fields)
        or (unit.start >= foot and not _orders(note, unit))
    )


def _lines_of_fields(note: str) -> list[tuple[int, int]]:
    """Return the lines of a letterhead with a label such as "From:", up to the first paragraph."""
    found: list[tuple[int, int]] = []
    for line in _LINE.finditer(note):
        if len(found) > _MOST_LINES or len(line.group()) > _LONGEST_FIELD:
            break
        is_field = note_cues().frame.fields.match(fold_chars(line.group())) is not None
        if is_field and _is_title(line.group()):
            found.append(line.span())
    return found


def _end_of_title(note: str) -> int:
    """Return where the title of a note ends; 0 where it has none."""
    end = 0
    lines = _LINE.finditer(note)
    for _ in range(_MOST_LINES):
        line = next(lines, None)
        if line is None or line.end() == len(note.rstrip()) or not _is_title(line.group()):
            return end
        end = line.end()
    return end


def _is_title(line: str) -> bool:
    """Return whether a line names a note and says nothing of the patient."""
    text = fold_chars(line)
    is_field = note_cues().frame.fields.match(text) is not None
    is_named = line.isupper() or note_cues().frame.titles.search(text) is not None
    is_long = len(text.split()) > _MOST_WORDS
    if not is_field and (not is_named or is_long or _COLON.search(line)):
        return False
    is_of_whom = note_cues().sections["patient_snapshot"].search(text)
    has_readings = read_vitals(text) or read_medications(text, "")
    found = concept_spans(text, note_findings().findings)
    return not (is_of_whom or has_readings or found or note_cues().frame.persons.search(text))


def _start_of_signature(note: str) -> int:
    """Return where the signature of a note begins; its end where it has none."""
    closing = [
        line.start()
        for line in _LINE.finditer(note, max(0, len(note) - _MOST_SIGNED))
        if note_cues().frame.closings.match(fold_chars(line.group()))
    ]
    return closing[0] if closing else len(note)


def _orders(note: str, unit: NoteUnit) -> bool:
    """Return whether a statement behind a closing formula still orders something."""
    return note_cues().blocks.orders.search(fold_chars(note[unit.start : unit.end])) is not None
