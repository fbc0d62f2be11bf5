"""Sections by what a note says, where no heading says it.

Text before the first heading, under a heading that no table knows, and after a blank line under the
last heading of a history is cut where the block of its statements changes (`blocks`); the name of
the block is the title. A heading that no table knows keeps its words and gets the kind of its text.
A generator may decide instead in a note without headings, as in the seed; its words are never a
title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from clinrag_core.notes.acting_lists import with_acting_list
from clinrag_core.notes.blocks import Block, block_of, blocks_of, is_seen
from clinrag_core.notes.chunks import cut_chunks
from clinrag_core.notes.frame import frame_of
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.records import OVERVIEW, NoteSection, NoteUnit, SummarySection
from clinrag_core.notes.units import cut_units
from clinrag_core.text.normalise import fold_chars

SectionStart = tuple[int, SummarySection]
"""Place of the unit that a section begins with, and what the section is."""
SectionFinder = Callable[[str, Sequence[NoteUnit]], Sequence[SectionStart]]
"""Returns where the sections of a note begin."""
_TITLES: dict[SummarySection, tuple[str, str]] = {
    "key_problems": ("Problems", "problems"),
    "pertinent_history": ("History", "history"),
    "medicines_allergies": ("Medications", "medications"),
    "objective_findings": ("Examination", "exam"),
    "labs_imaging": ("Results", "results"),
    "assessment": ("Assessment and plan", "plan"),
}
_BLOCKS: dict[Block, tuple[str, str]] = {
    "background": (OVERVIEW, "overview"),
    "findings": ("Examination", "exam"),
    "assessment": ("Assessment", "assessment"),
    "plan": ("Plan", "plan"),
}
"""Title and kind of a section that is a block."""
_MEDICATIONS = "medications"
_BLANK = re.compile(r"\r?\n[^\S\n]*\r?\n")
_LABEL = re.compile(r"\n(?=[A-Z][A-Za-z/ ()-]{1,30}: \S)")
_MOSTLY = 0.5
"""Share of the statements under a heading that name doses which make it one of medicines."""
_SHORT = frozenset({"social", "family", "allergies", "medications", "past", "surgical"})
"""Kinds of headings of histories that clinicians write in a line."""
_OF_WHOM = frozenset({"identification", "complaint"})
"""Kinds of labels inside a line that another label inside a line ends: "Age: 31", "Film: clear"."""
_NARRATIVE_KINDS = frozenset({"history", "problems", "assessment"})
"""Kinds of labels whose paragraph is one of several that no label leads, as in a letter."""
_IN_A_LINE = frozenset({*_SHORT, *_OF_WHOM, *_NARRATIVE_KINDS, "vitals"})
"""Kinds of labels inside a line, whose text ends with a blank line."""
_UNDECIDED = frozenset({"", "overview"})
_SEEN_OR_PLANNED = frozenset({"plan", "assessment", "exam"})


def infer_sections(
    note: str, sections: Sequence[NoteSection], finder: SectionFinder | None = None
) -> tuple[NoteSection, ...]:
    """Return the sections of a note with those decided that no heading decides.

    `finder`, if given, decides instead of the rules in a note without any heading.
    """
    if finder and len(sections) == 1 and sections[0].kind == "overview":
        return _found(note, sections, finder)
    decided: list[NoteSection] = []
    for section in _with_rest(note, _with_paragraphs(note, sections)):
        decided += _decided(note, section) if section.kind in _UNDECIDED else [section]
    return with_acting_list(note, decided)


def _with_paragraphs(note: str, sections: Sequence[NoteSection]) -> Iterator[NoteSection]:
    """Yield sections, those of a label inside a line without the paragraphs after a blank line.

    "Usual tablets: aspirin 75 mg" is about its line; what follows a blank line is undecided.
    """
    for place, section in enumerate(sections):
        is_inline = bool(note[section.body : note.find("\n", section.body)].strip())
        is_label = is_inline and section.kind in _IN_A_LINE
        end = _end_of_label(note, section) if is_label else None
        is_last = place + 1 == len(sections) and section.kind in _SHORT - {_MEDICATIONS}
        if end is None or is_last or not note[end : section.end].strip():
            yield section
            continue
        yield section.model_copy(update={"end": end})
        yield NoteSection(title=OVERVIEW, kind="overview", start=end, body=end, end=section.end)


def _end_of_label(note: str, section: NoteSection) -> int | None:
    """Return where the text of a label inside a line ends; None where its section does.

    That is at a blank line, and under medicines at a line that names none and has a finding.
    """
    blank = _BLANK.search(note, section.body, section.end)
    until = blank.end() if blank else section.end
    if section.kind in _OF_WHOM and (label := _LABEL.search(note, section.body, until)):
        return label.start() + 1
    if section.kind == _MEDICATIONS:
        at = note.find("\n", section.body, until) + 1
        while 0 < at < until:
            after = note.find("\n", at, until) + 1 or until
            line = note[at:after]
            if is_seen(fold_chars(line)) and not read_medications(line, _MEDICATIONS):
                return at
            at = after
    return blank.end() if blank else None


def _found(
    note: str, sections: Sequence[NoteSection], finder: SectionFinder
) -> tuple[NoteSection, ...]:
    """Return the sections of a note without headings that a generator finds."""
    units = cut_units(note, sections, cut_chunks(note, sections))
    starts: list[tuple[int, str, str]] = [(0, OVERVIEW, "overview")]
    for place, name in finder(note, units):
        title, kind = _TITLES.get(name, (OVERVIEW, "overview"))
        if kind != starts[-1][2]:
            starts.append((units[place].start if place else 0, title, kind))
    ends = [*(start for start, _, _ in starts[1:]), len(note)]
    return tuple(
        NoteSection(title=t, kind=k, start=s, body=s, end=e, inferred=len(starts) > 1)
        for (s, t, k), e in zip(starts, ends, strict=True)
        if e > s or len(starts) == 1
    )


def _decided(note: str, section: NoteSection) -> Iterator[NoteSection]:
    """Yield an undecided section in parts, each of one block."""
    units = cut_units(note, [section], cut_chunks(note, [section]))
    frame = frame_of(note, section, units) if section.start == 0 else frozenset[int]()
    content = [unit for place, unit in enumerate(units) if place not in frame]
    if section.kind == "" and content:
        kind = _BLOCKS[block_of(note, content)][1]
        if kind == "overview":
            kind = _MEDICATIONS if _is_of_medicines(note, content) else ""
        yield section.model_copy(update={"kind": kind, "inferred": kind == "exam"})
        return
    blocks = blocks_of(note, content)
    starts = [(section.start, section.title, section.kind)]
    for unit, block in zip(content, blocks, strict=True):
        title, kind = _BLOCKS[block]
        if kind != starts[-1][2]:
            line = note.rfind("\n", 0, unit.start) + 1
            is_first = not any(line <= other.start < unit.start for other in units)
            at = section.start if unit == units[0] else line if is_first else unit.start
            starts.append((at, title, kind))
    starts = [
        one for at, one in enumerate(starts) if at + 1 == len(starts) or starts[at + 1][0] > one[0]
    ]
    ends = [*(start for start, _, _ in starts[1:]), section.end]
    for place, ((start, title, kind), end) in enumerate(zip(starts, ends, strict=True)):
        yield NoteSection(
            title=title,
            kind=kind,
            start=start,
            body=start if place else section.body,
            end=end,
            inferred=len(starts) > 1 or title != section.title,
        )


def _is_of_medicines(note: str, units: Sequence[NoteUnit]) -> bool:
    """Return whether most statements under a heading are of medicines with their doses."""
    said = [note[unit.start : unit.end] for unit in units]
    dosed = [text for text in said if any(m.dose for m in read_medications(text, ""))]
    return _MOSTLY * len(said) < len(dosed)


def _with_rest(note: str, found: Iterator[NoteSection]) -> tuple[NoteSection, ...]:
    """Return sections with what follows a blank line under the last history as one undecided.

    That is so in a note without headings of an examination or a plan, where something is ordered
    there: "SH: lives alone", then "Looks well", then advice.
    """
    sections = tuple(found)
    last = sections[-1]
    blank = _BLANK.search(note, last.body, last.end)
    has_own = any(s.kind in _SEEN_OR_PLANNED for s in sections)
    if last.kind not in _SHORT or blank is None or has_own:
        return sections
    rest = NoteSection(
        title=OVERVIEW, kind="overview", start=blank.end(), body=blank.end(), end=last.end
    )
    units = cut_units(note, [rest], cut_chunks(note, [rest]))
    if not {"plan", "assessment"}.intersection(blocks_of(note, units)):
        return sections
    return (*sections[:-1], last.model_copy(update={"end": rest.start}), rest)
