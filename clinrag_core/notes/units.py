"""Cuts a note into units, the only spans that an item may cite.

A unit is a sentence, a list item or an entry of a medication list, without list sign and heading.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.notes.lexicon import note_cues, note_drugs, note_measures
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.records import NoteUnit
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.notes.records import NoteChunk, NoteSection

_SIGN = re.compile(r"(?:\(?(?:\d{1,2}|[ivx]{1,4})[.)]|\([a-h]\)|[-*\u2022\u25cf\u2013\u2014>]+)\s+")
"""The sign of an item inside a line; those at the begin of lines are found by `lists`."""
_LINE = re.compile(r"[^\r\n]+")
_WORD = re.compile(r"\w")
_OPEN_QUESTION = re.compile(r"(?:^|[\s/(])\?+$")
_SHORTENED = re.compile(r"\b(?:[shdtr]x|pts?|abd|approx|assoc)\.$")
"""Abbreviations of notes that need not end a sentence: "making sx. worse"."""
_INITIAL = re.compile(r"\b(?:mr|mrs|ms|miss|mx|dr|prof)\.? (?:[a-z]\. ?)*[a-z]\.$")
"""A name whose initials end no sentence: "Ms N. A., 28 years"."""
_EXAMINED = frozenset({"exam", "organ"})
_FEW_WORDS = 2
_ENTRY = re.compile(
    r"(?:[,;]|(?<=[a-z)])\s+-\s)\s*(?:and\s+)?|\s+and\s+(?=[^\W\d_])|[^\S\n]*\n\s*(?=[a-z])"
)
_DIGIT = re.compile(r"\d")
_SAID_OF_ALL = re.compile(
    r"\s(?:-|\u2013|both|all) (?:on hold|held|off|stopped|withheld|suspended)\b"
)
"""What is said of all names of a list without doses: "aspirin, clopidogrel - off since"."""
_ONLY_NUMBER = re.compile(r"[,\s]*\d[.)]")
"""The number of a list item that its text was cut from."""
_HARD_LINE = re.compile(r"[^.!?;,\s]\s*$")
_STOPPED = re.compile(r"[^\W\d_]{3,}[.;]\s*$")
"""A line that ends with a word and a stop."""
_UNIT_STOP = re.compile(r"(?:/[Ll]|\b(?:neg|pos))\.(?=[^\S\r\n]+[A-Z\d])")
"""The unit at the end of a sentence, which is no initial: "glucose 3.0 mmol/L."."""
_LONG_LINE = 60
"""Characters from which a line may be wrapped: clinicians' short lines are a statement each."""
_LABEL_REACH = 60
"""Characters before a unit that may hold the label of its line."""
_LONGEST_JOINED = 320
"""Characters of a statement with what goes on about it: "This showed ..."."""


def cut_units(
    note: str, sections: Sequence[NoteSection], chunks: Sequence[NoteChunk]
) -> tuple[NoteUnit, ...]:
    """Return the units of a note, in order and disjoint, each inside one chunk."""
    units: list[NoteUnit] = []
    at = 0
    bodies = {item.start: item.body for one in note_lists(note) for item in one.items}
    for place, section in enumerate(sections):
        for start, end in _statements(note, section, bodies):
            for a, b in (
                _entries(note, start, end) if section.kind == "medications" else [(start, end)]
            ):
                while chunks[at].end <= a:
                    at += 1
                units += _in_chunks(note, a, b, place, at, chunks)
    return tuple(units)


