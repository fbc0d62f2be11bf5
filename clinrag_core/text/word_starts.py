"""How the words of a text begin, and those that the matches of an expression begin with.

Most words of a text begin no match: an expression is tried only at words with the first letters of
one of its matches. The words of a text are cut once for all expressions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.text.expressions import alternatives, joined, lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

CACHED_TEXTS = 1_024
"""Texts whose words are kept, in memory only: expressions read a text one after the other."""
KNOWN = 512
"""Expressions whose beginnings are kept: the tables have about three hundred."""
MOST_LETTERS, LEAST_LETTERS = 4, 2
_LETTERS = lazy_re(r"\b(?=(\w{1,4}))(?=(\w{1,3}))(\w{1,2})")
"""From `LEAST_LETTERS` to `MOST_LETTERS` of a word."""
_BOUNDARY = r"\b"
_BEHIND = lazy_re(r"(?:\(\?<[!=](?:[^()\\]|\\.)*\))*")
_CLASS = lazy_re(r"\[([a-z\d]+)\](?![?*+{])")


class WordStarts(NamedTuple):
    """How the words begin that the matches of an expression begin with."""

    letters: frozenset[str]
    """First letters of such words, two to four; one of a word that has no other."""
    others: Pattern[str] | None
    """Matches where the alternatives do that may begin elsewhere; None where there are none."""


_STARTS: dict[int, tuple[Pattern[str], WordStarts]] = {}
"""By the identity of an expression: to hash one takes as long as to search a text."""


def word_starts(expression: Pattern[str]) -> WordStarts:
    """Return how the words begin that the matches of an expression begin with."""
    known = _STARTS.get(id(expression))
    if known is None or known[0] is not expression:
        if len(_STARTS) >= KNOWN:
            _STARTS.clear()
        known = _STARTS[id(expression)] = (expression, _word_starts(expression.pattern))
    return known[1]


def _word_starts(pattern: str) -> WordStarts:
    """Return the beginnings of the alternatives of a pattern, and those that begin elsewhere."""
    letters: set[str] = set()
    others: list[str] = []
    for one in alternatives(pattern):
        at = _BEHIND.match(one)
        rest = one[at.end() :] if at else one
        own = {""}
        if rest.startswith(_BOUNDARY):
            own = set(_first_letters(_BEHIND.sub("", rest.removeprefix(_BOUNDARY), count=1), ""))
        if "" in own:
            others.append(one)
        else:
            letters |= own
    elsewhere = joined(others) if others else None
    return WordStarts(frozenset(letters), elsewhere)


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
        yield from _at_the_end(sign, after, got)


def _at_the_end(sign: str, after: str, got: str) -> Iterator[str]:
    """Yield the letters before a sign that is none, and those with what comes after if it may."""
    ends_word = sign in tuple(" -/,") or sign in ("\\.", r"\b", r"\s", r"\W")
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
    return alternatives(pattern[3 : at - 1]), pattern[at:]


@lru_cache(maxsize=CACHED_TEXTS)
def beginnings(text: str) -> frozenset[str]:
    """Return the first letters of the words of a text: two to four of each, or its only one."""
    return frozenset().union(*_LETTERS.findall(text))


def words_with(text: str, letters: str) -> list[int]:
    """Return where the words with some first letters begin."""
    places: list[int] = []
    at = text.find(letters)
    while at >= 0:
        if not at or not (text[at - 1].isalnum() or text[at - 1] == "_"):
            places.append(at)
        at = text.find(letters, at + 1)
    return places


def says(text: str, expression: Pattern[str]) -> bool:
    """Return whether an expression matches anywhere in a text, which is folded: as its `search`."""
    letters, others = word_starts(expression)
    return any(
        expression.match(text, at)
        for one in letters & beginnings(text)
        for at in words_with(text, one)
    ) or (others is not None and others.search(text) is not None)
