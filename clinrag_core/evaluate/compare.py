"""Comparing two pipelines on the same questions: effect, its interval, its significance. Pure.

Everything is paired by question. Significance by Fisher's randomisation test (Smucker et al. 2007),
corrected for the number of comparisons by Holm (1979); intervals by the paired bootstrap. Seeds are
fixed: the same values give the same figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.errors import BenchmarkError
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.evaluate.evaluation import QuestionResult

SEED = 20261121
DRAWS = 10_000
LEVEL = 0.95
"""Resamples and level of an interval; the seed is fixed, so that equal runs give equal reports."""


class Paired(Record):
    """How one pipeline differs from another on the same questions."""

    questions: int
    mean: float
    """Of the pipeline."""
    reference: float
    """Mean of the other pipeline."""
    delta: float
    low: float
    high: float
    """Bounds of the 95 % interval of delta."""
    p: float
    """Two-sided, uncorrected; 1 if no question differs."""
    wins: int
    ties: int
    losses: int


class Comparison(Paired):
    """One pipeline against the reference on one part of the benchmark."""

    pipeline: str
    part: str
    p_holm: float


def compare_paired(values: Mapping[str, float], reference: Mapping[str, float]) -> Paired:
    """Compare values by question with those of the reference pipeline.

    Raises:
        BenchmarkError: other questions, none, or a value that is not finite.
    """
    if values.keys() != reference.keys() or not values:
        raise BenchmarkError("a paired comparison needs the same questions on both sides, and some")
    ids = sorted(values)
    one = np.array([values[i] for i in ids], dtype=np.float64)
    other = np.array([reference[i] for i in ids], dtype=np.float64)
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise BenchmarkError("a value to compare is not finite")
    differences = one - other
    rng = np.random.default_rng(SEED)
    low, high = _interval(differences, rng)
    return Paired(
        questions=len(ids),
        mean=float(one.mean()),
        reference=float(other.mean()),
        delta=float(differences.mean()),
        low=low,
        high=high,
        p=_fisher(differences, rng),
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P values corrected for their number: step-down, never smaller than uncorrected ones."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        corrected[position] = highest
    return corrected


def compare_pipelines(
    results: Sequence[QuestionResult], metric: str, reference: str
) -> list[Comparison]:
    """Return every pipeline's comparison with one on test, per knowledge base and per intent.

    Holm's correction is over the pipelines of one part. Parts with a single question are left out.
    """
    chosen = [r for r in results if r.split == "test"]
    parts: dict[str, list[QuestionResult]] = {"all": chosen}
    for result in chosen:
        parts.setdefault(f"kb: {result.slice}", []).append(result)
        parts.setdefault(f"intent: {result.intent}", []).append(result)
    comparisons: list[Comparison] = []
    for part, members in sorted(parts.items()):
        values: dict[str, dict[str, float]] = {}
        for result in members:
            values.setdefault(result.pipeline, {})[result.question_id] = result.metrics[metric]
        base = values.pop(reference, {})
        if len(base) > 1:
            names = sorted(values)
            paired = [compare_paired(values[name], base) for name in names]
            corrected = holm([p.p for p in paired])
            comparisons += [
                Comparison(pipeline=name, part=part, p_holm=p_holm, **p.model_dump())
                for name, p, p_holm in zip(names, paired, corrected, strict=True)
            ]
    return comparisons


def _interval(differences: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Percentile interval of the mean difference over resampled questions."""
    picked = rng.integers(len(differences), size=(DRAWS, len(differences)))
    means = differences[picked].mean(axis=1)
    low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def _fisher(differences: np.ndarray, rng: np.random.Generator) -> float:
    """Return the share of random sign changes with a mean as far from 0 as the observed one."""
    differing = differences[differences != 0]
    if not len(differing):
        return 1.0
    signs = rng.choice(np.array([-1.0, 1.0]), size=(DRAWS, len(differing)))
    sums = np.abs((signs * differing).sum(axis=1))
    # Rounding must not make an equal sum smaller.
    extreme = (sums >= abs(differing.sum()) - 1e-12).sum()
    return float((extreme + 1) / (DRAWS + 1))
