"""Finds concepts of a table in a text, as spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
    """Return every mention of every concept, ordered by start.

    Args:
        text: as printed; it is case-folded here.
        expressions: concept to the expression that matches its names.
    """
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
