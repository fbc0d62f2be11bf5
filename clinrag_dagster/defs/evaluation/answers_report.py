"""What was answered and refused, rightly or wrongly, and whether it got worse."""

from collections import Counter

import dagster as dg

from clinrag_core.evaluate.answer_metrics import answer_metrics, risk_coverage
from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.evaluate.plots import margin_figure, risk_coverage_figure, waterfall_figure
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, glance, markdown_table, plot, scores, table
from clinrag_dagster.report_metadata import (
    GROUP,
    limit_check,
    limit_table,
    not_worse,
    provenance,
    verdict_bars,
    verdict_check,
    verdict_line,
    verdict_table,
)
from clinrag_dagster.resources import ClinragResource

NAME = "answer_report"
WATERFALLS = ("answers/answered", "answers/supported", "answers/refused")


@dg.asset(
    deps=["benchmark_answers", "accepted_baseline"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="4",
    check_specs=[
        not_worse(NAME),
        dg.AssetCheckSpec("refusals_kept", asset=NAME, blocking=True),
    ],
)
def answer_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """What was answered and refused, rightly or wrongly, per split."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    answers = evaluation.answers()
    accepted = evaluation.baselines.accepted()
    verdicts = evaluation.verdicts("answers")
    limits = [
        limit
        for limit in answer_limits(answers, evaluation.pipeline.settings.acceptance)
        if limit.report == NAME
    ]
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
            "verdict": verdict_line(verdicts, limits, accepted),
            "glance": glance(verdict_bars(verdicts), "held shares now, with the least that holds"),
            "summary": verdict_table(verdicts),
            "limits": limit_table(limits),
            "confidence": plot(margin_figure(answers), "confidence above its threshold"),
            "risk_coverage": plot(risk_coverage_figure(answers), "risk over coverage"),
            "changes": plot(
                waterfall_figure(accepted, evaluation.measured(), WATERFALLS),
                "change per question",
            ),
            "shares": markdown_table(
                ("split", "judged", "answered", "supported", "refused rightly"), rows
            ),
            "abstentions": table(
                [
                    {"reason": reason, "expected": expect, "questions": count}
                    for (reason, expect), count in sorted(reasons.items())
                ]
            ),
            **provenance(evaluation),
            **flat,
        },
        check_results=[
            verdict_check(NAME, verdicts, accepted),
            *(limit_check(limit) for limit in limits),
        ],
    )
