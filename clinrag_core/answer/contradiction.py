"""Contradictions between sources: the same thing said with different numbers.

Two claims of different documents contradict each other when they are about the same drugs, the same
people and the same kind of figure in the same unit, are worded alike, and share no value. They are
shown side by side with their dates and never merged.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from clinrag_core.answer.citations import date_of
from clinrag_core.answer.records import Contradiction
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from clinrag_core.answer.records import Claim
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk

ALIKE = 0.5
"""Least Jaccard similarity of the words around the figures."""
_KINDS = frozenset({"dose", "frequency", "duration", "concentration"})


def find_contradictions(
    claims: Sequence[Claim], evidence: Mapping[str, Chunk], drugs: DrugLexicon
) -> tuple[Contradiction, ...]:
    """Contradictions among accepted claims."""
    found: list[Contradiction] = []
    for one, other in combinations(claims, 2):
        first, second = one.citations[0], other.citations[0]
        if first.document_id == second.document_id:
            continue
        differing = _differing(one.text, other.text)
        if differing and _same_subject(one.text, other.text, drugs):
            citations = (first, second)
            dates = tuple(date_of(evidence[c.chunk_id]) for c in citations)
            found.append(Contradiction(about=differing, citations=citations, dates=dates))
    return tuple(found)


def _differing(one: str, other: str) -> tuple[str, ...]:
    """Kinds of figures both state in the same unit without a value in common."""
    first, second = _figures(one), _figures(other)
    return tuple(
        sorted(
            {
                kind
                for key in first.keys() & second.keys()
                for kind in [key[0]]
                if not first[key] & second[key] and not _overlap(first[key], second[key])
            }
        )
    )


_Key = tuple[str, str, tuple[str, ...], str]


def _figures(text: str) -> dict[_Key, set[tuple[Decimal, ...]]]:
    figures: dict[_Key, set[tuple[Decimal, ...]]] = {}
    for quantity in quantities(text):
        if quantity.kind in _KINDS:
            values, unit, per = quantity.key
            key = (quantity.kind, unit, per, quantity.comparator)
            figures.setdefault(key, set()).add(values)
    return figures


def _overlap(one: set[tuple[Decimal, ...]], other: set[tuple[Decimal, ...]]) -> bool:
    return any(a[0] <= b[-1] and b[0] <= a[-1] for a in one for b in other)


def _same_subject(one: str, other: str, drugs: DrugLexicon) -> bool:
    if drugs.ingredients(one) != drugs.ingredients(other):
        return False
    populations = safety_lexicon().populations
    routes = safety_lexicon().routes
    if populations.find(one) != populations.find(other) or routes.find(one) != routes.find(other):
        return False
    first, second = _words(one), _words(other)
    return bool(first) and len(first & second) >= ALIKE * len(first | second)


def _words(text: str) -> set[str]:
    return {s for s in key_stems(text) if s.isalpha()}
