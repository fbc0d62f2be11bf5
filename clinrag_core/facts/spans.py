"""Finds concepts of the tables in a text, as spans; each is tried only at words it may begin at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.roles import calls_for
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.expressions import TABLES
from clinrag_core.text.needed import needed_parts
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import beginnings, word_starts, words_with

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern

CACHED_TEXTS = 4_096
"""Texts whose readings are kept, in memory only, since they may hold patient data."""


class NamedSpan(NamedTuple):
    """A place in a text that names something: characters from `start` to before `end`."""

    start: int
    end: int
    name: str


class _Table(NamedTuple):
    """A table of expressions by the words that their matches begin with."""

    expressions: Mapping[str, Pattern[str]]
    names: dict[str, tuple[str, ...]]
    """First letters of a word to the concepts that may begin there."""
    letters: frozenset[str]
    """All of these: two sets are compared twice as fast as a set and the keys of a table."""
    others: dict[str, tuple[tuple[tuple[str, ...], ...], Pattern[str]]]
    """Where else a concept may begin, with the words that are needed for that."""


def concept_spans(text: str, expressions: Mapping[str, Pattern[str]]) -> tuple[NamedSpan, ...]:
    """Return every mention of every concept, ordered by start; case is folded."""
    folded = fold_chars(text)
    table = _table(expressions)
    starts: dict[str, set[int]] = {}
    for letters in table.letters & beginnings(folded):
        places = words_with(folded, letters)
        for name in table.names[letters]:
            starts.setdefault(name, set()).update(places)
    for name, (needed, expression) in table.others.items():
        if calls_for(folded, needed) and (places := _starts(folded, expression)):
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
    others: dict[str, tuple[tuple[tuple[str, ...], ...], Pattern[str]]] = {}
    for name, expression in expressions.items():
        letters, _, elsewhere = word_starts(expression)
        for one in letters:
            names.setdefault(one, []).append(name)
        if elsewhere is not None:
            others[name] = needed_parts(elsewhere.pattern), elsewhere
    of_letters = {one: tuple(of) for one, of in names.items()}
    table = _Table(expressions, of_letters, frozenset(of_letters), others)
    if len(_TABLES) >= TABLES:
        _TABLES.clear()
    _TABLES[id(expressions)] = table
    return table


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
