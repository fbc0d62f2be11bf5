"""The benchmark, runs, answers and their reports, over the newest candidates.

Metadata is the report: a small summary table, plots, worst questions by id, flat floats for trend
charts, coverage beside every score. Question texts stay out of it.
"""

import logging
from collections import Counter
from collections.abc import Sequence

import dagster as dg

from clinrag_core.build.evaluate import CandidateEvaluation
from clinrag_core.evaluate.answer_metrics import answer_metrics, risk_coverage
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.compare import compare_pipelines
from clinrag_core.evaluate.conformal import questions_needed
from clinrag_core.evaluate.evaluation import QuestionResult
from clinrag_core.evaluate.frames import intent_frame
from clinrag_core.evaluate.plots import (
    gate_figure,
    margin_figure,
    recall_figure,
    risk_coverage_figure,
)
from clinrag_dagster.metadata import OWNERS, markdown_table, plot, scores, table
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "evaluation"
SUMMARY_METRICS = ("recall_at_5", "recall_at_10", "ndcg_at_10", "mrr_at_10")
WORST = 20
PASS_RATE = 0.95
"""Least share of true claims and of paraphrases that the gates let pass."""


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


@dg.asset(
    deps=["retrieval_runs"], group_name=GROUP, kinds={"python"}, owners=OWNERS, code_version="2"
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
            "comparisons": table(_comparison_rows(retrieval.results)),
            "by_intent": table(intent_frame(retrieval.results, "rrf").to_dict("records")),
            "judged": len(retrieval.judgements.relevant),
            "evaluation": evaluation.store.fingerprint,
            **flat,
        },
    )


@dg.asset(
    deps=["retrieval_runs"],
    group_name=GROUP,
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("thresholds_feasible", asset="thresholds")],
)
def thresholds(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Calibrated thresholds: conformal risk control on the dev split, bound to these candidates."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    calibration = evaluation.calibration()
    rows = [
        (name, configuration, t.threshold, t.questions, t.risk_bound, t.answered)
        for name, own in calibration.thresholds.items()
        for configuration, t in own.items()
    ]
    needed = questions_needed(calibration.alpha)
    infeasible = [
        f"{name} {configuration}"
        for name, own in calibration.thresholds.items()
        for configuration, t in own.items()
        if not t.feasible
    ]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "summary": markdown_table(
                ("knowledge base", "components", "threshold", "n", "risk at most", "answered"),
                rows,
            ),
            "alpha": calibration.alpha,
            "questions_needed": needed,
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="thresholds_feasible",
                passed=not infeasible,
                severity=dg.AssetCheckSeverity.WARN,
                description="every threshold keeps the risk asked for"
                if not infeasible
                else f"needs {needed} questions to refuse; fallback in use: "
                + ", ".join(infeasible),
            )
        ],
    )


@dg.asset(
    deps=["thresholds"],
    group_name=GROUP,
    kinds={"json"},
    owners=OWNERS,
    code_version="2",
    check_specs=[
        dg.AssetCheckSpec("citations_valid", asset="benchmark_answers", blocking=True),
        dg.AssetCheckSpec("no_wrong_drug", asset="benchmark_answers", blocking=True),
    ],
)
def benchmark_answers(clinrag: ClinragResource) -> dg.MaterializeResult:
    """The answer to every question as a user would get it, each citation checked."""
    evaluation = CandidateEvaluation(clinrag.pipeline())

    def report(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            logger.info("asked %d of %d questions", done, total)

    answers = evaluation.answers(report)
    citations = sum(len(a.answer.citations) for a in answers)
    problems = Counter(p for a in answers for p in a.citation_problems)
    broken = sum(problems.values())
    wrong = sum(a.wrong_drug for a in answers)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "questions": len(answers),
            "citations": citations,
            "citation_problems": broken,
            "wrong_drug_passages": wrong,
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="citations_valid",
                passed=bool(answers) and broken == 0,
                description="every citation exists, lies in its passage, is verbatim and leads "
                "to a page or section"
                if broken == 0
                else f"{broken} of {citations} citations: {dict(problems)}",
                metadata={"citations": citations, "problems": broken},
            ),
            dg.AssetCheckResult(
                check_name="no_wrong_drug",
                passed=bool(answers) and wrong == 0,
                description=f"{wrong} passages behind answers name no drug asked for",
                metadata={"passages": wrong},
            ),
        ],
    )


