"""Owners gate: every figure and role of a claim is said of what the evidence says it of.

"Neutropenia with nevirapine, rash with zidovudine" has all words of "rash with nevirapine,
neutropenia with zidovudine". Of two figures, drugs or roles of one family, each has its own
neighbours; one that has the neighbours of the other took its place.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations, groupby, pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.actors import actors_turned
from clinrag_core.answer.gates.conjuncts import said_alone
from clinrag_core.answer.gates.holders import held_by_others
from clinrag_core.answer.gates.parts import mixed_parts
from clinrag_core.answer.gates.protocol import is_row, passed, refused
from clinrag_core.answer.gates.shares import share_turned
from clinrag_core.answer.gates.sides import turned_relations
from clinrag_core.facts.concepts import DRUG, FIGURE, JOINING, WORD, read_concepts
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.similarity import cosine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.concepts import Concept

CACHED_CLAIMS = 64
"""Claims in shared wording whose owners are kept, of all threads."""
REACH = 3
"""Concepts on each side that are neighbours, the nearer the heavier."""
MARGIN = 0.2
"""By how much (of a cosine) each of two must have the neighbours of the other one rather than its
own. Chosen on the dev half of the ruler, as is the next."""
MARGIN_ALONE = 0.5
"""The same where the claim names only one of the two."""
_CLAUSE = lazy_re(r";\s")
_PART = lazy_re(
    r"[,;:]\s|\b(?:and|or|then|followed by|while|whereas|versus|vs"
    r"|(?:compared|in comparison) (?:with|to))\b"
)
_ARM = "study_arm"
"""What a trial compares a drug with is named in the drug's place."""
_YEARS = lazy_re(r"(?:19|20)\d\d(?:-(?:19|20)?\d\d)?")
_RESPECTIVELY = lazy_re(r"\brespectively\b", re.IGNORECASE)
_ORDER = frozenset({(JOINING, "before"), (JOINING, "after")})


class OwnersGate:
    """Rejects claims in which figures or roles of one family changed owners."""

    name = "owners"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `owner_changed`, `sides_exchanged`, with what is another's or turned."""
        if claim.compared and (found := _changed_in_shared_wording(claim.reworded)):
            return refused(self.name, *found)
        for pair in claim.compared:
            if pair.said_keys == pair.stated_keys:
                continue
            if wrong := _displaced(pair) or _paired_otherwise(pair) or said_alone(pair):
                return refused(self.name, "owner_changed", wrong)
        return passed(self.name)


@lru_cache(maxsize=CACHED_CLAIMS)
def _changed_in_shared_wording(claim: ClaimInContext) -> tuple[str, Iterable[str]] | None:
    """Return the code and the words of what a claim in shared wording says of another thing.

    Kept, as it is asked of a claim as it is worded, and of the same one in shared wording.
    """
    if wrong := _held_by_others(claim):
        return "owner_changed", wrong
    for pair in claim.compared:
        if wrong := mixed_parts(pair):
            return "owner_changed", wrong
        if wrong := turned_relations(pair) or actors_turned(pair) or share_turned(pair):
            return "sides_exchanged", wrong
    return None


def _held_by_others(claim: ClaimInContext) -> list[str]:
    said, stated = (
        [read_concepts(one.text, claim.drugs) for one in sentences]
        for sentences in (claim.claim.sentences, claim.source_sentences)
    )
    return held_by_others(said, stated)


def _displaced(pair: AlignedSentences) -> set[str]:
    """Return what has neighbours in the claim that another one has in the evidence."""
    said, stated = ([c for c in side if c.family != JOINING] for side in (pair.said, pair.stated))
    places: dict[str, list[int]] = {}
    for at, one in enumerate(stated):
        if one.family != WORD:
            places.setdefault(one.family, []).append(at)
    ends, own_ends = map(_clause_ends, (pair.text, pair.claim))
    there = {
        family: [(stated[at].value, _neighbours(stated, at, ends)) for at in own]
        for family, own in places.items()
        if len({stated[at].value for at in own}) > 1  # two can change places
    }
    taken: dict[Key, str] = {}
    for at, one in enumerate(said):
        others = there.get(one.family)
        if others is None:
            continue
        own = _neighbours(said, at, own_ends)
        fits: dict[str, float] = {}
        for value, around in others:
            fits[value] = max(fits.get(value, 0.0), cosine(own, around))
        if one.value in fits:
            best = max((fit, value) for value, fit in fits.items() if value != one.value)
            is_said = (one.family, best[1]) in pair.said_keys
            if best[0] > fits[one.value] + (MARGIN if is_said else MARGIN_ALONE):
                taken[one.key] = best[1]
    return {
        value
        for (family, value), place in taken.items()
        if (family, place) not in pair.said_keys or taken.get((family, place)) == value
    }


