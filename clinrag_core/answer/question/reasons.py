"""What the drugs that somebody takes are for: it is not what another drug is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.reader import Facts

_REASON = lazy_re(
    r"\s+(?:for|to treat|against)\s+(?:(?!\b(?:and|or|with|in)\b)[^,.;?])*"
    r"|\s+(?:prophylaxis|prevention|prevent(?:at)?ive (?:therapy|treatment))\b"
)
"""What a drug is taken for, right after its name and how it is taken."""
_NUMBER = lazy_re(r"\s*(?:\d[\d.,]*)?\s*")
"""What is between a drug and how often it is taken: "omeprazole 20 every day"."""


def reasons_of(facts: Facts, partners: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Return the spans of what partners are taken for.

    In "X while on rifampin for TB" the disease is not what X is asked for.
    """
    folded = fold_chars(facts.text)
    ends = (_after_amounts(facts, m.end) for m in facts.drugs if m.ingredients in partners)
    found = (_REASON.match(folded, end) for end in ends)
    return [match.span() for match in found if match]


def _after_amounts(facts: Facts, end: int) -> int:
    """Return where the figures end that are right after a place."""
    for figure in facts.quantities:
        if figure.start >= end and _NUMBER.fullmatch(facts.text, end, figure.start):
            end = figure.end
    return end
