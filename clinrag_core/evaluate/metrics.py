"""Retrieval metrics by ranx, with its traps closed.

Runs are rewritten with strictly decreasing scores, because ranx and trec_eval break ties
differently; questions without a hit stay in the mean as zero; questions to refuse never enter.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clinrag_core.errors import BenchmarkError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

# name here -> name in ranx. nDCG is linear-gain with a log2 discount, as trec_eval's ndcg_cut.
METRICS = {
    "recall_at_5": "recall@5",
    "recall_at_10": "recall@10",
    "recall_at_100": "recall@100",
    "precision_at_5": "precision@5",
    "ndcg_at_10": "ndcg@10",
    "mrr_at_10": "mrr@10",
    "map": "map@100",
    "hit_rate_at_5": "hit_rate@5",
}

Run = dict[str, list[str]]
"""Question id to chunk ids, best first."""
PerQuestion = dict[str, dict[str, float]]
"""Metric to question id to value."""


@contextmanager
def _interpreted() -> Generator[Any]:
    """Ranx without compiling it.

    ranx compiles every metric with numba on first use, 40 to 70 seconds on two cores. Interpreted,
    the same code gives the same values and scores a hundred questions in under a second. numba
    reads its switch when ranx is imported and when it is called; the kernel of BM25 stays compiled.
    """
    import numba as library

    numba: Any = library  # its configuration is untyped
    before = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = 1
    try:
        import ranx

        yield ranx
    finally:
        numba.config.DISABLE_JIT = before


def evaluate_run(relevant: Mapping[str, Mapping[str, int]], run: Run) -> PerQuestion:
    """Return every metric for every judged question, given its chunk ids and grades (1 or 2).

    A judged question that is missing in the run counts 0; one without judgements is left out.

    Raises:
        BenchmarkError: nothing is judged, a question has no relevant chunk, or a run repeats one.
    """
    if not relevant:
        raise BenchmarkError("no question of the benchmark can be judged on this corpus")
    if empty := [q for q, grades in relevant.items() if not grades]:
        raise BenchmarkError(f"questions without a relevant chunk: {', '.join(empty)}")
    answered = {q: run[q] for q in relevant if run.get(q)}
    if repeated := [q for q, ids in answered.items() if len(set(ids)) != len(ids)]:
        raise BenchmarkError(f"a run repeats a chunk for: {', '.join(repeated)}")
    values: PerQuestion = {name: dict.fromkeys(relevant, 0.0) for name in METRICS}
    if not answered:
        return values
    with _interpreted() as ranx:
        qrels = ranx.Qrels({q: dict(relevant[q]) for q in answered})
        # Scores of 1/rank, so that no evaluator can reorder a run.
        ranked = ranx.Run(
            {q: {i: 1 / n for n, i in enumerate(ids, 1)} for q, ids in answered.items()}
        )
        ranx.evaluate(qrels, ranked, list(METRICS.values()))
        for name, ranx_name in METRICS.items():
            for question, value in ranked.scores[ranx_name].items():
                values[name][question] = float(value)
    return values


def means(values: PerQuestion, questions: Sequence[str]) -> dict[str, float]:
    """Mean of each metric over some questions; NaN without any."""
    if not questions:
        return dict.fromkeys(values, math.nan)
    return {name: math.fsum(v[q] for q in questions) / len(questions) for name, v in values.items()}
