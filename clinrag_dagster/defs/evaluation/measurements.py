"""The benchmark, and the runs, thresholds and answers of the candidates on it.

Their reports are in `reports`. No metadata contains the text of a question.
"""

import logging
from collections import Counter

import dagster as dg

from clinrag_core.evaluate.calibration import LEAST_TO_ANSWER
from clinrag_core.evaluate.conformal import questions_needed
from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.evaluate.reports.gates import limit_check
from clinrag_core.pipeline.evaluation import (
    make_answers,
    make_benchmark,
    make_runs,
    make_thresholds,
)
from clinrag_dagster.metadata import OWNERS, check_result, counts, stored, summary, table
from clinrag_dagster.profile import stage_inputs
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "evaluation"


@dg.asset(group_name=GROUP, kinds={"toml"}, owners=OWNERS, code_version="1")
def benchmark(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Questions with graded relevance as locators, split dev/test by question family."""
    pipeline = clinrag.pipeline()
    questions = make_benchmark(pipeline).questions
    splits = Counter(question.split for question in questions)
    intents = Counter(question.intent for question in questions)
    return stored(
        pipeline.benchmark.read().digest,
        {
            "dagster/row_count": len(questions),
            **counts(
                dev=splits["dev"],
                test=splits["test"],
                refusals=sum(question.expect == "refuse" for question in questions),
                families=len({question.family for question in questions}),
            ),
            "intents": table([{"intent": k, "questions": n} for k, n in sorted(intents.items())]),
        },
    )


def _retrieval_runs() -> dg.AssetsDefinition:
    """Return the asset of the runs, whose inputs carry the encoder's name."""

    @dg.asset(
        deps=stage_inputs("retrieval_runs"),
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
        pipeline = clinrag.pipeline()

        def report(done: int, total: int) -> None:
            if done % 50 == 0 or done == total:
                logger.info("searched %d of %d questions", done, total)

        runs = make_runs(pipeline, report)
        judgements = runs.judgements
        # Only questions that this corpus can judge: it need not cover the others.
        empty = {
            name: sum(not run.get(question) for question in judgements.relevant)
            for name, run in runs.runs.items()
        }
        judged = len(judgements.relevant)
        to_answer = judged + len(judgements.unjudged)
        return stored(
            pipeline.retrieval_runs.read().digest,
            {
                "dagster/row_count": judged,
                "judged": judged,
                **counts(
                    unjudged=len(judgements.unjudged),
                    refusals_answerable_here=len(judgements.answerable),
                    evaluation=runs.evaluated.fingerprint,
                ),
                "nothing_found": table(
                    [{"pipeline": name, "questions": n} for name, n in empty.items()]
                ),
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="runs_not_empty",
                    # A component that is down finds nothing for any question; half leaves room for
                    # questions whose words the relevant passages do not share.
                    passed=not judged or all(count < judged / 2 for count in empty.values()),
                    description="every pipeline finds something for most questions"
                    if judged
                    else "not judged: this corpus can judge no question",
                    metadata={
                        "questions": judged,
                        "most_without_hits": max(empty.values(), default=0),
                    },
                ),
                dg.AssetCheckResult(
                    check_name="benchmark_judgeable",
                    passed=judged >= to_answer / 2,
                    severity=dg.AssetCheckSeverity.WARN,
                    description=f"this corpus can judge {judged} of {to_answer} questions",
                    metadata={"judged": judged, "to_answer": to_answer},
                ),
            ],
        )

    return retrieval_runs


def _thresholds() -> dg.AssetsDefinition:
    """Return the asset of the thresholds, whose inputs carry the encoder's name."""

    @dg.asset(
        deps=stage_inputs("thresholds"),
        group_name=GROUP,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[dg.AssetCheckSpec("thresholds_feasible", asset="thresholds")],
    )
    def thresholds(clinrag: ClinragResource) -> dg.MaterializeResult:
        """Thresholds of these candidates: conformal risk control on the dev split."""
        pipeline = clinrag.pipeline()
        calibration = make_thresholds(pipeline)
        rows = [
            (name, configuration, threshold)
            for name, by_configuration in calibration.thresholds.items()
            for configuration, threshold in by_configuration.items()
        ]
        needed = questions_needed(calibration.alpha)
        infeasible = [
            f"{name} {configuration}" for name, configuration, t in rows if not t.feasible
        ]
        return stored(
            pipeline.thresholds.read().digest,
            {
                "summary": summary(
                    ("knowledge base", "components", "threshold", "n", "risk at most", "answered"),
                    [
                        (name, configuration, t.threshold, t.questions, t.risk_bound, t.answered)
                        for name, configuration, t in rows
                    ],
                ),
                **counts(alpha=calibration.alpha, questions_needed=needed),
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="thresholds_feasible",
                    passed=not infeasible,
                    severity=dg.AssetCheckSeverity.WARN,
                    description="every threshold keeps the required risk"
                    if not infeasible
                    else f"needs {needed} questions to refuse and {LEAST_TO_ANSWER} to answer; "
                    "fallback in use: " + ", ".join(infeasible),
                )
            ],
        )

    return thresholds


def _benchmark_answers() -> dg.AssetsDefinition:
    """Return the asset of the answers, whose inputs carry the encoder's name."""

    @dg.asset(
        deps=stage_inputs("benchmark_answers"),
        group_name=GROUP,
        kinds={"json"},
        owners=OWNERS,
        code_version="3",
        check_specs=[
            dg.AssetCheckSpec("citations_valid", asset="benchmark_answers", blocking=True),
            dg.AssetCheckSpec("no_wrong_drug", asset="benchmark_answers", blocking=True),
        ],
    )
    def benchmark_answers(clinrag: ClinragResource) -> dg.MaterializeResult:
        """The answer to every question as a user would get it, each citation checked."""
        pipeline = clinrag.pipeline()

        def report(done: int, total: int) -> None:
            if done % 100 == 0 or done == total:
                logger.info("answered %d of %d questions", done, total)

        made = make_answers(pipeline, report)
        answers = made.answers
        problems = Counter(p for a in answers for p in a.citation_problems)
        limits = answer_limits(answers, pipeline.settings.acceptance)
        return stored(
            pipeline.benchmark_answers.read().digest,
            {
                "dagster/row_count": len(answers),
                "citations": sum(len(a.answer.citations) for a in answers),
                "nugget_questions": len(made.nuggets),
                "wrong_drug_passages": sum(a.wrong_drug for a in answers),
                "citation_problems": table(
                    [{"problem": name, "citations": n} for name, n in sorted(problems.items())]
                ),
            },
            check_results=[
                check_result(limit_check(limit))
                for limit in limits
                if limit.report == "benchmark_answers"
            ],
        )

    return benchmark_answers


@dg.definitions
def measurements() -> dg.Definitions:
    """Return what is measured over the profile's candidates."""
    return dg.Definitions(
        assets=[benchmark, _retrieval_runs(), _thresholds(), _benchmark_answers()]
    )
