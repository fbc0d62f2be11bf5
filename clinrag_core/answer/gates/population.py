"""Population and route gate: whom a claim is about, and how a drug is given, as the evidence says.

A claim that states a dose or a duration may not drop the people its evidence states it for.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.lexicon.safety import safety_lexicon

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement
    from clinrag_core.lexicon.safety import Concepts

_SEGMENT_END = re.compile(r"[;:\n\t]")
_CLAUSE_END = re.compile(r"[;:,\n\t]")
_FOR = re.compile(r"\b(?:in|for|to|among|with)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
_FIGURES = frozenset({"dose", "concentration", "duration", "frequency"})


class PopulationGate:
    """See the module."""

    name = "population"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `population_` or `route_` with `not_in_evidence`, `replaced`, `dropped`."""
        lexicon = safety_lexicon()
        populations, routes = lexicon.populations, lexicon.routes
        said = populations.find(claim.claim.text)
        if extra := said - populations.find(f"{claim.cited.text}\n{claim.context}"):
            return self._refuse("population_not_in_evidence", extra)
        if extra := routes.find(claim.claim.text) - routes.find(
            f"{claim.cited.text}\n{claim.context}"
        ):
            return self._refuse("route_not_in_evidence", extra)
        for sentence in claim.aligned[:1]:
            if more := _replaced(populations, claim.claim.text, sentence.text):
                return self._refuse("population_replaced", more)
            if more := _replaced(routes, claim.claim.text, sentence.text):
                return self._refuse("route_replaced", more)
            if not said and (dropped := _dropped(populations, claim.claim, sentence)):
                return self._refuse("population_dropped", dropped)
        return GateDecision(gate=self.name, passed=True, value=0.0)

    def _refuse(self, code: str, names: frozenset[str]) -> GateDecision:
        return GateDecision(
            gate=self.name,
            passed=False,
            code=code,
            detail=tuple(sorted(names)),
            value=float(len(names)),
        )


def _replaced(concepts: Concepts, claim: str, sentence: str) -> frozenset[str]:
    """Concepts of the claim that stand for one of the sentence which the claim no longer says.

    One may be taken from the passage's title beside those of its sentence, not in their place.
    """
    own = Counter(name for *_, name in concepts.spans(claim))
    stated = Counter(name for *_, name in concepts.spans(sentence))
    return frozenset(own - stated) if stated - own else frozenset()


def _dropped(populations: Concepts, claim: Statement, sentence: Statement) -> frozenset[str]:
    """People for whom the sentence states a figure that the claim states for everybody."""
    own = {q.key for q in claim.quantities if q.kind in _FIGURES}
    spans = populations.spans(sentence.text)
    found: list[frozenset[str]] = []
    for quantity in sentence.quantities:
        if quantity.key in own:
            start, end = _segment(sentence.text, quantity.start)
            clause = _clause(sentence.text, quantity.start)
            found.append(
                frozenset(
                    name
                    for a, b, name in spans
                    if start <= a < end
                    and (clause[0] <= a < clause[1] or _FOR.search(sentence.text[:a]))
                    and b <= end
                )
            )
    # One statement of the figure without anybody named is enough.
    return frozenset[str]().union(*found) if found and all(found) else frozenset()


def _segment(text: str, at: int) -> tuple[int, int]:
    return _between(text, at, _SEGMENT_END)


def _clause(text: str, at: int) -> tuple[int, int]:
    return _between(text, at, _CLAUSE_END)


def _between(text: str, at: int, ends: re.Pattern[str]) -> tuple[int, int]:
    cuts = [0, *(m.end() for m in ends.finditer(text)), len(text)]
    start = max(cut for cut in cuts if cut <= at)
    return start, min(cut for cut in cuts if cut > at)
