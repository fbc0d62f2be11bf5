"""Finds comparisons, orders and words that a claim turns round.

"B more than A" for "A more than B", "after" for "before", a word for its opposite. Pure.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.negation import DENYING_PREFIXES
from clinrag_core.answer.gates.sides import keeps_comparison, keeps_order
from clinrag_core.facts.concepts import FIGURE, JOINING, WORD
from clinrag_core.facts.negation import bounds_by_denial
from clinrag_core.lexicon.roles import general_stems, opposite_stems, soft_roles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key
    from clinrag_core.facts.concepts import Concept

DENIES = (JOINING, "not")


def sides_of(pair: AlignedSentences) -> tuple[tuple[Concept, ...], tuple[Concept, ...]]:
    """Return what the claim says and what the evidence states."""
    return pair.said, pair.stated


_COMPARED = {("direction", "up"), ("direction", "down"), (WORD, "more"), (WORD, "less")}
_ORDERED = ("before", "after", "than")


def order_turned(pair: AlignedSentences) -> list[str]:
    """Return what comes before what it came after: "A two hours after B", "B more than A"."""
    said, stated = (
        Counter(c.value for c in side if c.family == JOINING) for side in sides_of(pair)
    )
    if said["after"] > stated["after"] and stated["within"] > said["within"]:
        return ["after"]  # "within a week" gives an end, "after a week" a beginning
    for word in _ORDERED:
        key = (JOINING, word)
        if pair.said_keys.count(key) != 1 or pair.stated_keys.count(key) != 1:
            continue
        said, stated = _sides_of_joint(key, pair.said), _sides_of_joint(key, pair.stated)
        if said is None or stated is None or said[1] == stated[1]:
            continue
        kept = keeps_order(pair) if word != "than" else keeps_comparison(pair)
        kept = kept or turned_comparison(pair)
        if said[1] in stated[0] and stated[1] in said[0] and not kept:
            return [word]
    return []


def _sides_of_joint(joint: Key, sentence: Sequence[Concept]) -> tuple[set[Key], Key] | None:
    """Return what a joining word follows, and the next that says something; None without one."""
    at = next((n for n, c in enumerate(sentence) if c.key == joint), len(sentence))
    after = [c.key for c in sentence[at + 1 :] if says_something(c)]
    return ({c.key for c in sentence[:at]}, after[0]) if after else None


def compared_with_other(pair: AlignedSentences, there: set[Key]) -> list[str]:
    """Return what a claim compares something with that its evidence does not speak of."""
    if bounds_by_denial(pair.claim):
        return []
    content = [c for c in pair.said if c.key == (JOINING, "than") or says_something(c)]
    return [
        after.value
        for one, after in pairwise(content)
        if one.key == (JOINING, "than") and after.key not in there and after.family == WORD
    ]


def turned_comparison(pair: AlignedSentences) -> bool:
    """Return whether a comparison was turned with its sides: "A more than B", "B less than A"."""
    if (JOINING, "than") not in pair.said_keys:
        return False
    said, stated = ({c.key for c in side} & _COMPARED for side in (pair.said, pair.stated))
    return bool(said and stated) and said.isdisjoint(stated)


def says_something(concept: Concept) -> bool:
    """Return whether a concept adds something to a statement by itself."""
    if concept.family == WORD:
        return concept.value not in general_stems()
    return concept.family not in {JOINING, FIGURE} and concept.key not in soft_roles()


def turned_round(pair: AlignedSentences) -> list[str]:
    """Return words of a claim whose opposites its sentence has, and the claim has not."""
    said, stated = ({c.value for c in side if c.family != FIGURE} for side in sides_of(pair))
    gone = stated - said
    turned = [new for new in said - stated for old in gone if (new, old) in opposite_stems()]
    if pair.said_keys.count(DENIES) == pair.stated_keys.count(DENIES):
        turned += [new for new in said - stated for old in gone if _denies_word(new, old)]
    return [] if turned_comparison(pair) and _sides_exchanged(pair) else turned


_TURNING_PREFIXES = (*DENYING_PREFIXES, "de")
LEAST_TURNED = 5
"""Letters of the shortest stem that a prefix turns round: "involv" is one, "form" is not."""


def _denies_word(one: str, other: str) -> bool:
    """Return whether one of two stems is the other one with a prefix that denies it."""
    short, long = sorted((one, other), key=len)
    return len(short) >= LEAST_TURNED and any(
        long == prefix + short for prefix in _TURNING_PREFIXES
    )


def _sides_exchanged(pair: AlignedSentences) -> bool:
    """Return whether a claim compares the second of its sentence's two things with the first."""
    said, stated = (_sides_of_joint((JOINING, "than"), side) for side in sides_of(pair))
    if said is None or stated is None:
        return False
    return said[1] != stated[1] and said[1] in stated[0]
