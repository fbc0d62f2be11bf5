"""Finds the headings of a note and cuts it into sections that cover every character.

A heading is a line, or the begin of one, that the table of headings knows; or words in capitals
before a colon or alone on a line. Text before the first heading is the overview. A note without any
heading is cut where what its paragraphs say changes (`inference`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import diseases
from clinrag_core.facts.spans import concept_spans
from clinrag_core.notes.day_entries import entries_in
from clinrag_core.notes.letters import part_letters
from clinrag_core.notes.lexicon import note_findings, note_headers
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.records import OVERVIEW, NoteSection
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.lists import NoteList

_LINE = re.compile(r"[^\r\n]*")
_PREFIX = r"[^\S\r\n]*(?:#{1,6}\s*|\*\*\s*|__)?(?:(?:\d{1,2}|[IVX]{1,4})[.)][^\S\r\n]+)?"
_MARKED = re.compile(
    rf"{_PREFIX}(?P<title>[A-Za-z][^\r\n:;*#>|]{{0,60}}?)\s*(?:\*\*|__)?\s*"
    r"(?::|(?<=\s)[>|](?=\s)|;\s*$|$)"
)
"""A title up to a colon, a stroke or an angle, or to the end of the line."""
_SIGN_OF_TITLE = (":", ";", ">", "|")
_SHORT = re.compile(
    rf"{_PREFIX}(?P<title>[A-Za-z][A-Za-z/&]{{1,5}}|[A-Z][A-Za-z]+(?: [A-Za-z]+){{0,3}}?)"
    r"(?:[^\S\r\n]*[,.;][^\S\r\n]+|[^\S\r\n]+[-\u2013\u2014]{1,2}[^\S\r\n]*|[-\u2013\u2014][^\S\r\n]+)"
)
"""A title before a dash, or an abbreviation before a stop or a comma: "FH - mother", "PC. Pain"."""
_BARE = re.compile(
    rf"{_PREFIX}(?P<title>[A-Z]{{2,4}}x|(?i:[oc]/[ec])|HPC|HPI|PMH|PSH|DH|SH|FM?H|"
    r"Plan(?= (?:we|I|to|for|will)\b)|Dx|Imp|Bg|Meds|"
    r"(?:Bloods|Obs|Ix|All)(?=[^\S\r\n]+(?:[A-Z]{2}|[A-Z]?\d)))"
    r"[^\S\r\n]+(?=[^\W_]|\?)"
)
"""An abbreviation of a history without a sign: "DHx allergies - nil", "DDx ?hypothyroid"."""
_BOLD = re.compile(
    r"[^\S\r\n]*(?P<sign>\*\*|__)(?P<title>[A-Za-z][^\r\n:;*_]{0,40}?)[:.]?(?P=sign)"
    r"[^\S\r\n]*:?[^\S\r\n]+(?=\S)"
)
"""Words in bold before the text of a line: "**Takes** aspirin"."""
_EMPTY = re.compile(
    rf"{_PREFIX}(?P<title>[A-Z][A-Za-z]+(?: [A-Za-z]+){{1,4}})[^\S\r\n]+(?=(?i:none|nil)\b)"
)
_INSIDE = re.compile(r"(?<=[.,;])\s*(?P<title>[A-Z][A-Z0-9 /&,()'-]{2,60}?)\s*:")
"""Capitals before a colon behind the end of a sentence, the headings of notes of one line."""
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 /&,()'.\u2013-]{2,60}")
_NAMED = re.compile(r"diagnos")
"""A title under which only names of diseases are: what follows it is no part of a plan."""
_SENTENCE_END = re.compile(r"[.!?]\s")
_NO_TITLE = re.compile(r"[\d,;.!?]")
"""What no few words alone on a line hold that are a title."""
_ALONE = re.compile(
    r"^(?P<title>[A-Z][a-z']+(?: [A-Za-z']+){0,3})[^\S\r\n]*\r?\n(?=(?P<next>[^\r\n]{8,}))",
    re.MULTILINE,
)
"""A few words without a stop right above a line of a paragraph."""
_CAPITAL = re.compile(r"^(?P<title>[A-Z]{5,})[^\S\r\n]*(?=\r?\n[^\S\r\n]*\S)", re.MULTILINE)
_LEAST_PARAGRAPH = 30
"""Characters of a line below words that no table knows, which are its title."""
_MAX_WORDS_OF_LEAD = 14
_LEAST_LISTED = 3
"""Items of a list that makes a line above it a title."""
_SIGNS = re.compile(r"[\s:,.*_\u2013\u2014-]*")
_MAX_WORDS = 8
_LABEL_WORDS = 4
"""Words of a label before a colon that has a word of a heading: "Usual tablets:"."""
_BEGIN = 160
"""Characters of a line that are searched for a heading: twice the longest title."""
_ABBREVIATION = 5
"""Letters of an abbreviation that a stop or a comma may follow."""
_TITLE = re.compile(r"\b(?:NOTE|LETTER|VISIT)\b")
"""A word of the title of a note: "CLINIC NOTE WITH MEDICATION REVIEW" heads no list."""
_MEDICATIONS = "medications"
_ORGAN = "organ"
_OF_PROBLEMS = frozenset({"plan", "assessment"})
"""Kinds of headings under which problems are named."""
_OF_OPERATIONS = frozenset({"operation", "narrative"})
_IN_CAPITALS = frozenset({_ORGAN, "narrative", "operation"})
"""Kinds whose names are words of any text as well."""
_LEAST_CAPITALS, _LEAST_LETTERS = 3, 5
"""Headings of so many capital letters that make a note one of headings in capitals."""
_LEAST_ALONE = 2
"""Words in capitals that are a heading alone on a line though no table knows them."""


class _Heading(NamedTuple):
    """A heading with the span of its title and where its text begins."""

    start: int
    title: tuple[int, int]
    body: int
    kind: str
    is_marked: bool
    """Whether a colon or another sign follows the title."""


def find_sections(note: str) -> tuple[NoteSection, ...]:
    """Return the sections of a note by its headings, in order and without gaps.

    A note without a heading is one section, the overview.
    """
    lists = note_lists(note)
    signs = {item.start: item.body for one in lists for item in one.items}
    named = [h for h in _headings(note) if h.title[0] >= signs.get(_line_start(note, h.start), 0)]
    first = _first_level(note, _with_leads(note, named, lists))
    parts = [_Heading(p.start, p[:2], p.body, p.kind, is_marked=True) for p in part_letters(note)]
    taken = {part.start for part in parts}
    first = sorted([*parts, *(h for h in first if h.title[0] not in taken)])
    days = entries_in(note, [(h.start, h.kind) for h in first])
    starts = {_line_start(note, day.start) for day in days}
    first = [h for h in first if _line_start(note, h.start) not in starts]
    first += [_Heading(d.start, d.title, d.body, "overview", is_marked=True) for d in days]
    headings = _without_problems(note, sorted(first))
    sections: list[NoteSection] = []
    before = headings[0].start if headings else len(note)
    if note[:before].strip() or not headings:
        sections.append(NoteSection(title=OVERVIEW, kind="overview", start=0, body=0, end=before))
    for number, heading in enumerate(headings):
        end = headings[number + 1].start if number + 1 < len(headings) else len(note)
        start = heading.start if sections else 0
        title = note[slice(*heading.title)]
        sections.append(
            NoteSection(title=title, kind=heading.kind, start=start, body=heading.body, end=end)
        )
    return tuple(sections)


def _headings(note: str) -> list[_Heading]:
    """Return every heading, in order."""
    found: list[_Heading] = []
    at = 0
    for match in _LINE.finditer(note):
        start, end = match.span()
        if start < at or start == end:
            continue
        at = end
        own = _heading_of_line(note, start, end)
        after = own.body if own else start
        inner = [_inside(note, m) for m in _INSIDE.finditer(note, after, end)]
        found += [h for h in (own, *inner) if h is not None]
    return found


def _line_start(note: str, at: int) -> int:
    return note.rfind("\n", 0, at) + 1


def _with_leads(note: str, headings: list[_Heading], lists: Sequence[NoteList]) -> list[_Heading]:
    """Return headings with the lines that lead a list: "We settled on this:".

    Under a plan such a line names a problem, and a note of headings in capitals has no other ones.
    """
    if _has_capitals(note, headings):
        return sorted([*headings, *_single_capitals(note, headings)])
    starts = {_line_start(note, heading.start) for heading in headings}
    leads: list[_Heading] = []
    found = [_lead(note, one) for one in lists] + [_alone(note, m) for m in _ALONE.finditer(note)]
    for lead in found:
        above = [h.kind for h in headings if lead and h.start < lead.start]
        title = note[slice(*headings[len(above) - 1].title)] if above else ""
        names = above[-1:] == ["assessment"] and _NAMED.search(title.lower())
        is_of_problem = bool(above) and above[-1] in _OF_PROBLEMS and not (lead and lead.kind)
        is_of_problem = is_of_problem and not names
        if lead and _line_start(note, lead.start) not in starts and not is_of_problem:
            starts.add(_line_start(note, lead.start))
            leads.append(lead)
    return sorted([*headings, *leads])


def _single_capitals(note: str, headings: Sequence[_Heading]) -> list[_Heading]:
    """Return words in capitals alone above a paragraph, in a note whose headings are in capitals.

    The table of headings has none of them: "NUMBERS" is a title there, and elsewhere a word.
    """
    taken = {_line_start(note, heading.start) for heading in headings}
    found: list[_Heading] = []
    for match in _CAPITAL.finditer(note):
        start, end = match.span("title")
        is_new = match.start() not in taken and _is_apart(note, match.start())
        if is_new and note[:start].strip():
            kind = note_headers().kind_of_part(fold_chars(match["title"])) or ""
            found.append(_Heading(start, (start, end), end, kind, is_marked=False))
    return found


def _lead(note: str, one: NoteList) -> _Heading | None:
    """Return the line above a list as its heading; None where it is none.

    It ends with a colon or a stroke, and may be the end of a paragraph; or it is a few words alone
    on a line, which are no problem that the list is about.
    """
    first = one.items[0].start
    end = len(note[:first].rstrip())
    start = (
        max(
            note.rfind("\n", 0, end),
            *(m.end() - 1 for m in _SENTENCE_END.finditer(note, 0, end)),
            -1,
        )
        + 1
    )
    start += len(note[start:end]) - len(note[start:end].lstrip())
    said = note[start:end]
    title = said.rstrip(" :/*_").lstrip("*_# ")
    folded = fold_chars(title)
    is_marked = said.rstrip("*_ ").endswith((":", "/"))
    is_short = len(one.items) >= _LEAST_LISTED and not _NO_TITLE.search(said)
    if not title or len(title.split()) > (_MAX_WORDS_OF_LEAD if is_marked else _MAX_WORDS):
        return None
    if not is_marked and not (is_short and title[0].isupper() and _is_apart(note, start)):
        return None
    if diseases(title) or concept_spans(title, note_findings().findings):
        return None
    headers = note_headers()
    kind = headers.kind_of(folded) or headers.kind_of_part(folded) or ""
    at = start + said.index(title)
    return _Heading(start, (at, at + len(title)), end, kind, is_marked=True)


def _alone(note: str, match: re.Match[str]) -> _Heading | None:
    """Return a few words alone above a paragraph as its heading; None where they are none."""
    title = match["title"].strip()
    folded = fold_chars(title)
    is_said = diseases(title) or concept_spans(title, note_findings().findings)
    if not _is_apart(note, match.start()) or not note[: match.start()].strip() or is_said:
        return None
    headers = note_headers()
    kind = headers.kind_of(folded) or headers.kind_of_part(folded) or ""
    if not kind and len(match["next"]) < _LEAST_PARAGRAPH:
        return None
    start = match.start("title")
    return _Heading(start, (start, start + len(title)), match.end("title"), kind, is_marked=True)


def _is_apart(note: str, start: int) -> bool:
    """Return whether a line is the first of a paragraph."""
    before = note[:start]
    return not before.strip() or before[len(before.rstrip()) :].count("\n") > 1


def _heading_of_line(note: str, start: int, end: int) -> _Heading | None:
    """Return the heading that a line begins with."""
    line = note[start : min(end, start + _BEGIN)]
    for form in (_BOLD, _MARKED, _SHORT, _BARE, _EMPTY):
        match = form.match(line)
        if match is None:
            continue
        title = match["title"]
        is_alone = form is _MARKED
        # A title alone on its line; "# UTI - E coli" is a problem.
        is_named = form is _BOLD or (is_alone and line.lstrip().startswith("#"))
        kind = _kind_of_bold(title) if is_named else _kind(title, line, match, alone=is_alone)
        if kind is None:
            continue
        title = (start + match.start("title"), start + match.end("title"))
        body = _SIGNS.match(note, start + match.end(), end)
        is_marked = match.end() < len(line.rstrip()) or line.rstrip().endswith(":")
        return _Heading(start, title, body.end() if body else end, kind, is_marked)
    return None


def _kind_of_bold(title: str) -> str | None:
    """Return the kind of words in bold, "" for unknown ones; None for too many words."""
    if len(title.split()) > _LABEL_WORDS:
        return None
    folded = fold_chars(title).strip()
    return note_headers().kind_of(folded) or note_headers().kind_of_part(folded) or ""


def _kind(title: str, line: str, match: re.Match[str], *, alone: bool) -> str | None:
    """Return the kind of what looks like a heading, "" for an unknown one; None for no heading."""
    if len(title.split()) > _MAX_WORDS:
        return None
    has_colon = match.group().rstrip("*_ \t").endswith(_SIGN_OF_TITLE)
    if has_colon and line[match.end() :][:1].isdigit():
        return None  # a time: "Seen 14:05"
    known = note_headers().kind_of(fold_chars(title).strip())
    if known is not None:
        if has_colon or not alone:
            is_short = len(title) <= _ABBREVIATION or not match.group().rstrip().endswith(
                (".", ",", ";")
            )
            return known if has_colon or is_short else None
        # Alone on its line: a title, no word of the text ("back", "Fluids").
        is_title = title.isupper() if known in _IN_CAPITALS else title[0].isupper()
        return known if is_title and len(line.strip()) > 1 else None
    return _unknown_kind(title, line, match, has_colon=has_colon) if alone else None


def _unknown_kind(title: str, line: str, match: re.Match[str], *, has_colon: bool) -> str | None:
    """Return the kind of a title that is in no table by its words; None for no heading."""
    if not _CAPITALS.fullmatch(title) or not re.search(r"[A-Z]{3}", title):
        is_label = has_colon and title[0].isupper() and not title.isupper()
        is_few = len(title.split()) <= _LABEL_WORDS
        return note_headers().kind_of_part(fold_chars(title)) if is_label and is_few else None
    is_value = len(title) <= _ABBREVIATION and match.end() < len(line.rstrip())
    if (has_colon and not is_value) or len(title.split()) >= _LEAST_ALONE:
        part = note_headers().kind_of_part(fold_chars(title)) or ""
        return "" if part == _MEDICATIONS and _TITLE.search(title) else part
    return None


def _inside(note: str, match: re.Match[str]) -> _Heading | None:
    """Return a heading in capitals inside a line; None for an abbreviation that is none."""
    title = match["title"].strip(" ,")
    folded = fold_chars(title)
    kind = note_headers().kind_of(folded) or note_headers().kind_of_part(folded)
    if kind is None:
        if len(title.split()) < _LEAST_ALONE:
            return None
        kind = ""
    start = match.start("title")
    body = _SIGNS.match(note, match.end())
    end = body.end() if body else match.end()
    return _Heading(start, (start, start + len(title)), end, kind, is_marked=True)


def _first_level(note: str, headings: list[_Heading]) -> list[_Heading]:
    """Return headings without labels inside sections: in a note of capitals, those of other case.

    A label with a colon alone on its line stays; capitals of a kind that no table knows are a
    heading without a colon only there.
    """
    if any(h.kind in ("exam", "review") for h in headings):
        headings = [h for h in headings if h.kind != _ORGAN]
    if not _has_capitals(note, headings):
        return [h for h in headings if h.kind or h.is_marked]
    return [
        h
        for h in headings
        if note[slice(*h.title)].isupper()
        or (h.is_marked and note[h.title[1] :][:2] in (":\n", ":"))
    ]


def _without_problems(note: str, headings: list[_Heading]) -> list[_Heading]:
    """Return headings without the names of problems under a plan: "MDR-TB: bedaquiline", "AKI:".

    A numbered heading that no table knows is part of the description of an operation it is under.
    """
    kept: list[_Heading] = []
    for heading in headings:
        before = kept[-1].kind if kept else ""
        title = note[slice(*heading.title)]
        is_name = len(title) <= _ABBREVIATION or bool(diseases(title))
        if heading.kind or not (before in _OF_PROBLEMS and is_name):
            is_part = before in _OF_OPERATIONS and not heading.kind and _is_numbered(note, heading)
            kept.append(heading._replace(kind="narrative") if is_part else heading)
    return kept


def _is_numbered(note: str, heading: _Heading) -> bool:
    return any(char.isdigit() for char in note[heading.start : heading.title[0]])


def _has_capitals(note: str, headings: list[_Heading]) -> bool:
    """Return whether the headings of a note are in capitals."""
    found = [h for h in headings if _is_in_capitals(note[slice(*h.title)])]
    return len(found) >= _LEAST_CAPITALS


def _is_in_capitals(title: str) -> bool:
    return title.isupper() and sum(map(str.isalpha, title)) >= _LEAST_LETTERS
