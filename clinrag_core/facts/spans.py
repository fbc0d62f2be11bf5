"""Finds concepts of the tables in a text, as spans."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern

CACHED_TEXTS = 4_096
"""Texts whose readings are kept, in memory only, since they may hold patient data."""
TABLES = 64
"""Sets of expressions whose union is kept: there are about twenty."""
_BOUNDARY = r"\b"


class NamedSpan(NamedTuple):
    """A place in a text that names something: characters from `start` to before `end`."""

    start: int
    end: int
    name: str


def concept_spans(text: str, expressions: Mapping[str, Pattern[str]]) -> tuple[NamedSpan, ...]:
    """Return every mention of every concept, ordered by start; case is folded."""
    folded = fold_chars(text)
    if not _any_of(tuple(expressions.values())).search(folded):
        return ()
    return tuple(
        sorted(
            NamedSpan(match.start(), match.end(), name)
            for name, expression in expressions.items()
            for match in expression.finditer(folded)
        )
    )


@lru_cache(maxsize=TABLES)
def _any_of(expressions: tuple[Pattern[str], ...]) -> Pattern[str]:
    """Return one expression that matches where any of some does; most texts match none.

    Alternatives that begin at a word are tried at the beginnings of words only: searching a text
    for 92 diseases takes 0.08 instead of 0.5 ms.
    """
    every = [one for expression in expressions for one in _alternatives(expression.pattern)]
    of_words = [one.removeprefix(_BOUNDARY) for one in every if one.startswith(_BOUNDARY)]
    others = [one for one in every if not one.startswith(_BOUNDARY)]
    words = [rf"\b(?:{'|'.join(of_words)})"] if of_words else []
    return re.compile("|".join([*words, *others]))


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


def names_of(spans: tuple[NamedSpan, ...]) -> frozenset[str]:
    """Return the concepts that some spans name."""
    return frozenset(span.name for span in spans)


def names_diagnostics(text: str) -> bool:
    """Return whether a text speaks of a test, a finding or another means of diagnosis."""
    return safety_lexicon().diagnostic.terms.search(fold_chars(text)) is not None
