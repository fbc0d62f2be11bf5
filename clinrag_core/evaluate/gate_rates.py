"""How many false claims the gates reject, and how many true ones they let pass."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.judging import MadeClaim, judge_here
from clinrag_core.evaluate.mutation import CRITICAL, TrueClaim, mutants
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.lexicon.drugs import known_drugs
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import normalise_for_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.evaluate.judging import Judge
    from clinrag_core.evaluate.mutation import Kind, Mutant
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk

SEED = 20261121
"""Fixed, so that two runs over the same claims make the same mutants."""


class MutantRate(Record):
    """Mutants of one kind, and how many were rejected."""

    kind: str
    mutants: int
    rejected: int

    @property
    def rate(self) -> float:
        """Share rejected; 1 if there is none to reject."""
        return self.rejected / self.mutants if self.mutants else 1.0


class KindRate(MutantRate):
    """Mutants of one kind, which is dangerous or not."""

    critical: bool


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


class Sample(NamedTuple):
    """A true claim with the passages it was made from."""

    claim: TrueClaim
    evidence: Mapping[str, Chunk]
    sources: tuple[str, ...] = ()
    """What the statements say that it cites."""


def measure_gates(
    samples: Sequence[Sample],
    gates: Sequence[Gate],
    drugs: DrugLexicon,
    judge: Judge | None = None,
) -> tuple[GateRates, list[Survivor]]:
    """Run true claims and their mutants through the gates, or through `judge` instead.

    A mutant that the evidence may support as well is left out.
    """
    rng = random.Random(SEED)  # noqa: S311 - a repeatable choice, no secret
    others = [drug.name for drug in known_drugs() if drug.area != "other"]
    made: Counter[Kind] = Counter()
    rejected: Counter[Kind] = Counter()
    by_gate: Counter[str] = Counter()
    survivors: list[Survivor] = []
    passed = 0
    made_claims: list[tuple[Kind | None, MadeClaim]] = [
        (kind, MadeClaim(*claim, sample.evidence, sample.sources))
        for sample in samples
        for kind, claim in _claims_of(sample, mutants(sample.claim, drugs, others, rng))
    ]
    judged = (judge or judge_here(gates, drugs))(claim for _, claim in made_claims)
    for (kind, claim), judgement in zip(made_claims, judged, strict=True):
        rejecting = {decision.gate for decision in judgement.refusals}
        if kind is None:
            passed += not rejecting
        else:
            made[kind] += 1
            rejected[kind] += bool(rejecting)
            by_gate.update(rejecting)
        if bool(rejecting) == (kind is None):
            survivors.append(Survivor(kind or "true", claim.text))
    kinds = tuple(
        KindRate(kind=k, critical=k in CRITICAL, mutants=made[k], rejected=rejected[k])
        for k in sorted(made)
    )
    rates = GateRates(
        claims=len(samples), passed=passed, kinds=kinds, by_gate=dict(sorted(by_gate.items()))
    )
    return rates, survivors


def _claims_of(
    sample: Sample, changed: Iterable[Mutant]
) -> Iterator[tuple[Kind | None, TrueClaim]]:
    """Yield a true claim, of no kind, and its mutants that are surely false."""
    yield None, sample.claim
    for mutant in changed:
        if not _may_be_true(mutant, sample):
            yield mutant.kind, TrueClaim(mutant.text, mutant.citations)


def _may_be_true(mutant: Mutant, sample: Sample) -> bool:
    """True if the evidence says the same after normalisation, or names the same groups and more."""
    if mutant.kind == "citation":
        return False
    snippets = " ".join(sample.sources or [c.snippet for c in sample.claim.citations])
    if mutant.kind == "population":
        mutated, before, cited = (
            names_of(population_spans(text)) for text in (mutant.text, sample.claim.text, snippets)
        )
        # One more group that the evidence names as well is not surely false.
        if before <= mutated <= cited:
            return True
    return normalise_for_match(mutant.text) in normalise_for_match(snippets)
