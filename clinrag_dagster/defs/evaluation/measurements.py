"""The benchmark, and what the newest candidates make of it: runs, thresholds, answers.

The reports on them are in `reports`. Question texts stay out of all metadata.
"""

import logging
from collections import Counter

import dagster as dg

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.conformal import questions_needed
from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, markdown_table, table
from clinrag_dagster.profile import candidate_names
from clinrag_dagster.report_metadata import GROUP, limit_check
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)


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


def _retrieval_runs() -> dg.AssetsDefinition:
    """Return the asset of the runs, whose inputs carry the encoder's name."""

    @dg.asset(
        deps=[*candidate_names(), benchmark],
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
    limits = [
        limit
        for limit in answer_limits(answers, evaluation.pipeline.settings.acceptance)
        if limit.report == "benchmark_answers"
    ]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(evaluation.store.fingerprint),
        metadata={
            "questions": len(answers),
            "citations": sum(len(a.answer.citations) for a in answers),
            "citation_problems": table(
                [
                    {"problem": problem, "citations": count}
                    for problem, count in sorted(
                        Counter(p for a in answers for p in a.citation_problems).items()
                    )
                ]
            ),
            "wrong_drug_passages": sum(a.wrong_drug for a in answers),
        },
        check_results=[limit_check(limit) for limit in limits],
    )


@dg.definitions
def measurements() -> dg.Definitions:
    """Return what is measured over the profile's candidates."""
    return dg.Definitions(assets=[benchmark, _retrieval_runs(), thresholds, benchmark_answers])
