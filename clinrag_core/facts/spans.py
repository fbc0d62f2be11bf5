"""Finds concepts of the tables in a text, as spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.expressions import any_of
from clinrag_core.text.normalise import fold_chars

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


def concept_spans(text: str, expressions: Mapping[str, Pattern[str]]) -> tuple[NamedSpan, ...]:
    """Return every mention of every concept, ordered by start; case is folded."""
    folded = fold_chars(text)
    starts = _starts(folded, any_of(tuple(expressions.values())))
    if not starts:
        return ()
    spans: list[NamedSpan] = []
    for name, expression in expressions.items():
        end = 0
        for start in starts:
            if start >= end and (match := expression.match(folded, start)):
                end = match.end()
                spans.append(NamedSpan(start, end, name))
    return tuple(sorted(spans))


def _starts(folded: str, any_expression: Pattern[str]) -> list[int]:
    """Return where a match may begin; most texts have no such place, others one or two.

    Matching 92 diseases there takes 0.05 instead of the 0.3 ms of searching a text for each.
    """
    starts: list[int] = []
    match = any_expression.search(folded)
    while match:
        starts.append(match.start())
        match = any_expression.search(folded, match.start() + 1)
    return starts


def names_of(spans: tuple[NamedSpan, ...]) -> frozenset[str]:
    """Return the concepts that some spans name."""
    return frozenset(span.name for span in spans)


def names_diagnostics(text: str) -> bool:
    """Return whether a text speaks of a test, a finding or another means of diagnosis."""
    return safety_lexicon().diagnostic.terms.search(fold_chars(text)) is not None
