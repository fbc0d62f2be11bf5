"""The flow of a label in print: its headings open coded sections, as codes do in SPL.

A label in a PDF has no codes. Since 2006 its sections have fixed numbers and names (21 CFR
201.57(c)), before that fixed names (201.80): these say what a section is about, and the sections
inside it are about the same. A summary ahead of them ("Highlights") and a table of contents repeat
the body; text for patients, pictures of packages and product data come after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.sections import (
    BOXED_WARNING,
    headed_section,
    numbered_section,
    plain_name,
    section_info,
    standard_headings,
)
from clinrag_core.parse.assemble.flow import Heading, Item, Piece, SectionStart, unmarked
from clinrag_core.parse.assemble.section_roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.lexicon.sections import SectionInfo
    from clinrag_core.model.section import SectionRole

LEAST_SECTIONS = 6
"""Headings by which a document is a label: the shortest have as many sections, and no guideline of
the reference corpus has more than two of their names."""

_NUMBERED = re.compile(r"(\d{1,2})(?:\.(\d{1,2}))?\.?\s+(\S.*)")
_FULL = re.compile(r"full prescribing information(?!\s*:?\s*contents)\W*(.*)", re.IGNORECASE)
_CONTENTS = re.compile(r"full prescribing information\s*:?\s*contents", re.IGNORECASE)
_HIGHLIGHTS = re.compile(r"highlights of prescribing information", re.IGNORECASE)
_BOX = re.compile(r"(?:boxed )?warnings?\s*(?::|$)", re.IGNORECASE)
_FOR_PATIENTS = re.compile(
    r"(medication guide|patient (?:package insert|information)|instructions for use)\b",
    re.IGNORECASE,
)
_ADVISE = re.compile(r"advise (?:the )?patients? to read the fda-approved patient", re.IGNORECASE)
_READ_THIS = re.compile(r"read this (medication guide|patient information|instructions for use)\b")
_PACKAGE = re.compile(r"principal display panel|package[ /]label", re.IGNORECASE)
_AT_THE_END = frozenset({"package_label", "product_data"})
_COUNSELING = 17  # the last section, on what patients are to be advised
_DEEPEST = 2**16  # below any heading
_MAIN, _SUB, _UNNUMBERED = 0, 1, 2  # levels; an unnumbered heading is below any numbered one


class _Number(NamedTuple):
    """The number of a heading, its second part None where it has one, and what follows it."""

    main: int
    sub: int | None
    title: str


class _Level(NamedTuple):
    """An open section: how deep it is, its heading and what it is about."""

    level: int
    title: str
    info: SectionInfo | None


def _number(heading: str) -> _Number | None:
    match = _NUMBERED.fullmatch(heading)
    if match is None or not match[3][:1].isupper():
        return None
    return _Number(int(match[1]), int(match[2]) if match[2] else None, match[3])


def _names_main(number: _Number) -> bool:
    """Return whether a heading is that of the section with its number: '4 CONTRAINDICATIONS'."""
    expected, found = numbered_section(number.main), headed_section(number.title)
    return number.sub is None and expected is not None and _same_matter(expected, found)


def _same_matter(one: SectionInfo | None, other: SectionInfo | None) -> bool:
    return one is not None and other is not None and one.group == other.group


def label_headings(headings: Iterable[str]) -> int:
    """Count the different headings that a label has and other documents have not.

    Zero where the same unnumbered heading is there again and again: a compendium of many drugs.
    """
    return max(_counts(headings))


def _counts(headings: Iterable[str]) -> tuple[int, int]:
    """Count the different headings of labels with numbers, and those without."""
    numbered: set[tuple[int, str]] = set()
    unnumbered: list[str] = []
    for heading in headings:
        number = _number(heading)
        if number is not None and number.sub is not None:
            known = {name.casefold() for name in standard_headings(number.main)}
            if number.title.casefold() in known:
                numbered.add((number.main, number.title.casefold()))
        elif number is not None and _names_main(number):
            numbered.add((number.main, ""))
        elif (info := headed_section(heading)) is not None and info.audience == "clinician":
            unnumbered.append(info.group)
    if unnumbered.count("contraindications") > 1:
        return 0, 0
    return len(numbered), len(set(unnumbered))


def label_flow(items: Sequence[Item]) -> list[Item]:
    """Return the items of a label with coded sections in place of its headings."""
    begin = _begin(items)
    with_numbers, without = _counts(map(_line, items))
    reader = _LabelReader(is_numbered=with_numbers >= without)
    flow = _ahead(items[:begin])
    if not any(isinstance(item, SectionStart) and item.role == "highlights" for item in flow):
        flow, begin = [], 0  # nothing is ahead of the text itself
    for item in items[begin:]:
        flow += reader.read(item)
    return flow


def _line(item: Item) -> str:
    """Return the text of an item that may be a heading, empty of another."""
    if isinstance(item, Heading):
        return " ".join(unmarked(item.title).split())
    if isinstance(item, Piece) and item.kind == "paragraph":
        return " ".join(unmarked(item.text).split())
    return ""


def _begin(items: Sequence[Item]) -> int:
    """Return where the text itself begins, after highlights and contents."""
    lines = [_line(item) for item in items]
    marks = [at for at, line in enumerate(lines) if _is_mark(line)]
    if marks:
        return marks[-1]
    firsts = [
        at
        for at, line in enumerate(lines)
        if (number := _number(line)) is not None and number.main == 1 and _names_main(number)
    ]
    return firsts[-1] if firsts else 0


def _is_mark(line: str) -> bool:
    """Return whether a line is the heading of the full text, alone or with that of its box."""
    match = _FULL.fullmatch(line)
    return match is not None and (not match[1] or _BOX.match(match[1]) is not None)


def _ahead(items: Sequence[Item]) -> list[Item]:
    """Return what comes before the text itself: highlights and contents, which are not indexed."""
    flow: list[Item] = []
    role: SectionRole = "front_matter"
    for item in items:
        line = _line(item)
        was = role
        if _CONTENTS.match(line):
            role = "contents"
        elif _HIGHLIGHTS.match(line):
            role = "highlights"
        if isinstance(item, Heading):
            flow.append(SectionStart((line,), role, item.place))
        elif isinstance(item, Piece):
            if role != was or not flow:
                flow.append(SectionStart((), role, item.place))
            flow.append(item)
    return flow


class _LabelReader:
    """Opens a section at each heading of the text itself, and knows which one is open."""

    def __init__(self, *, is_numbered: bool) -> None:
        self._is_numbered = is_numbered
        self._open: list[_Level] = []
        self._main = 0
        self._begun = False

    def read(self, item: Item) -> list[Item]:
        """Return an item in the flow: a section in place of a heading, none for the edge of a box.

        What heads a section is kept where it is more than its heading.
        """
        if not isinstance(item, Heading | Piece):
            return []
        line = _line(item)
        if _is_mark(line):
            line = _FULL.sub(r"\1", line)
        if line and self._enter(item, line):
            self._begun = True
            opened: list[Item] = [self._start(item)]
            if isinstance(item, Piece) and self._open[-1].title != line:
                opened.append(item)
            return opened
        if isinstance(item, Heading) or (not line and item.kind == "paragraph"):
            return []
        before: list[Item] = [] if self._begun else [self._start(item)]
        self._begun = True
        return [*before, item]

    def _enter(self, item: Heading | Piece, line: str) -> bool:
        """Open the section that a line heads; return False where it heads none."""
        is_heading = isinstance(item, Heading)
        number = _number(line)
        if number is not None and number.main >= self._main and _names_main(number):
            self._main = number.main
            self._open = [_Level(_MAIN, line, headed_section(number.title))]
        elif number is not None and number.sub is not None and is_heading and self._follows(number):
            self._enter_sub(number, line)
        elif self._may_be_box(line, is_heading=is_heading):
            # without numbers, the next heading that is not below it ends the box
            level = item.level + _UNNUMBERED if isinstance(item, Heading) else _DEEPEST
            level = _MAIN if self._is_numbered else level
            self._open = [_Level(level, line, section_info(BOXED_WARNING))]
        elif (opened := self._at_the_end(line, is_heading=is_heading)) is not None:
            self._open = [opened]
        elif isinstance(item, Heading):
            self._enter_unnumbered(line, item.level)
        else:
            return False
        return True

    def _may_be_box(self, line: str, *, is_heading: bool) -> bool:
        """Return whether a line heads the boxed warning, which is ahead of all sections."""
        is_first = not any(level.info for level in self._open)
        return is_first and _BOX.match(line) is not None and (is_heading or line.isupper())

    def _follows(self, number: _Number) -> bool:
        """Return whether a subsection may come next: their numbers never go back."""
        return number.main >= max(self._main, 1) and numbered_section(number.main) is not None

    def _enter_sub(self, number: _Number, line: str) -> None:
        """Open a subsection, and the section around it where the label prints no heading of it."""
        around = numbered_section(number.main)
        if (number.main != self._main or not self._open) and around is not None:
            self._open = [_Level(_MAIN, f"{number.main} {plain_name(around.name)}", around)]
        self._main = number.main
        own = headed_section(number.title)
        main = self._open[0]
        info = own if _same_matter(own, main.info) else main.info
        self._open = [main, _Level(_SUB, line, info)]

    def _enter_unnumbered(self, line: str, level: int) -> None:
        """Open a section that is about what its heading names, else about what is around it.

        In a label with numbers only they say that another matter begins.
        """
        level += _UNNUMBERED
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        around = self._open[-1].info if self._open else None
        named = None if self._is_numbered else headed_section(line)
        is_lay = around is not None and around.audience == "patient" and not line.isupper()
        info = around if named is None or named.group == "other" or is_lay else named
        self._open.append(_Level(level, line, info))

    def _at_the_end(self, line: str, *, is_heading: bool) -> _Level | None:
        """Return what comes after a label's own text: lay text, pictures of packages, coded data.

        Advice for patients is opened by its first sentence where no heading of it is printed.
        """
        info = self._open[0].info if self._open else None
        is_at_the_end = info is not None and info.group in _AT_THE_END
        found = headed_section(line)
        if found is not None and found.group == "product_data":
            return _Level(_MAIN, line, found) if found is not info else None
        if (match := _PACKAGE.match(line)) and (is_heading or match[0].isupper()):
            return _Level(_MAIN, line, headed_section(match[0]))
        if self._main and self._main < _COUNSELING and _ADVISE.match(line):
            self._main = _COUNSELING
            found = numbered_section(_COUNSELING)
            return _Level(_MAIN, "Patient counseling information", found)
        match = _FOR_PATIENTS.match(line)
        if match is not None and not (is_heading or match[0].isupper()):
            match = None
        if match is None and (info is None or info.audience == "clinician"):
            match = _READ_THIS.match(line.lower())
        is_due = not self._is_numbered or self._main >= _COUNSELING - 1
        if match is None or not is_due or (is_at_the_end and not is_heading):
            return None  # at the end: "MEDICATION GUIDE" on the picture of a package
        title = line if is_heading else match[1].capitalize()
        return _Level(_MAIN, title, headed_section(match[1]))

    def _start(self, item: Heading | Piece) -> SectionStart:
        """Return the open section; where none is, one about nothing in particular."""
        info = self._open[-1].info if self._open else None
        path = tuple(level.title for level in self._open)
        if info is None:
            return SectionStart(path, place=item.place, group="other")
        role = ROLES.get(info.group, "body")
        return SectionStart(
            path, role, item.place, None, info.code, info.group, audience=info.audience
        )
