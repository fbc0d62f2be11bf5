"""Finds the second part of a condition that a claim drops, and what it says alone of a combination.

"If A exceeds its limit and lasts two weeks" is no "if A exceeds its limit". Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.merges import content_of
from clinrag_core.facts.concepts import DRUG, FIGURE, WORD
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key
    from clinrag_core.facts.concepts import Concept

_CONDITION = lazy_re(r"\b(?:if|when|where|once|as soon as)\b(?P<what>[^.;:(),]*)")
_AND = lazy_re(r"\band\b")
_BETWEEN = lazy_re(r"\bbetween\b[^,]*$|\b(?:both|or)\b[^,]*$")
KEPT = 0.5
"""Least share of the first part of a condition that a claim made of it has."""
_ALONE = ("alone", "alone")
NEAR = 3
"""Concepts before "alone" among which the drug is that it is said of."""
_DRUGS = frozenset({DRUG, "drug_class"})


def conjunct_dropped(pair: AlignedSentences) -> list[str]:
    """Return the figures of a part of a condition that a claim with its other part leaves out."""
    said = set(pair.said_keys)
    content = content_of(pair.stated)
    for first, second in _conditions(fold_chars(pair.text)):
        one, other = ([c for c in content if a <= c.start < b] for a, b in (first, second))
        units = {_unit_of(c) for c in one if c.family == FIGURE}
        # "5 mm in A and 10 mm in B" are two conditions.
        figures = [c for c in other if c.family == FIGURE and _unit_of(c) not in units]
        if not one or not figures or any(c.key in said for c in other if c.family != WORD):
            continue
        if sum(c.key in said for c in one) >= KEPT * len(one):
            return [c.value for c in figures]
    return []


def _unit_of(figure: Concept) -> str:
    return figure.value.rpartition(" ")[2].rstrip("<>=") if " " in figure.value else ""


def _conditions(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the spans of the two parts of each condition that an "and" joins."""
    for match in _CONDITION.finditer(text):
        start, end = match.span("what")
        for joint in _AND.finditer(text, start, end):
            if not _BETWEEN.search(text[start : joint.start()]):
                yield (start, joint.start()), (joint.end(), end)
                break


def said_alone(pair: AlignedSentences) -> list[str]:
    """Return the drug that a claim has alone, where its evidence has another one alone."""
    own, there = _drugs_alone(pair.said), _drugs_alone(pair.stated)
    known = {key for key in pair.stated_keys if key[0] in _DRUGS}
    return [value for _, value in (own - there) & known] if there and own else []


def _drugs_alone(sentence: Sequence[Concept]) -> set[Key]:
    """Return the last drug before each "alone" of a sentence."""
    found: set[Key] = set()
    for at, concept in enumerate(sentence):
        if concept.key == _ALONE:
            near = [c.key for c in sentence[max(0, at - NEAR) : at] if c.family in _DRUGS]
            found.update(near[-1:])
    return found
