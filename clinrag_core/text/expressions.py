"""Joins regular expressions into one that rejects a text fast."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Pattern

TABLES = 64
"""Sets of expressions whose union is kept: there are about twenty."""
_BOUNDARY = r"\b"
_LETTER = re.compile(r"[a-z](?![?*+{])")
_LEADING = re.compile(r"\(\?:([a-z|]+)\)(?![?*+{])")
"""A group of plain words that an alternative begins with."""


@lru_cache(maxsize=TABLES)
def any_of(expressions: tuple[Pattern[str], ...]) -> Pattern[str]:
    """Return one expression that matches where any of some does; most texts match none.

    Alternatives that begin at a word are tried at the beginnings of words only, and as a tree:
    searching a text for 92 diseases takes 0.02 instead of 0.5 ms. Of several alternatives that
    match at a place, another than the first may be the one that matches.
    """
    every = [one for expression in expressions for one in _alternatives(expression.pattern)]
    of_words = [one.removeprefix(_BOUNDARY) for one in every if one.startswith(_BOUNDARY)]
    others = [one for one in every if not one.startswith(_BOUNDARY)]
    words = [rf"\b{as_tree(of_words)}"] if of_words else []
    return re.compile("|".join([*words, *others]))


def as_tree(alternatives: Iterable[str]) -> str:
    """Return alternatives as one group, in which those with the same first letters share them.

    A place in a text is then compared with the letters that some begin with, not with each of them.
    """
    shared: dict[str, list[str]] = {}
    others: list[str] = []
    for one in alternatives:
        leading = _LEADING.match(one)
        words = leading[1].split("|") if leading else [""]
        rest = one[leading.end() :] if leading else one
        for word in words:
            if _LETTER.match(word + rest):
                shared.setdefault((word + rest)[0], []).append((word + rest)[1:])
            else:
                others.append(word + rest)
    branches = [letter + (as_tree(rest) if rest[1:] else rest[0]) for letter, rest in shared.items()]
    return f"(?:{'|'.join([*branches, *others])})"


def _alternatives(pattern: str) -> list[str]:
    """Return the alternatives of an expression, those outside brackets."""
    found, depth, in_class, start, at = list[str](), 0, False, 0, 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
        elif sign == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        else:
            depth += (sign == "(") - (sign == ")")
        at += 1
    return [*found, pattern[start:]]


class WordStarts(NamedTuple):
    """How the words begin that the matches of an expression begin with."""

    letters: frozenset[str]
    """First letters of such words, two to four; one of a word that has no other."""
    others: tuple[str, ...]
    """Alternatives that may begin elsewhere, or with a word that is not known."""


MOST_LETTERS, LEAST_LETTERS = 4, 2
_BEHIND = re.compile(r"(?:\(\?<[!=](?:[^()\\]|\\.)*\))*")
_CLASS = re.compile(r"\[([a-z\d]+)\](?![?*+{])")


def word_starts(pattern: str) -> WordStarts:
    """Return how the words begin that the matches of an expression begin with."""
    letters: set[str] = set()
    others: list[str] = []
    for one in _alternatives(pattern):
        at = _BEHIND.match(one)
        rest = one[at.end() :] if at else one
        own = {""}
        if rest.startswith(_BOUNDARY):
            own = set(_first_letters(_BEHIND.sub("", rest.removeprefix(_BOUNDARY), count=1), ""))
        if "" in own:
            others.append(one)
        else:
            letters |= own
    return WordStarts(frozenset(letters), tuple(others))


def _first_letters(rest: str, got: str) -> Iterator[str]:
    """Yield the first letters of the words that an alternative begins with; "" for any word.

    `got` is what comes before `rest`.
    """
    if len(got) == MOST_LETTERS:
        yield got
        return
    sign = "\\" + rest[1:2] if rest[:1] == "\\" else rest[:1]
    after = rest[len(sign) :]
    if rest.startswith("(?:"):
        inner, after = _group(rest)
        if after[:1] == "?":
            after = after[1:]
            inner.append("")
        elif after[:1] in tuple("*+{"):
            inner, after = [r"\w"], ""
        for one in inner:
            yield from _first_letters(one + after, got)
    elif found := _CLASS.match(rest):
        for letter in found[1]:
            yield from _first_letters(rest[found.end() :], got + letter)
    elif sign.isalnum() and after[:1] not in tuple("*+{"):
        if after[:1] == "?":
            after = after[1:]
            yield from _first_letters(after, got)
        yield from _first_letters(after, got + sign)
    else:
        ends_word = sign in tuple(" -/,") or sign in ("\\.", "\\b", r"\s", r"\W")
        if ends_word and after[:1] == "?" and sign != r"\b":
            yield from _first_letters(after[1:], got)
        whole = ends_word and after[:1] not in tuple("*{")
        yield got if len(got) >= LEAST_LETTERS or (got and whole) else ""


def _group(pattern: str) -> tuple[list[str], str]:
    """Return the alternatives of the group that an expression begins with, and what comes after."""
    depth, at = 0, 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "[":
            at = pattern.index("]", at + 2)
        else:
            depth += (pattern[at] == "(") - (pattern[at] == ")")
        at += 1
        if not depth:
            break
    return _alternatives(pattern[3 : at - 1]), pattern[at:]