@dg.asset(
    deps=["benchmark_answers"], group_name=GROUP, kinds={"python"}, owners=OWNERS, code_version="2"
)
def answer_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """What was answered and refused, rightly or wrongly, per split."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    answers = evaluation.answers()
    by_split = {s: [a for a in answers if a.split == s] for s in ("dev", "test")}
    measured = {s: answer_metrics(own) for s, own in by_split.items()}
    rows = [
        (split, int(m["questions"]), m["answered"], m["supported"], m["refused"])
        for split, m in measured.items()
    ]
    flat: dict[str, dg.FloatMetadataValue] = {}
    for split, values in measured.items():
        aurc = {"aurc": risk_coverage(by_split[split]).aurc}
        flat |= scores(f"answers/{split}", values | aurc)
    reasons = Counter((a.reason, a.expect) for a in answers if a.reason is not None)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "summary": markdown_table(
                ("split", "judged", "answered", "supported", "refused rightly"), rows
            ),
            "confidence": plot(margin_figure(answers), "confidence above its threshold"),
            "risk_coverage": plot(risk_coverage_figure(answers), "risk over coverage"),
            "abstentions": table(
                [
                    {"reason": reason, "expected": expect, "questions": count}
                    for (reason, expect), count in sorted(reasons.items())
                ]
            ),
            **flat,
        },
    )


@dg.asset(
    deps=["benchmark_answers"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec("critical_mutants_rejected", asset="safety_report", blocking=True),
        dg.AssetCheckSpec("true_claims_pass", asset="safety_report", blocking=True),
        dg.AssetCheckSpec("no_wrong_drug_in_pairs", asset="safety_report", blocking=True),
    ],
)
def safety_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Gates against mutated claims and honest paraphrases; drugs against drugs."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    safety = evaluation.safety(lambda what: logger.info("measuring %s", what))
    rates, pairs = safety.gates, safety.drug_pairs
    metrics = safety.metrics()
    rows = [(k.kind, "yes" if k.critical else "", k.mutants, k.rate) for k in rates.kinds]
    mutated = rates.mutants > 0
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "summary": markdown_table(("mutation", "critical", "mutants", "kill rate"), rows),
            "gates": plot(gate_figure(rates), "mutants rejected per gate"),
            "true_claims": rates.claims,
            "report": dg.MetadataValue.path(str(evaluation.write_report())),
            **scores("safety", metrics),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="critical_mutants_rejected",
                passed=mutated and rates.critical_survivors == 0,
                description=f"{rates.critical_survivors} of {rates.mutants} mutants passed that "
                "must not",
                metadata={"survivors": rates.critical_survivors, "mutants": rates.mutants},
            ),
            dg.AssetCheckResult(
                check_name="true_claims_pass",
                passed=rates.pass_rate >= PASS_RATE and metrics["paraphrases_passed"] >= PASS_RATE,
                description=f"{rates.pass_rate:.3f} of true claims and "
                f"{metrics['paraphrases_passed']:.3f} of paraphrases pass; {PASS_RATE} must",
            ),
            dg.AssetCheckResult(
                check_name="no_wrong_drug_in_pairs",
                passed=pairs.wrong == 0,
                description=f"{pairs.wrong} passages of another drug in {pairs.questions} "
                f"questions on {pairs.drugs} drugs",
                metadata={"questions": pairs.questions, "passages": pairs.wrong},
            ),
        ],
    )


def evaluation_assets(candidates: Sequence[str]) -> list[dg.AssetsDefinition]:
    """The evaluation group over some candidates, by asset name."""
    runs = _retrieval_runs(candidates)
    return [
        benchmark,
        runs,
        retrieval_report,
        thresholds,
        benchmark_answers,
        answer_report,
        safety_report,
    ]
