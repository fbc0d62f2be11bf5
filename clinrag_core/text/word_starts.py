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
_WORD = lazy_re(r"\w+")
_BOUNDARY = r"\b"
_BEHIND = lazy_re(r"(?:\(\?<[!=](?:[^()\\]|\\.)*\))*")
_CLASS = lazy_re(r"\[([a-z\d]+)\](?![?*+{])")


class WordStarts(NamedTuple):
    """How the words begin that the matches of an expression begin with."""

    letters: frozenset[str]
    """First letters of such words, two to four; one of a word that has no other."""
    tree: Pattern[str] | None
    """Matches where an alternative does that begins with such a word; None where there are none."""
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
    letters, of_words, others = set[str](), list[str](), list[str]()
    for one in alternatives(pattern):
        rest = _BEHIND.sub("", one, count=1)
        after = rest.removeprefix(_BOUNDARY)
        own = {""} if after == rest else set(_first_letters(_BEHIND.sub("", after, count=1), ""))
        if "" in own:
            others.append(one)
        else:
            letters |= own  # what comes before a word may be looked for behind its boundary as well
            of_words.append(_BOUNDARY + one.removesuffix(rest) + after)
    tree, elsewhere = (joined(every) if every else None for every in (of_words, others))
    return WordStarts(frozenset(letters), tree, elsewhere)


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
    cut = found = {word[:MOST_LETTERS] for word in set(_WORD.findall(text))}
    for length in range(MOST_LETTERS - 1, LEAST_LETTERS - 1, -1):
        cut = {word[:length] for word in cut}
        found |= cut
    return frozenset(found)


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
    letters, tree, others = word_starts(expression)
    may_begin = tree is not None and not letters.isdisjoint(beginnings(text))
    return (tree is not None and may_begin and tree.search(text) is not None) or (
        others is not None and others.search(text) is not None
    )
