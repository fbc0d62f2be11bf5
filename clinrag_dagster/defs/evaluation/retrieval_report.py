"""What is found, per pipeline, and whether it got worse."""

from collections.abc import Sequence

import dagster as dg
from clinrag_core.evaluate.frames import intent_frame

from clinrag_core.evaluate.compare import compare_pipelines
from clinrag_core.evaluate.evaluation import QuestionResult
from clinrag_core.evaluate.plots import recall_figure, waterfall_figure
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, glance, markdown_table, plot, scores, table
from clinrag_dagster.report_metadata import (
    GROUP,
    not_worse,
    provenance,
    verdict_bars,
    verdict_check,
    verdict_line,
    verdict_table,
)
from clinrag_dagster.resources import ClinragResource

NAME = "retrieval_report"
METRICS = ("recall_at_5", "recall_at_10", "ndcg_at_10", "mrr_at_10")
WATERFALLS = ("rrf/ndcg_at_10", "bm25/ndcg_at_10", "dense/ndcg_at_10")
WORST = 20


def _comparison_rows(results: Sequence[QuestionResult]) -> list[dict[str, str | int | float]]:
    """Every pipeline against RRF, on all questions and per knowledge base."""
    return [
        {
            "questions on": c.part,
            "pipeline": c.pipeline,
            "n": c.questions,
            "ndcg_at_10": c.mean,
            "delta": c.delta,
            "low": c.low,
            "high": c.high,
            "p (Holm)": c.p_holm,
        }
        for c in compare_pipelines(results, "ndcg_at_10", "rrf")
        if not c.part.startswith("intent")
    ]


def _worst_rows(results: Sequence[QuestionResult]) -> list[dict[str, str | int | float | None]]:
    worst = sorted(
        (r for r in results if r.pipeline == "rrf"),
        key=lambda r: (r.metrics["ndcg_at_10"], r.question_id),
    )
    return [
        {
            "question": r.question_id,
            "intent": r.intent,
            "split": r.split,
            "best_rank": r.best_rank,
            "ndcg_at_10": r.metrics["ndcg_at_10"],
        }
        for r in worst[:WORST]
    ]


@dg.asset(
    deps=["retrieval_runs", "accepted_baseline"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="4",
    check_specs=[not_worse(NAME)],
)
def retrieval_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Metrics per pipeline, knowledge base and split; the test split is what counts."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    retrieval = evaluation.retrieval()
    accepted = evaluation.baselines.accepted()
    verdicts = evaluation.verdicts("retrieval")
    rows = [
        (s.pipeline, s.slice, s.questions, *(s.metrics[m] for m in METRICS))
        for s in retrieval.scores
        if s.split == "test"
    ]
    flat: dict[str, dg.FloatMetadataValue] = {}
    for score in retrieval.scores:
        flat |= scores(f"retrieval/{score.slice}/{score.pipeline}/{score.split}", score.metrics)
    measured = evaluation.measured("retrieval")
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "verdict": verdict_line(verdicts, (), accepted),
            "glance": glance(verdict_bars(verdicts), "held metrics now, with the least that holds"),
            "summary": verdict_table(verdicts),
            "recall": plot(recall_figure(retrieval), "recall at k per pipeline, test split"),
            "changes": plot(
                waterfall_figure(accepted, measured, WATERFALLS), "change per question"
            ),
            "scores": markdown_table(
                ("pipeline", "questions on", "n (test)", "R@5", "R@10", "nDCG@10", "MRR@10"), rows
            ),
            "worst_questions": table(_worst_rows(retrieval.results)),
            "comparisons": table(_comparison_rows(retrieval.results)),
            "by_intent": table(intent_frame(retrieval.results, "rrf").to_dict("records")),
            "judged": len(retrieval.judgements.relevant),
            "unjudged": len(retrieval.judgements.unjudged),
            **provenance(evaluation),
            **flat,
        },
        check_results=[verdict_check(NAME, verdicts, accepted)],
    )
