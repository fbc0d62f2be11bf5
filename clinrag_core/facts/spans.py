"""Finds concepts of the tables in a text, as spans.

Most words of a text begin no concept: an expression is tried only at words with the first letters
of one of its matches. The words of a text are cut once for all tables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.expressions import TABLES, any_of, word_starts
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern

CACHED_TEXTS = 4_096
"""Texts whose readings are kept, in memory only, since they may hold patient data."""

CACHED_WORDS = 256
"""Texts whose words are kept: the tables read a text one after the other."""
_LETTERS = re.compile(r"\b(?=(\w{1,4}))(?=(\w{1,3}))(\w{1,2})")
"""From `LEAST_LETTERS` to `MOST_LETTERS` of `expressions.word_starts`."""


class NamedSpan(NamedTuple):
    """A place in a text that names something: characters from `start` to before `end`."""

    start: int
    end: int
    name: str


class _Table(NamedTuple):
    """A table of expressions by what the words begin with that their matches begin with."""

    expressions: Mapping[str, Pattern[str]]
    names: dict[str, tuple[str, ...]]
    """First letters of a word to the concepts that may begin there."""
    others: Pattern[str] | None
    """Where else concepts may begin; None where nowhere."""
    anywhere: tuple[str, ...]
    """The concepts of `others`."""


def concept_spans(text: str, expressions: Mapping[str, Pattern[str]]) -> tuple[NamedSpan, ...]:
    """Return every mention of every concept, ordered by start; case is folded."""
    folded = fold_chars(text)
    table = _table(expressions)
    starts: dict[str, set[int]] = {}
    for letters in table.names.keys() & _beginnings(folded):
        places = _words_with(folded, letters)
        for name in table.names[letters]:
            starts.setdefault(name, set()).update(places)
    if table.others is not None and (places := _starts(folded, table.others)):
        for name in table.anywhere:
            starts.setdefault(name, set()).update(places)
    spans: list[NamedSpan] = []
    for name, places in starts.items():
        expression, end = expressions[name], 0
        for start in sorted(places):
            if start >= end and (match := expression.match(folded, start)):
                end = match.end()
                spans.append(NamedSpan(start, end, name))
    return tuple(sorted(spans))


_TABLES: dict[int, _Table] = {}
"""By the identity of their expressions: to hash those takes as long as to search a text."""


def _table(expressions: Mapping[str, Pattern[str]]) -> _Table:
    """Return a table by the words that its concepts begin with; made once."""
    known = _TABLES.get(id(expressions))
    if known is not None and known.expressions is expressions:
        return known
    names: dict[str, list[str]] = {}
    others: dict[str, tuple[str, ...]] = {}
    for name, expression in expressions.items():
        letters, elsewhere = word_starts(expression.pattern)
        for one in letters:
            names.setdefault(one, []).append(name)
        if elsewhere:
            others[name] = elsewhere
    patterns = tuple(re.compile(one) for every in others.values() for one in every)
    table = _Table(
        expressions,
        {letters: tuple(of) for letters, of in names.items()},
        any_of(patterns) if patterns else None,
        tuple(others),
    )
    if len(_TABLES) >= TABLES:
        _TABLES.clear()
    _TABLES[id(expressions)] = table
    return table


@lru_cache(maxsize=CACHED_WORDS)
def _beginnings(folded: str) -> frozenset[str]:
    """Return the first letters of the words of a text: two to four of each, or its only one."""
    return frozenset().union(*_LETTERS.findall(folded))


def _words_with(folded: str, letters: str) -> list[int]:
    """Return where the words with some first letters begin."""
    places: list[int] = []
    at = folded.find(letters)
    while at >= 0:
        if not at or not (folded[at - 1].isalnum() or folded[at - 1] == "_"):
            places.append(at)
        at = folded.find(letters, at + 1)
    return places


def _starts(folded: str, expression: Pattern[str]) -> list[int]:
    """Return where a match of an expression begins, also within another match."""
    starts: list[int] = []
    match = expression.search(folded)
    while match:
        starts.append(match.start())
        match = expression.search(folded, match.start() + 1)
    return starts


def names_of(spans: tuple[NamedSpan, ...]) -> frozenset[str]:
    """Return the concepts that some spans name."""
    return frozenset(span.name for span in spans)


def names_diagnostics(text: str) -> bool:
    """Return whether a text speaks of a test, a finding or another means of diagnosis."""
    return safety_lexicon().diagnostic.terms.search(fold_chars(text)) is not None
