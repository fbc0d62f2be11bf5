"""Contradictions between sources: different numbers, or opposite words, for the same thing.

Two claims of different documents contradict each other when they are about the same drugs and the
same people, are worded alike, and share no value of the same kind of figure in the same unit, or
say the opposite: one denies what the other says, "safe" and "unsafe", up and down. They are shown
next to each other with their dates and organisations and never merged. A user's document counts
like any other.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from clinrag_core.answer.citations import date_of
from clinrag_core.answer.records import Contradiction
from clinrag_core.facts.concepts import FIGURE, JOINING, read_concepts
from clinrag_core.facts.quantities import REGIMEN_KINDS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import names_of
from clinrag_core.lexicon.roles import reworded
from clinrag_core.text.similarity import jaccard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from clinrag_core.answer.records import Claim
    from clinrag_core.facts.concepts import Concept
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.model.chunk import Chunk

ALIKE = 0.5
"""Least Jaccard similarity of the words around the figures."""
ALIKE_OPPOSED = 0.6
"""Least Jaccard similarity of the other concepts of two claims that say the opposite; by judgement:
of short claims one word of three may differ."""
_OPPOSED = ("direction", "safety", "efficacy", "multiple")
_DENIALS = frozenset({(JOINING, "not"), ("permission", "contraindicated")})
_COUNTED = frozenset({*_OPPOSED, "permission", JOINING, FIGURE})


def find_contradictions(
    claims: Sequence[Claim], evidence: Mapping[str, Chunk], drugs: DrugLexicon
) -> tuple[Contradiction, ...]:
    """Return the contradictions among accepted claims."""
    contradictions: list[Contradiction] = []
    for one, other in combinations(claims, 2):
        first, second = one.citations[0], other.citations[0]
        if first.document_id == second.document_id:
            continue
        facts = read_facts(one.text, drugs), read_facts(other.text, drugs)
        differing = _differing(*facts) if _same_subject(*facts) else ()
        differing += _opposed(*facts, drugs)
        if differing:
            citations = (first, second)
            sources = [evidence[c.chunk_id] for c in citations]
            contradictions.append(
                Contradiction(
                    about=differing,
                    citations=citations,
                    dates=tuple(map(date_of, sources)),
                    organisations=tuple(source.organisation for source in sources),
                )
            )
    return tuple(contradictions)


def _differing(one: Facts, other: Facts) -> tuple[str, ...]:
    """Return kinds of figures both state in the same unit without a value in common."""
    first, second = _figures(one), _figures(other)
    shared = first.keys() & second.keys()
    return tuple(sorted({key[0] for key in shared if not _overlap(first[key], second[key])}))


def _opposed(one: Facts, other: Facts, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return in what two claims on the same drugs and people say the opposite."""
    same = one.ingredients == other.ingredients and one.ingredients
    if not same or names_of(one.populations) != names_of(other.populations):
        return ()
    first, second = (read_concepts(reworded(facts.text), drugs) for facts in (one, other))
    said, stated = (
        {".".join(c.key) for c in side if c.family not in _COUNTED} for side in (first, second)
    )
    if jaccard(said, stated) < ALIKE_OPPOSED:
        return ()
    found = [
        family
        for family in _OPPOSED
        if (values := {c.value for c in first if c.family == family})
        and (others := {c.value for c in second if c.family == family})
        and values.isdisjoint(others)
    ]
    if _denials(first) % 2 != _denials(second) % 2:
        found.append("polarity")
    return tuple(found)


def _denials(concepts: Sequence[Concept]) -> int:
    return sum(c.key in _DENIALS for c in concepts)


_Key = tuple[str, str, tuple[str, ...], str]


def _figures(facts: Facts) -> dict[_Key, set[tuple[Decimal, ...]]]:
    figures: dict[_Key, set[tuple[Decimal, ...]]] = {}
    for quantity in facts.quantities:
        if quantity.kind in REGIMEN_KINDS:
            values, unit, per = quantity.key
            key = (quantity.kind, unit, per, quantity.comparator)
            figures.setdefault(key, set()).add(values)
    return figures


def _overlap(one: set[tuple[Decimal, ...]], other: set[tuple[Decimal, ...]]) -> bool:
    return any(a[0] <= b[-1] and b[0] <= a[-1] for a in one for b in other)


def _same_subject(one: Facts, other: Facts) -> bool:
    """Return whether two claims are about the same drugs and people and are worded alike."""
    return (
        one.ingredients == other.ingredients
        and names_of(one.populations) == names_of(other.populations)
        and names_of(one.routes) == names_of(other.routes)
        and jaccard(_words(one), _words(other)) >= ALIKE
    )


def _words(facts: Facts) -> set[str]:
    return {stem for stem in facts.stems if stem.isalpha()}