def _paired_otherwise(pair: AlignedSentences) -> set[str]:
    """Return what is paired with another's partner: "A 1 mg, B 2 mg" as "A 2 mg".

    Partners are values of two families that a sentence names in turns.
    """
    said, stated = _by_group(pair.said), _by_group(pair.stated)
    several = [group for group, found in stated.items() if len({c.value for c in found}) > 1]
    for one, other in combinations(sorted(several), 2):
        there = _pairs(stated[one], stated[other], pair.text)
        own = _pairs(said.get(one, []), said.get(other, []), pair.claim)
        firsts, lasts = {a for a, _ in there}, {b for _, b in there}
        if wrong := {a for a, b in own - there if a in firsts and b in lasts}:
            return wrong
    return set()


def _by_group(sentence: Sequence[Concept]) -> dict[str, list[Concept]]:
    """Return the roles, drugs and figures of a sentence by group, and its "before" and "after"."""
    found: dict[str, list[Concept]] = {}
    for concept in sentence:
        if concept.family not in {WORD, JOINING} or concept.key in _ORDER:
            found.setdefault(_group(concept), []).append(concept)
    return found


def _pairs(one: Sequence[Concept], other: Sequence[Concept], text: str) -> set[tuple[str, str]]:
    """Return the pairs of two groups that are named in turns, or one of each in every part."""
    if _RESPECTIVELY.search(text):
        return _in_lists(one, other)
    return _in_turns(one, other) or _in_parts(one, other, text)


def _in_lists(one: Sequence[Concept], other: Sequence[Concept]) -> set[tuple[str, str]]:
    """Return the pairs of two lists of one length: "63% and 74% on 25 and 50 mg, respectively"."""
    merged = sorted([*((c.start, 0, c) for c in one), *((c.start, 1, c) for c in other)])
    runs = [[c for _, _, c in run] for _, run in groupby(merged, key=lambda entry: entry[1])]
    for first, last in pairwise(runs):
        if len(first) == len(last) > 1:
            names = [[_undivided(c.value) for c in run] for run in (first, last)]
            pairs = set(zip(*names, strict=True))
            return pairs if first[0] in one else {(b, a) for a, b in pairs}
    return set()


def _in_parts(one: Sequence[Concept], other: Sequence[Concept], text: str) -> set[tuple[str, str]]:
    """Return the pairs of two groups of which every part of a sentence names one each, or none."""
    ends = [*(m.start() for m in _PART.finditer(text)), len(text)]
    pairs: set[tuple[str, str]] = set()
    start = 0
    for end in ends:
        here = [[c for c in group if start <= c.start < end] for group in (one, other)]
        if [len(group) for group in here] == [1, 1]:
            pairs.add((_undivided(here[0][0].value), _undivided(here[1][0].value)))
        elif any(here):
            return set()
        start = end
    return pairs


def _in_turns(one: Sequence[Concept], other: Sequence[Concept]) -> set[tuple[str, str]]:
    """Return the pairs of two groups that are named in turns; none where they are not."""
    one, other = _once_each(one), _once_each(other)
    if len(one) != len(other) or not one:
        return set()
    merged = sorted(
        [
            *((c.start, 0, _undivided(c.value)) for c in one),
            *((c.start, 1, _undivided(c.value)) for c in other),
        ]
    )
    if any(merged[n][1] == merged[n + 1][1] for n in range(len(merged) - 1)):
        return set()
    return {
        (first[2], last[2]) if first[1] == 0 else (last[2], first[2])
        for first, last in zip(merged[::2], merged[1::2], strict=True)
    }


def _once_each(concepts: Sequence[Concept]) -> list[Concept]:
    """Return concepts without those that repeat the one before: "eighty percent (80%)"."""
    return [c for n, c in enumerate(concepts) if not n or c.key != concepts[n - 1].key]


def _group(concept: Concept) -> str:
    """Return the family of a concept; of a figure its unit too: a dose owns a frequency."""
    if concept.family != FIGURE:
        return DRUG if concept.family == _ARM else concept.family
    if _YEARS.fullmatch(concept.value):
        return f"{FIGURE} calendar"
    unit = (
        _undivided(concept.value).rpartition(" ")[2].rstrip("<>=") if " " in concept.value else ""
    )
    return f"{FIGURE} {unit.partition('/')[0] if unit.startswith('time/') else unit}"


def _undivided(figure: str) -> str:
    """Return a figure without "/day": a sentence may speak of the day elsewhere."""
    return figure.replace("/day", "")


def _clause_ends(text: str) -> list[int]:
    """Return where the clauses of a text begin and end; the cells of a table's row are one."""
    ends = [] if is_row(text) else [m.start() for m in _CLAUSE.finditer(text)]
    return [0, *ends, len(text)]


def _neighbours(concepts: Sequence[Concept], at: int, ends: Sequence[int]) -> dict[str, float]:
    """Return the weight of each concept of another family near one, in its clause."""
    weights: dict[str, float] = {}
    family = concepts[at].family
    low = max((end for end in ends if end < concepts[at].start), default=0)
    high = min(end for end in ends if end >= concepts[at].end)
    for step in (-1, 1):
        distance = 0
        for other in concepts[at + step :: step] if at + step >= 0 else ():
            if not low <= other.start < high:
                break
            if other.family == family:
                continue
            distance += 1
            name = ".".join(other.key)
            weights[name] = max(weights.get(name, 0.0), 1 / distance)
            if distance == REACH:
                break
    return weights
