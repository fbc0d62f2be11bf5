"""Finds drugs of a claim that are joined otherwise than in its evidence, or cut from their list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.comparisons import DENIES, sides_of
from clinrag_core.facts.concepts import DRUG, JOINING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.facts.concepts import Concept

_LISTING = frozenset({"and", "or"})


def drugs_joined_otherwise(pair: AlignedSentences) -> list[str]:
    """Return the "or" between two drugs of a sentence that denies nothing and has "and" there."""
    is_denied = DENIES in (*pair.said_keys, *pair.stated_keys)
    if (cut := _list_cut(pair, exchanged=is_denied)) or is_denied:
        return cut
    said, stated = map(_joints_of_drugs, sides_of(pair))
    return [joint for drugs, joint in said - stated if any(drugs == one for one, _ in stated)]


def _list_cut(pair: AlignedSentences, *, exchanged: bool) -> list[str]:
    """Return the drugs of a combination of which a claim names several, but not these.

    With `exchanged` only where it names another one instead: what holds of none of three holds of
    none of two.
    """
    said, stated = map(_combinations, (pair.said, pair.stated))
    own = frozenset[str]().union(*said)
    for names in stated:
        of_it = [one for one in said if len(one & names) > 1 and (one - names or not exchanged)]
        if of_it and (gone := names - own):
            return sorted(gone)
    return []


def _combinations(sentence: Sequence[Concept]) -> list[frozenset[str]]:
    """Return the drugs that a sentence names one after the other, joined by "and" at most."""
    runs: list[set[str]] = [set()]
    for concept in sentence:
        if concept.family == DRUG:
            runs[-1].update(concept.value.split("+"))
        elif runs[-1] and concept.key not in {(JOINING, "and"), (JOINING, "with")}:
            runs.append(set())
    return [frozenset(names) for names in runs if names]


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