def _statements(
    note: str, section: NoteSection, bodies: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return the spans of the sentences and lines under a heading, without their list signs.

    `bodies` has where the text of each item of a list starts, by the start of its line.
    """
    spans: list[tuple[int, int]] = []
    for block_start, block_end in _blocks(note, section.body, section.end, bodies):
        previous: tuple[int, int] | None = None
        for a, b in sentence_spans(note[block_start:block_end]):
            start, end = block_start + a, block_start + b
            is_joined = previous and _belongs(note, previous, start, end)
            if previous and (is_joined or _is_rest(note, section.kind, previous, start, end)):
                start = previous[0]
                spans.pop()
            previous = (start, end)
            spans.append(previous)
    trimmed = ((_after_sign(note, a, b), _before_break(note, a, b)) for a, b in spans)
    return [
        (a, b)
        for a, b in trimmed
        if _WORD.search(note, a, b) and not _ONLY_NUMBER.fullmatch(note, a, b)
    ]


def _blocks(note: str, start: int, end: int, bodies: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the parts of a section that no sentence crosses.

    Short lines end where they end, and so does a line with a stop; an item of a list begins one.
    """
    lines = [m.span() for m in _LINE.finditer(note, start, end)]
    cuts = [bodies.get(lines[0][0], start)] if lines else [start]
    ends: list[int] = []
    for (a, b), (after, _) in pairwise(lines):
        is_short = b - a < _LONG_LINE
        is_hard = not note[after:].lstrip()[:1].islower() and _HARD_LINE.search(note[a:b])
        if (is_short and is_hard) or after in bodies or _STOPPED.search(note[a:b]):
            ends.append(after)
            cuts.append(bodies.get(after, after))
    for match in _UNIT_STOP.finditer(note, cuts[0], end):
        ends.append(match.end())
        cuts.append(match.end())
    return list(zip(sorted(cuts), [*sorted(ends), end], strict=True))


def _belongs(note: str, previous: tuple[int, int], start: int, end: int) -> bool:
    """Return whether a sentence is one statement with the one before it.

    "? Bell's palsy" is one; "This showed two polyps." says nothing without the sentence before.
    """
    if "\n" in note[previous[1] : start]:
        return False
    before = fold_chars(note[slice(*previous)])
    is_short = len(note[start:end].split()) <= _FEW_WORDS and note[start].islower()
    is_rest = is_short and _SHORTENED.search(before)
    if is_rest or _OPEN_QUESTION.search(before) or _INITIAL.search(before):
        return True
    is_near = end - previous[0] <= _LONGEST_JOINED
    return is_near and note_cues().units.goes_on.match(fold_chars(note[start:end])) is not None


def _is_rest(note: str, kind: str, previous: tuple[int, int], start: int, end: int) -> bool:
    """Return whether a word of an examination belongs to what is said before.

    "Nontender." says nothing without the organ; "No rash." does.
    """
    is_near = "\n" not in note[previous[1] : start] and end - previous[0] <= _LONGEST_JOINED
    words = note[start:end].split()
    return kind in _EXAMINED and is_near and len(words) == 1 and ":" not in words[0]


def _after_sign(note: str, start: int, end: int) -> int:
    """Return where a statement begins, after its list sign and the label of a template."""
    match = _SIGN.match(note, start, end)
    start = match.end() if match else start
    label = note_cues().units.run_in.match(fold_chars(note[start:end]))
    return start + label.end() if label and start + label.end() < end else start


def label_of(note: str, unit: NoteUnit) -> str:
    """Return the folded label of a template right before a unit: "medical treatment: "; else ""."""
    first = max(0, unit.start - _LABEL_REACH)
    line = note[note.rfind("\n", first, unit.start) + 1 or first : unit.start]
    sign = _SIGN.match(line.lstrip())
    label = fold_chars(line.lstrip()[sign.end() if sign else 0 :])
    return label if note_cues().units.run_in.fullmatch(label) else ""


def _before_break(note: str, start: int, end: int) -> int:
    """Return the end of a statement without what an export left of a line break: "well.,"."""
    return start + len(note[start:end].rstrip(", "))


def _entries(note: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the entries of a list of medicines in one sentence; the sentence if it is none."""
    folded = fold_chars(note[start:end])
    table = note_measures().entries
    if not _DIGIT.search(folded) and _SAID_OF_ALL.search(folded):
        return [(start, end)]
    cuts: list[tuple[int, int]] = []
    for match in _ENTRY.finditer(folded):
        rest = folded[match.end() :]
        is_comma = match.group().strip(" and")[:1] in (",", ";", "\n")
        if _depth(folded[: match.start()]) or table.continues.search(rest):
            continue
        if is_comma or _names_medicine(rest):
            cuts.append((match.start(), match.end()))
    named = [a for a, b in _between(cuts, len(folded)) if _names_medicine(folded[a:b])]
    if len(named) <= 1:
        return [(start, end)]
    spans = ((start + a, start + b) for a, b in _between(cuts, len(folded)))
    return [(a, b) for a, b in spans if _WORD.search(note, a, b)]


def _between(cuts: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the spans between separators."""
    starts = [0, *(b for _, b in cuts)]
    ends = [*(a for a, _ in cuts), length]
    return list(zip(starts, ends, strict=True))


def _names_medicine(folded: str) -> bool:
    first = re.split(r"[,;]", folded, maxsplit=1)[0]
    return bool(note_measures().brand.search(first)) or bool(note_drugs().mentions(first))


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def _in_chunks(
    note: str, start: int, end: int, section: int, first: int, chunks: Sequence[NoteChunk]
) -> list[NoteUnit]:
    """Return a span as a unit, or in pieces where no chunk holds all of it."""
    at = first
    while at < len(chunks) and chunks[at].start <= start:
        if chunks[at].end >= end:
            return [NoteUnit(start, end, section, at)]
        at += 1
    units: list[NoteUnit] = []
    at = first
    while start < end:
        cut = min(end, chunks[at].end)
        text = note[start:cut]
        a = start + len(text) - len(text.lstrip())
        b = a + len(text.strip())
        if a < b and _WORD.search(note, a, b):
            units.append(NoteUnit(a, b, section, at))
        start = cut
        at += 1
    return units
