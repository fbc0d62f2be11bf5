"""Finds concepts of the tables in a text, as spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern


class NamedSpan(NamedTuple):
    """A place in a text that names something: characters from `start` to before `end`."""

    start: int
    end: int
    name: str


def concept_spans(text: str, expressions: Mapping[str, Pattern[str]]) -> tuple[NamedSpan, ...]:
    """Return every mention of every concept, ordered by start; case is folded."""
    folded = fold_chars(text)
    return tuple(
        sorted(
            NamedSpan(match.start(), match.end(), name)
            for name, expression in expressions.items()
            for match in expression.finditer(folded)
        )
    )


def names_of(spans: tuple[NamedSpan, ...]) -> frozenset[str]:
    """Return the concepts that some spans name."""
    return frozenset(span.name for span in spans)


def names_diagnostics(text: str) -> bool:
    """Return whether a text speaks of a test, a finding or another means of diagnosis."""
    return safety_lexicon().diagnostic.terms.search(fold_chars(text)) is not None
