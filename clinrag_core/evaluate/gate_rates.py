"""How many false claims the gates reject, and how many true ones they let pass."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.evaluate.mutation import CRITICAL, TrueClaim, mutants
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.lexicon.drugs import known_drugs
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import normalise_for_match

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.evaluate.mutation import Kind, Mutant
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation

SEED = 20261121


class KindRate(Record):
    """Mutants of one kind."""

    kind: str
    critical: bool
    mutants: int
    rejected: int

    @property
    def rate(self) -> float:
        """Share rejected; 1 where there is none to reject."""
        return self.rejected / self.mutants if self.mutants else 1.0


class GateRates(Record):
    """Kill rates by kind of mutant, and the pass rate of true claims."""

    claims: int
    passed: int
    kinds: tuple[KindRate, ...]
    by_gate: dict[str, int]
    """Mutants each gate rejected; several may reject one."""

    @property
    def mutants(self) -> int:
        """Mutants in all."""
        return sum(kind.mutants for kind in self.kinds)

    @property
    def critical_survivors(self) -> int:
        """Mutants of critical kinds that passed every gate."""
        return sum(k.mutants - k.rejected for k in self.kinds if k.critical)

    @property
    def pass_rate(self) -> float:
        """Share of the true claims that passed; 0 without any."""
        return self.passed / self.claims if self.claims else 0.0


class Survivor(NamedTuple):
    """A mutant that no gate rejected, or a true claim that one did."""

    kind: str
    text: str
    evidence: str
    codes: tuple[str, ...]


class Sample(NamedTuple):
    """A true claim with the passages it was made from."""

    claim: TrueClaim
    evidence: Mapping[str, Chunk]


def measure_gates(
    samples: Sequence[Sample], gates: Sequence[Gate], drugs: DrugLexicon, seed: int = SEED
) -> tuple[GateRates, list[Survivor]]:
    """Run true claims and their mutants through the gates.

    A mutant that the evidence may bear out as well (it reads the same after normalisation, or names
    one more of the groups that it names) is left out.
    """
    rng = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    others = [drug.name for drug in known_drugs() if drug.area != "other"]
    made: Counter[Kind] = Counter()
    rejected: Counter[Kind] = Counter()
    by_gate: Counter[str] = Counter()
    survivors: list[Survivor] = []
    passed = 0
    for sample in samples:
        codes = _codes(sample.claim.text, sample, sample.claim.citations, gates, drugs)
        passed += not codes
        if codes:
            survivors.append(_survivor("true", sample.claim.text, sample, codes))
        for mutant in mutants(sample.claim, drugs, others, rng):
            if _said(mutant, sample):
                continue
            made[mutant.kind] += 1
            codes = _codes(mutant.text, sample, mutant.citations, gates, drugs)
            rejected[mutant.kind] += bool(codes)
            by_gate.update({code.split(":")[0] for code in codes})
            if not codes:
                survivors.append(_survivor(mutant.kind, mutant.text, sample, codes))
    kinds = tuple(
        KindRate(kind=k, critical=k in CRITICAL, mutants=made[k], rejected=rejected[k])
        for k in sorted(made)
    )
    rates = GateRates(
        claims=len(samples), passed=passed, kinds=kinds, by_gate=dict(sorted(by_gate.items()))
    )
    return rates, survivors


def _codes(
    text: str,
    sample: Sample,
    citations: tuple[Citation, ...],
    gates: Sequence[Gate],
    drugs: DrugLexicon,
) -> tuple[str, ...]:
    claim = ClaimInContext(text, citations, sample.evidence, drugs)
    return tuple(f"{d.gate}:{d.code}" for d in run_gates(gates, claim) if not d.passed)


def _survivor(kind: str, text: str, sample: Sample, codes: tuple[str, ...]) -> Survivor:
    evidence = " / ".join(citation.snippet for citation in sample.claim.citations)
    return Survivor(kind, text, evidence, codes)


def _said(mutant: Mutant, sample: Sample) -> bool:
    if mutant.kind == "citation":
        return False
    snippets = " ".join(c.snippet for c in sample.claim.citations)
    if mutant.kind == "population":
        own, before, there = (
            names_of(population_spans(text)) for text in (mutant.text, sample.claim.text, snippets)
        )
        # One more group that the evidence names as well is not surely false.
        if before <= own <= there:
            return True
    return normalise_for_match(mutant.text) in normalise_for_match(snippets)
