"""Finds drugs of a claim that are joined otherwise than in its evidence, or cut from their list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.comparisons import DENIES, sides_of
from clinrag_core.facts.concepts import DRUG, JOINING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.facts.concepts import Concept

_LISTING = frozenset({"and", "or"})


def drugs_joined_otherwise(pair: AlignedSentences) -> list[str]:
    """Return the "or" between two drugs of a sentence that denies nothing and has "and" there."""
    if DENIES in (*pair.said_keys, *pair.stated_keys):
        return []
    said, stated = map(_joints_of_drugs, sides_of(pair))
    if cut := _list_cut(pair):
        return cut
    return [joint for drugs, joint in said - stated if any(drugs == one for one, _ in stated)]


def _list_cut(pair: AlignedSentences) -> list[str]:
    """Return the drugs of a combination of which a claim names several, but not these."""
    own = {name for c in pair.said if c.family == DRUG for name in c.value.split("+")}
    for names in map(frozenset, _combinations(pair.stated)):
        kept = [set(one) & names for one in _combinations(pair.said)]
        if any(len(one) > 1 for one in kept) and (gone := names - own):
            return sorted(gone)
    return []


def _combinations(sentence: Sequence[Concept]) -> Iterator[list[str]]:
    """Yield the drugs that a sentence names one after the other, joined by "and" at most."""
    names: list[str] = []
    for concept in sentence:
        if concept.family == DRUG:
            names += concept.value.split("+")
        elif concept.key not in {(JOINING, "and"), (JOINING, "with")}:
            yield names
            names = []
    yield names


def _joints_of_drugs(sentence: Sequence[Concept]) -> set[tuple[frozenset[str], str]]:
    """Return pairs of drugs, or of one named with another, with the "and" or "or" between them."""
    found: set[tuple[frozenset[str], str]] = set()
    for n, one in enumerate(sentence):
        if one.family == DRUG and "+" in one.value:
            found.add((frozenset(one.value.split("+")), "and"))
        following = sentence[n + 1 : n + 3]
        if one.family == DRUG and [c.family for c in following] == [JOINING, DRUG]:
            joint, other = following
            if joint.value in _LISTING:
                found.add((frozenset({one.value, other.value}), joint.value))
    return found
