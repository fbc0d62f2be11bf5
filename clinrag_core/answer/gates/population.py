"""Population and route gate: whom a claim is about, and how a drug is given, as the evidence says.

A claim that states a dose or a duration may not drop the people its evidence states it for.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.populations import GROUPS_BY_AGE, UNITS_OF_AGE
from clinrag_core.facts.spans import names_of
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.reader import Facts
    from clinrag_core.facts.spans import NamedSpan

_PARTS = lazy_re(r"[;:,]\s")
"""Between the parts of a statement, each with people of its own."""
SHARED = 1 / 3
"""Least share of a part's words that a claim has, the people aside, from which it is made of it; by
judgement."""
_FIGURES = frozenset({"dose", "concentration", "duration", "frequency"})


class PopulationGate:
    """Rejects claims about other people, or another route, than those of their evidence."""

    name = "population"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `population_` or `route_` with `not_in_evidence`, `replaced`, `dropped`."""
        own, cited, context = claim.claim, claim.cited, claim.context
        people = names_of(own.populations)
        there = names_of(cited.populations + context.populations)
        if extra := people - there - claim.implied_people:
            return refused(self.name, "population_not_in_evidence", extra)
        if extra := names_of(own.routes) - names_of(cited.routes + context.routes):
            return refused(self.name, "route_not_in_evidence", extra)
        for sentence in claim.aligned[:1]:
            more = _replaced(own.populations, sentence.populations)
            if more := more or _other_ages(own, sentence):
                return refused(self.name, "population_replaced", more)
            if more := _replaced(own.routes, sentence.routes):
                return refused(self.name, "route_replaced", more)
            dropped = frozenset[str]() if people else _dropped(own, sentence)
            if dropped := dropped | _widened(claim):
                return refused(self.name, "population_dropped", dropped)
        return passed(self.name)


def _replaced(own: tuple[NamedSpan, ...], stated: tuple[NamedSpan, ...]) -> frozenset[str]:
    """Return concepts of the claim that replace one of the sentence which it no longer names.

    One may be taken from the passage's title in addition to those of its sentence, not instead.
    """
    said, there = (Counter(span.name for span in spans) for spans in (own, stated))
    return frozenset(said - there) if there - said else frozenset()


def _other_ages(own: Facts, stated: Facts) -> frozenset[str]:
    """Return the one range of ages of a claim, where its sentence has one and another.

    "From 4 months" may be said of the treatment of those from 3 months on.
    """
    ranges = [
        [one for one in intervals(facts.text) if one.of == "age" and math.isfinite(one.high)]
        for facts in (own, stated)
    ]
    if any(len(one) != 1 or one[0].low <= 0 for one in ranges):
        return frozenset()
    (mine,), (its,) = ranges
    is_same = math.isclose(mine.low, its.low) and math.isclose(mine.high, its.high)
    return frozenset() if is_same else frozenset([own.text[mine.start : mine.end]])


def _dropped(claim: Facts, sentence: Facts) -> frozenset[str]:
    """Return people for whom the sentence states a figure that the claim states for everybody."""
    own = {q.key for q in claim.quantities if q.kind in _FIGURES}
    people = [sentence.populations_of(q) for q in sentence.quantities if q.key in own]
    bands = [q for q in sentence.quantities if q.comparator and q.unit in UNITS_OF_AGE]
    ages = {(q.key, q.comparator) for q in (*sentence.ages_and_weights, *bands)}
    if ages and ages <= {(q.key, q.comparator) for q in claim.quantities}:
        people = [names - GROUPS_BY_AGE for names in people]  # "under 5 years" names children
    # One statement of the figure without anybody named is enough.
    return frozenset[str]().union(*people) if people and all(people) else frozenset()


def _widened(claim: ClaimInContext) -> frozenset[str]:
    """Return whom a claim leaves out, or whose age or weight, of the one statement it is made of.

    "Not recommended for children younger than 8 years" says nothing of children.
    """
    if len(claim.source_sentences) != 1:
        return frozenset()
    (stated,) = claim.source_sentences
    own = claim.claim
    if own.text in stated.text:
        return frozenset()
    there = names_of(tuple(_in_shared_parts(stated, own)))
    numbers = {value for q in own.quantities for value in q.values}
    numbers |= {Decimal(one) for one in own.numbers if "^" not in one}  # 10^9 is no age
    bands = [q for q in stated.quantities if q.comparator and q.unit in UNITS_OF_AGE]
    ages = {value for q in (*stated.ages_and_weights, *bands) for value in q.values}
    if not own.populations and not own.ages_and_weights:
        return there - GROUPS_BY_AGE if ages & numbers else there
    both = there & names_of(own.populations)
    return both if ages and not ages & numbers and not own.ages_and_weights else frozenset()


def _in_shared_parts(stated: Facts, own: Facts) -> list[NamedSpan]:
    """Return the people named in the parts of a statement that a claim takes something from.

    Those of a reason, an example or a clause of its own limit only what is said there.
    """
    said = frozenset(key_stems(own.text))
    cuts = [0, *(match.end() for match in _PARTS.finditer(stated.text)), len(stated.text)]
    kept: list[NamedSpan] = []
    for begin, end in pairwise(cuts):
        people = [span for span in stated.populations if begin <= span.start < end]
        if not people:
            continue
        rest = list(stated.text[begin:end])
        for span in people:
            rest[span.start - begin : span.end - begin] = [""] * (min(span.end, end) - span.start)
        words = frozenset(key_stems("".join(rest)))
        if not words or len(words & said) >= SHARED * len(words):
            kept += people
    return kept
