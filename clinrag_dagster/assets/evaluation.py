"""The benchmark, runs, answers and their reports, over the newest candidates.

Metadata is the report: a small summary table, plots, worst questions by id, flat floats for trend
charts, coverage beside every score. Question texts stay out of it.
"""

import logging
from collections import Counter
from collections.abc import Sequence

import dagster as dg

from clinrag_core.build.evaluate import CandidateEvaluation
from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.frames import intent_frame
from clinrag_core.evaluate.plots import confidence_figure, recall_figure
from clinrag_dagster.metadata import OWNERS, markdown_table, plot, scores, table
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "evaluation"
SUMMARY_METRICS = ("recall_at_5", "recall_at_10", "ndcg_at_10", "mrr_at_10")
WORST = 20


@dg.asset(group_name=GROUP, kinds={"toml"}, owners=OWNERS, code_version="1")
def benchmark(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Questions with graded relevance as locators, split dev/test by question family."""
    found = load_benchmark(clinrag.pipeline().settings.benchmark)
    splits = Counter(question.split for question in found.questions)
    intents = Counter(question.intent for question in found.questions)
    rows = [{"intent": name, "questions": count} for name, count in sorted(intents.items())]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(found.fingerprint),
        metadata={
            "questions": len(found.questions),
            "dev": splits["dev"],
            "test": splits["test"],
            "refusals": sum(question.expect == "refuse" for question in found.questions),
            "families": len({question.family for question in found.questions}),
            "intents": table(rows),
        },
    )


def _retrieval_runs(candidates: Sequence[str]) -> dg.AssetsDefinition:
    @dg.asset(
        deps=[*candidates, benchmark],
        group_name=GROUP,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[
            dg.AssetCheckSpec("runs_not_empty", asset="retrieval_runs", blocking=True),
            dg.AssetCheckSpec("benchmark_judgeable", asset="retrieval_runs"),
        ],
    )
    def retrieval_runs(clinrag: ClinragResource) -> dg.MaterializeResult:
        """Ranked passages per question and pipeline, with this corpus's judgements."""
        evaluation = CandidateEvaluation(clinrag.pipeline())

        def report(done: int, total: int) -> None:
            if done % 50 == 0 or done == total:
                logger.info("searched %d of %d questions", done, total)

        retrieval = evaluation.retrieval(report)
        judgements = retrieval.judgements
        empty = {name: sum(not ids for ids in run.values()) for name, run in retrieval.runs.items()}
        asked = len(next(iter(retrieval.runs.values()), {}))
        judged = len(judgements.relevant)
        return dg.MaterializeResult(
            data_version=dg.DataVersion(evaluation.store.fingerprint),
            metadata={
                "asked": asked,
                "judged": judged,
                "unjudged": len(judgements.unjudged),
                "refusals_answerable_here": len(judgements.answerable),
                "evaluation": evaluation.store.fingerprint,
                **{f"empty/{name}": count for name, count in empty.items()},
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="runs_not_empty",
                    passed=bool(asked) and all(count < asked / 2 for count in empty.values()),
                    description="every pipeline finds something for most questions",
                    metadata={f"empty/{name}": count for name, count in empty.items()},
                ),
                dg.AssetCheckResult(
                    check_name="benchmark_judgeable",
                    passed=judged >= asked / 2,
                    severity=dg.AssetCheckSeverity.WARN,
                    description=f"this corpus can judge {judged} of {asked} questions",
                    metadata={"judged": judged, "asked": asked},
                ),
            ],
        )

    return retrieval_runs


@dg.asset(
    deps=["retrieval_runs"], group_name=GROUP, kinds={"python"}, owners=OWNERS, code_version="1"
)
def retrieval_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Metrics per pipeline, knowledge base and split; the test split is what counts."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    retrieval = evaluation.retrieval()
    rows = [
        (s.pipeline, s.slice, s.questions, *(s.metrics[m] for m in SUMMARY_METRICS))
        for s in retrieval.scores
        if s.split == "test"
    ]
    flat: dict[str, dg.FloatMetadataValue] = {}
    for score in retrieval.scores:
        flat |= scores(f"retrieval/{score.slice}/{score.pipeline}/{score.split}", score.metrics)
    worst = sorted(
        (r for r in retrieval.results if r.pipeline == "rrf"),
        key=lambda r: (r.metrics["ndcg_at_10"], r.question_id),
    )
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "summary": markdown_table(
                ("pipeline", "questions on", "n (test)", "R@5", "R@10", "nDCG@10", "MRR@10"), rows
            ),
            "recall": plot(recall_figure(retrieval), "recall at k per pipeline, test split"),
            "worst_questions": table(
                [
                    {
                        "question": r.question_id,
                        "intent": r.intent,
                        "split": r.split,
                        "best_rank": r.best_rank,
                        "ndcg_at_10": r.metrics["ndcg_at_10"],
                    }
                    for r in worst[:WORST]
                ]
            ),
            "by_intent": table(intent_frame(retrieval.results, "rrf").to_dict("records")),
            "judged": len(retrieval.judgements.relevant),
            "evaluation": evaluation.store.fingerprint,
            "report": dg.MetadataValue.path(str(evaluation.write_report())),
            **flat,
        },
    )


@dg.asset(
    deps=["retrieval_runs"],
    group_name=GROUP,
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("citations_valid", asset="benchmark_answers", blocking=True)],
)
def benchmark_answers(clinrag: ClinragResource) -> dg.MaterializeResult:
    """The extractive answer to every question, each citation checked against its passage."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    answers = evaluation.answers()
    citations = sum(len(a.answer.citations) for a in answers)
    problems = Counter(p for a in answers for p in a.citation_problems)
    broken = sum(problems.values())
    logger.info(
        "answered %d of %d questions", sum(a.status == "answered" for a in answers), len(answers)
    )
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={"questions": len(answers), "citations": citations, "citation_problems": broken},
        check_results=[
            dg.AssetCheckResult(
                check_name="citations_valid",
                passed=bool(answers) and broken == 0,
                description="every citation exists, lies in its passage and is verbatim"
                if broken == 0
                else f"{broken} of {citations} citations: {dict(problems)}",
                metadata={"citations": citations, "problems": broken},
            )
        ],
    )


@dg.asset(
    deps=["benchmark_answers"], group_name=GROUP, kinds={"python"}, owners=OWNERS, code_version="1"
)
def answer_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """What was answered and refused, rightly or wrongly, per split."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    answers = evaluation.answers()
    by_split = {s: answer_metrics([a for a in answers if a.split == s]) for s in ("dev", "test")}
    rows = [
        (split, int(m["questions"]), m["answered"], m["supported"], m["refused"])
        for split, m in by_split.items()
    ]
    flat: dict[str, dg.FloatMetadataValue] = {}
    for split, values in by_split.items():
        flat |= scores(f"answers/{split}", values)
    reasons = Counter(a.reason for a in answers if a.reason is not None)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "summary": markdown_table(
                ("split", "judged", "answered", "supported", "refused rightly"), rows
            ),
            "confidence": plot(
                confidence_figure(answers, evaluation.pipeline.settings.answer.abstain_below),
                "confidence of questions to answer and to refuse",
            ),
            "abstentions": table(
                [{"reason": r, "questions": n} for r, n in sorted(reasons.items())]
            ),
            **flat,
        },
    )


def evaluation_assets(candidates: Sequence[str]) -> list[dg.AssetsDefinition]:
    """The evaluation group over some candidates, by asset name."""
    runs = _retrieval_runs(candidates)
    return [benchmark, runs, retrieval_report, benchmark_answers, answer_report]
