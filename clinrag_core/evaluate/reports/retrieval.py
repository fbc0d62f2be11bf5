"""The retrieval report: metrics per pipeline, and whether a gated one fell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.compare import compare_pipelines
from clinrag_core.evaluate.evaluation import DEFAULT, SLICES
from clinrag_core.evaluate.metrics import METRICS
from clinrag_core.evaluate.plots import recall_figure, waterfall_figure
from clinrag_core.evaluate.report import EvaluationReport, figure_block, finite, table_block
from clinrag_core.evaluate.reports.gates import (
    gate_state,
    verdict_bars,
    verdict_check,
    verdict_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.baseline import Baseline, Verdict
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import QuestionResult, RetrievalRuns
    from clinrag_core.evaluate.gated_metrics import Measured
    from clinrag_core.evaluate.report import TableBlock

SHORT = {
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "ndcg_at_10": "nDCG@10",
    "mrr_at_10": "MRR@10",
}
WATERFALLS = (f"{DEFAULT}/ndcg_at_10", "bm25/ndcg_at_10", "dense/ndcg_at_10")
WORST = 25  # questions that the page shows; the JSON has all


def retrieval_report(
    runs: RetrievalRuns,
    benchmark: Benchmark,
    measured: Measured,
    verdicts: Sequence[Verdict],
    accepted: Baseline | None,
) -> EvaluationReport:
    """Report on the runs of one evaluation; only the test split may be quoted."""
    state, verdict, failed = gate_state(verdicts, (), accepted)
    judged = len(runs.judgements.relevant)
    asked = judged + len(runs.judgements.unjudged)
    metrics: dict[str, float] = {}
    for score in runs.scores:
        metrics |= finite(f"retrieval/{score.slice}/{score.pipeline}/{score.split}", score.metrics)
    trends = [
        f"retrieval/{part}/{DEFAULT}/test/{name}"
        for name in ("ndcg_at_10", "recall_at_10")
        for part in SLICES
    ]
    return EvaluationReport(
        name="retrieval_report",
        title="Retrieval",
        evaluated=runs.evaluated,
        state=state,
        verdict=verdict,
        failed=failed,
        facts={
            "judged": f"{judged} of {asked} questions to answer; settings are chosen on dev",
            "refusals answerable here": str(len(runs.judgements.answerable)),
        },
        blocks=(
            verdict_bars(verdicts),
            verdict_table(verdicts),
            figure_block("recall", "recall at k per pipeline, test split", recall_figure(runs)),
            figure_block(
                "changes", "change per question", waterfall_figure(accepted, measured, WATERFALLS)
            ),
            table_block(
                "scores",
                "Means per pipeline (test split)",
                ("pipeline", "questions on", "n", *SHORT.values()),
                [
                    (s.pipeline, s.slice, s.questions, *(s.metrics[m] for m in SHORT))
                    for s in runs.scores
                    if s.split == "test"
                ],
            ),
            table_block(
                "all_scores",
                "Means per pipeline, both splits",
                ("questions on", "split", "pipeline", "n", *METRICS),
                sorted(
                    (s.slice, s.split, s.pipeline, s.questions, *(s.metrics[m] for m in METRICS))
                    for s in runs.scores
                ),
                page_only=True,
            ),
            _comparisons(runs.results),
            _by_intent(runs.results),
            _worst(runs.results, benchmark),
        ),
        checks=(verdict_check(verdicts, accepted),),
        metrics=metrics,
        trends=tuple(name for name in trends if name in metrics),
    )


def _comparisons(results: Sequence[QuestionResult]) -> TableBlock:
    """Return the pipelines against the default: 95 % interval by bootstrap, Fisher, Holm."""
    return table_block(
        "comparisons",
        "Pipelines against the default search (nDCG@10, test split, paired by question)",
        ("questions on", "pipeline", "n", "mean", "delta", "low", "high", "p", "p (Holm)"),
        [
            (c.part, c.pipeline, c.questions, c.mean, c.delta, c.low, c.high, c.p, c.p_holm)
            for c in compare_pipelines(results, "ndcg_at_10", DEFAULT)
        ],
    )


def _by_intent(results: Sequence[QuestionResult]) -> TableBlock:
    """Mean nDCG@10 and recall@10 of the default per intent on the test split, worst first."""
    import pandas as pd

    chosen = [r for r in results if r.pipeline == DEFAULT and r.split == "test"]
    columns = ["intent", "ndcg_at_10", "recall_at_10"]
    frame = pd.DataFrame([{"intent": r.intent} | r.metrics for r in chosen], columns=columns)
    means = frame.groupby("intent").agg(
        n=("ndcg_at_10", "size"), ndcg=("ndcg_at_10", "mean"), recall=("recall_at_10", "mean")
    )
    rows = list(means.itertuples(name=None))
    return table_block(
        "by_intent",
        "By intent (default search, test split)",
        ("intent", "n", "nDCG@10", "recall@10"),
        sorted(rows, key=lambda row: (row[2], row[1], row[0])),
    )


def _worst(results: Sequence[QuestionResult], benchmark: Benchmark) -> TableBlock:
    """Return the questions with the lowest nDCG@10 of the default search."""

    def ndcg(result: QuestionResult) -> float:
        return result.metrics["ndcg_at_10"]

    texts = {question.id: question.text for question in benchmark.questions}
    fused = [r for r in results if r.pipeline == DEFAULT]
    worst = sorted(fused, key=lambda r: (ndcg(r), r.question_id))
    return table_block(
        "worst_questions",
        "Worst questions",
        ("question", "text", "intent", "split", "best rank", "nDCG@10"),
        [
            (r.question_id, texts[r.question_id], r.intent, r.split, r.best_rank, ndcg(r))
            for r in worst[:WORST]
        ],
        page_columns=("text",),
    )
