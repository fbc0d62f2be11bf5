"""The answer report: what was answered and refused, rightly or wrongly."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.evaluate.answer_metrics import answer_metrics, risk_coverage
from clinrag_core.evaluate.plots import margin_figure, risk_coverage_figure, waterfall_figure
from clinrag_core.evaluate.report import EvaluationReport, figure_block, finite, table_block
from clinrag_core.evaluate.reports.gates import (
    gate_state,
    limit_check,
    limit_table,
    verdict_bars,
    verdict_check,
    verdict_table,
)
from clinrag_core.evaluate.reports.nuggets import nugget_blocks, nugget_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.baseline import Baseline, Verdict
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import BenchmarkAnswers
    from clinrag_core.evaluate.gated_metrics import Measured
    from clinrag_core.evaluate.limits import Limit

NAME = "answer_report"
WATERFALLS = ("answers/vital_recall", "answers/complete", "answers/refused")
TRENDS = (
    "nuggets/test/vital_recall",
    "nuggets/test/complete",
    "nuggets/test/traps_said",
    "answers/test/answered",
    "answers/test/refused",
    "answers/test/aurc",
)


def answer_report(
    benchmark_answers: BenchmarkAnswers,
    benchmark: Benchmark,
    measured: Measured,
    verdicts: Sequence[Verdict],
    limits: Sequence[Limit],
    accepted: Baseline | None,
) -> EvaluationReport:
    """Report on the answers of one evaluation, per split."""
    answers = benchmark_answers.answers
    state, verdict, failed = gate_state(verdicts, limits, accepted)
    by_split = {s: [a for a in answers if a.split == s] for s in ("dev", "test")}
    shares = {split: answer_metrics(chosen) for split, chosen in by_split.items()}
    metrics: dict[str, float] = {}
    for split, values in shares.items():
        aurc = {"aurc": risk_coverage(by_split[split]).aurc}
        metrics |= finite(f"answers/{split}", values | aurc)
    reasons = Counter((a.reason, a.expect) for a in answers if a.reason is not None)
    metrics |= nugget_metrics(benchmark_answers.nuggets)
    return EvaluationReport(
        name=NAME,
        title="Answers",
        evaluated=benchmark_answers.evaluated,
        state=state,
        verdict=verdict,
        failed=failed,
        blocks=(
            verdict_bars(verdicts),
            verdict_table(verdicts),
            limit_table(limits),
            *nugget_blocks(benchmark_answers.nuggets, benchmark),
            figure_block("confidence", "confidence above its threshold", margin_figure(answers)),
            figure_block("risk_coverage", "risk over coverage", risk_coverage_figure(answers)),
            figure_block(
                "changes", "change per question", waterfall_figure(accepted, measured, WATERFALLS)
            ),
            table_block(
                "shares",
                "Shares per split",
                ("split", "judged", "answered", "supported", "refused rightly", "valid citations"),
                [
                    (
                        split,
                        int(m["questions"]),
                        m["answered"],
                        m["supported"],
                        m["refused"],
                        m["citation_validity"],
                    )
                    for split, m in shares.items()
                ],
            ),
            table_block(
                "abstentions",
                "Abstentions by reason",
                ("reason", "expected", "questions"),
                [(reason, expect, count) for (reason, expect), count in sorted(reasons.items())],
            ),
        ),
        checks=(
            verdict_check(verdicts, accepted),
            *(limit_check(limit) for limit in limits if limit.report == NAME),
        ),
        metrics=metrics,
        trends=tuple(name for name in TRENDS if name in metrics),
    )
