"""Finds the lists of a note by their signs: numbers, letters, Roman numbers and bullets.

A number without a stop and a letter are signs only where the next line goes on counting: "A. Smith"
alone is no item, and "A" above "B" and "C" is no heading.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clinrag_core.notes.letters import part_letters
from clinrag_core.text.numerals import ONES

_LINE = re.compile(r"[^\r\n]+")
_ITEM = re.compile(
    r"[^\S\r\n]*(?P<box>\[[ xX]?\][^\S\r\n]+)?(?:(?P<bullet>[-*\u2022\u25cf\u2013\u2014>]+)|"
    r"\(?(?P<number>\d{1,2}|[ivxIVX]{2,5}|[A-Za-z](?:/[A-Z])?)(?P<stop>[.):]?)\)?)[^\S\r\n]+(?=\S)"
)
_ORDINAL = re.compile(
    r"[^\S\r\n]*(?:(?P<number>one|two|three|four|five|six|seven|eight|nine|ten),|"
    r"(?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|"
    r"last|final)(?:ly)?[,:])[^\S\r\n]+(?=\S)",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
             "tenth")  # fmt: skip
_CARDINALS = (*ONES, "ten")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9,
          "x": 10, "xi": 11, "xii": 12}  # fmt: skip
_LETTERS = 100
"""What letters count from, apart from numbers."""
_LEAST = 2
"""Lines that count on make a list of letters and of bare numbers."""


class ListItem(NamedTuple):
    """A line of a list: where it starts, where its text starts and where the line ends."""

    start: int
    body: int
    end: int


class NoteList(NamedTuple):
    """The items of one list, in order."""

    items: tuple[ListItem, ...]


class _Signed(NamedTuple):
    """A line with what its sign may count: a number, a letter, a Roman number or a bullet."""

    item: ListItem
    form: str
    values: frozenset[int]
    is_plain: bool
    """Whether the sign is one on its own: a bullet, or a number with a stop."""


def note_lists(note: str) -> tuple[NoteList, ...]:
    """Return the lists of a note; lines without a sign between two items belong to the first."""
    found: list[NoteList] = []
    run: list[_Signed] = []
    bodies = {letter.start: letter.body for letter in part_letters(note)}
    for line in _LINE.finditer(note):
        signed = _signed(note, bodies.get(line.start(), line.start()), line.end())
        if signed is None:
            if run and _is_apart(note, run[-1].item.end, line.start()):
                found += _list_of(run)
                run = []
            continue
        if run and not _goes_on(run[-1], signed):
            found += _list_of(run)
            run = []
        run.append(signed)
    return (*found, *_list_of(run))


def _signed(note: str, start: int, end: int) -> _Signed | None:
    """Return a line with its sign; None where it has none."""
    match = _ITEM.match(note, start, end)
    if match is None:
        return _ordinal(note, start, end)
    item = ListItem(start, match.start("box") if match["box"] else match.end(), end)
    if match["bullet"]:
        return _Signed(item, match["bullet"], frozenset(), is_plain=True)
    number = match["number"]
    low = number.lower()
    if number.isdigit():
        return _Signed(item, "number", frozenset({int(number)}), is_plain=bool(match["stop"]))
    values = {_ROMAN[low]} if low in _ROMAN else set[int]()
    is_letter = len(low) == 1 or "/" in low
    letters = {_LETTERS + ord(one) for one in low.split("/")} if is_letter else set[int]()
    if not match["stop"] or not (values or letters):
        return None
    return _Signed(item, "letter", frozenset(values | letters), is_plain=False)


def _ordinal(note: str, start: int, end: int) -> _Signed | None:
    """Return a line that begins with a counting word, which is a part of its text."""
    match = _ORDINAL.match(note, start, end)
    if match is None:
        return None
    if match["number"]:
        number = frozenset({_CARDINALS.index(match["number"].lower()) + 1})
        return _Signed(ListItem(start, match.end(), end), "cardinal", number, is_plain=False)
    word = match["word"].lower()
    value = _ORDINALS.index(word) if word in _ORDINALS else 0
    every = range(1, len(_ORDINALS) + 1)  # "last" follows any
    values = frozenset({value}) if word in _ORDINALS else frozenset(every)
    return _Signed(ListItem(start, match.end(), end), "ordinal", values, is_plain=False)


def _goes_on(before: _Signed, after: _Signed) -> bool:
    """Return whether a line is the next item of the list that another one is of."""
    if before.form != after.form:
        return False
    return not before.values or any(value + 1 in after.values for value in before.values)


def _is_apart(note: str, end: int, start: int) -> bool:
    """Return whether a blank line is between two places: what follows is no rest of an item."""
    return note.count("\n", end, start) > 1


def _list_of(run: list[_Signed]) -> list[NoteList]:
    """Return a run of lines as a list, if it is one."""
    if not run or (not run[0].is_plain and len(run) < _LEAST):
        return []
    return [NoteList(tuple(one.item for one in run))]
