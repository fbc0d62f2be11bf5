"""Population and route gate: whom a claim is about, and how a drug is given, as the evidence says.

A claim that states a dose or a duration may not drop the people its evidence states it for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.lexicon.safety import safety_lexicon

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext

_FIGURES = frozenset({"dose", "concentration", "duration", "frequency"})


class PopulationGate:
    """See the module."""

    name = "population"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `population_not_in_evidence`, `population_dropped`, `route_not_in_evidence`."""
        lexicon = safety_lexicon()
        said = lexicon.populations.find(claim.claim.text)
        there = lexicon.populations.find(f"{claim.cited.text}\n{claim.context}")
        if extra := said - there:
            return self._refuse("population_not_in_evidence", extra)
        routes = lexicon.routes.find(claim.claim.text)
        if extra := routes - lexicon.routes.find(f"{claim.cited.text}\n{claim.context}"):
            return self._refuse("route_not_in_evidence", extra)
        if not said and any(q.kind in _FIGURES for q in claim.claim.quantities):
            for sentence in claim.aligned[:1]:
                if dropped := lexicon.populations.find(sentence.text):
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
