"""Sentences of clinical text as exact spans.

General splitters break at "pts." and "spp.", not at "1.5 L.", and miss the full stop that lost its
space in a PDF. The rules are here, the words they need in `abbreviations`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from clinrag_core.text.abbreviations import (
    BEFORE_NUMBER,
    CONTINUERS,
    JOINERS,
    LETTERED,
    MAY_END,
    NEVER_END,
    STARTERS,
    TITLES,
)
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import BULLETS

_BULLET = f"[{BULLETS}]"
# ends where the next sentence would start
_BOUNDARY = lazy_re(
    r"""
    (?P<stop>[.!?\u2026]+)                              # the terminator
    (?P<close>["'\u2019\u201d)\]\u00bb]*                # what closes with it
       (?:\[[\d,\s\u2013-]{1,20}\])?                    # [12] or superscript citations stuck to it
       (?:(?<=[^\W\d_]{3}[.])\d{1,3}(?:[,\u2013-]\d{1,3})*(?=\s))?)
    (?P<space>\s+|(?=[A-Z][a-z]|A\s)|$)
    """,
    re.VERBOSE,
)
_LINE_END = lazy_re(r"(?<![^\S\n])[^\S\n]*\n\s*")  # a run of blanks is tried once
_INLINE_BULLET = lazy_re(rf"(?<=\s){_BULLET}(?=\s|\Z)")
_BULLETED = lazy_re(rf"(?:{_BULLET}|[-*\u2013\u2014](?=\s)|#{{1,6}}\s|\|)")
_NUMBERED = lazy_re(
    r"(?:\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)](?=\s)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s+[A-Z]))"
)
_LONE_MARKER = lazy_re(rf"\s*(?:{_BULLET}|[-*\u2013]|\(?(?:\d{{1,3}}|[A-Za-z])[.)])\s*$")
_LIST_INDENT = lazy_re(rf"^\s*(?:{_BULLET}|[-*\u2013]|\(?(?:\d{{1,3}}|[A-Za-z])[.)])(?:\s+|$)")
_ENUMERATION = lazy_re(r"\s*[(\[]?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxIVX]{1,5})$")
_LAST_WORD = lazy_re(r"[^\s()\[\]\"\u201c\u2018,;:/<>=\u2264\u2265\u2013\u2014]+$")
_LAST_PART = lazy_re(r"(\d|[^\W\d_]+)[\s(-]*$")
_NEXT_WORD = lazy_re(r"[\"'\u201c\u2018(\[]*([^\W\d_]+)")
_DOTTED = lazy_re(r"(?:[^\W\d_]\.)+[^\W\d_]$")
_STARTS_UPPER = lazy_re(r"[\"'\u201c\u2018(\[\u00bf\u00a1]*[A-Z\u00c0-\u00de\u0370-\u03ab]")
_STARTS_OTHER = lazy_re(
    rf"[\"'\u201c\u2018(\[]*(?:\d|[\u2265\u2264<>~\u00b1]|{_BULLET}|[^\W\d_](?<![a-z\u00df-\u00ff]))"
)
_STARTS_NOTE = lazy_re(r"[a-z]\s{1,2}[A-Z]")  # the letter of a footnote on its table's last line
_UNSPACED = lazy_re(r"\S*")
_BEFORE_LOST_SPACE = lazy_re(r"(?:[a-z]{3}|[a-z0-9][)\]]|%)$")
_WEB = lazy_re(r"(?:https?:|www\.|@|//)", re.IGNORECASE)
_LONG_ENOUGH_TO_WRAP = 40  # characters from which a line counts as broken at a margin
_CONTEXT = 200  # what a decision may depend on; keeps the time linear in the text


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return spans of the sentences of a text, without the white space around them.

    In order, disjoint, and together holding every character that is not white space. A blank line,
    a table row and a list item always end a sentence; a line break inside wrapped prose does not.
    A sentence may be of any length.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        at = start
        for cut in _cuts(text, start, end):
            _add(spans, text, at, cut)
            at = cut
        _add(spans, text, at, end)
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    if stripped:
        spans.append((start + left, start + left + len(stripped)))


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return the pieces between line ends (and inline bullets) that no sentence crosses."""
    cuts = [0]
    for match in _LINE_END.finditer(text):
        if _line_end_is_hard(text, cuts[-1], match):
            cuts.append(match.end())
    cuts += [match.start() for match in _INLINE_BULLET.finditer(text)]
    ordered = [*sorted(set(cuts)), len(text)]
    return list(pairwise(ordered))


def _line_end_is_hard(text: str, start: int, match: re.Match[str]) -> bool:
    """Return whether a line break ends a sentence that began at or after `start`."""
    before = text[max(start, match.start() - _CONTEXT) : match.start()]
    if match.group().count("\n") > 1 or not before.strip() or match.end() == len(text):
        return True
    line, next_line = _lines_around(text, match.start() + match.group().index("\n"))
    if "\t" in _LIST_INDENT.sub("", line) or "\t" in _LIST_INDENT.sub("", next_line):
        return True
    next_line = next_line.lstrip()
    if _LONE_MARKER.fullmatch(line):
        return False
    if _BULLETED.match(next_line):
        return True
    return not _goes_on(before.rstrip(), next_line)


def _lines_around(text: str, line_end: int) -> tuple[str, str]:
    """Return the whole lines before and after a line break."""
    next_end = text.find("\n", line_end + 1)
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    return line, text[line_end + 1 : next_end if next_end >= 0 else len(text)]


def _goes_on(before: str, next_line: str) -> bool:
    """Return whether wrapped prose goes on over a line break."""
    if next_line[0] in ".,;:)]%":
        return True
    if before[-1] in ".!?:;\u2026":
        return before[-1] in ".;" and next_line[0].islower()
    last = before.rsplit(maxsplit=1)[-1].strip("(),\"'").lower()
    if last in JOINERS or before[-1] in "(/" or (before[-1] == "-" and before[-2:-1].isalpha()):
        return True
    if _NUMBERED.match(next_line) or not next_line[0].islower():
        return False
    first = re.split(r"\W", next_line, maxsplit=1)[0]
    return first in CONTINUERS or len(before.lstrip()) >= _LONG_ENOUGH_TO_WRAP


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Return the positions in a block where a new sentence starts."""
    cuts: list[int] = []
    at = start
    for match in _BOUNDARY.finditer(text, start, end):
        if match.end() < end and _is_boundary(text, at, match, end):
            cuts.append(match.end())
            at = match.end()
    return cuts


def _is_boundary(text: str, start: int, match: re.Match[str], end: int) -> bool:
    before = text[max(start, match.start() - _CONTEXT) : match.start()]
    after = text[match.end() : min(end, match.end() + 40)]
    if not match["space"]:
        return _lost_space(text, before, match)
    if match["stop"] != "." or match["close"]:
        return _may_start(after)
    return _may_start(after) and not _stop_belongs_to_word(before, after)


def _may_start(after: str) -> bool:
    starts = (_STARTS_UPPER, _STARTS_OTHER, _STARTS_NOTE)
    return any(pattern.match(after) for pattern in starts)


def _lost_space(text: str, before: str, match: re.Match[str]) -> bool:
    """Return whether "warning.Use" lost a space: two words and a stop, no name or address."""
    if match["stop"] != "." or not _BEFORE_LOST_SPACE.search(before):
        return False
    rest = _UNSPACED.match(text, match.end())
    run = before.rsplit(maxsplit=1)[-1] + "." + (rest.group() if rest else "")
    if _WEB.search(run):
        return False
    word = _LAST_WORD.search(before)
    return word is None or word.group().lower() not in NEVER_END | MAY_END | BEFORE_NUMBER


def _stop_belongs_to_word(before: str, after: str) -> bool:
    """Return whether a full stop does not end a sentence (abbreviation, number, initial)."""
    if _ENUMERATION.fullmatch(before):
        return True  # "1. Adults", "A. Dosage"
    found = _LAST_WORD.search(before)
    if found is None:
        return False
    word, lower = found.group(), found.group().lower()
    if lower in NEVER_END or word in TITLES:
        return True
    if len(word) == 1 and word.isupper():
        return _is_initial(before[: found.start()], after)
    if lower in BEFORE_NUMBER:
        return after[0].isdigit()
    return _is_abbreviation(word, before[: found.start()], after)


def _is_abbreviation(word: str, before: str, after: str) -> bool:
    """Return whether a stop ends an abbreviation but not a sentence."""
    capital = _STARTS_UPPER.match(after) is not None
    if _DOTTED.fullmatch(word):
        return not capital or (word[0].isupper() and not _starts_sentence(after))
    if word.lower() == "al":
        return not _starts_sentence(after)
    return word.lower() in MAY_END and (not capital or not before.strip())


def _is_initial(before: str, after: str) -> bool:
    """Return whether a capital is an initial ("J. Smith"), no unit or name ("2 L.")."""
    previous = _LAST_PART.search(before)
    if previous and (previous[1].isdigit() or previous[1].lower() in LETTERED):
        return False
    return not _starts_sentence(after)


def _starts_sentence(after: str) -> bool:
    word = _NEXT_WORD.match(after)
    return word is not None and word[1].lower() in STARTERS
