"""The latency report: how long an answer takes on the machine that builds; gates nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.latency import LIMIT_MS, PERCENTILES
from clinrag_core.evaluate.plots import latency_figure
from clinrag_core.evaluate.report import (
    BarBlock,
    EvaluationReport,
    ReportCheck,
    figure_block,
    finite,
    table_block,
)

if TYPE_CHECKING:
    from clinrag_core.evaluate.evaluation import EvaluatedBases
    from clinrag_core.evaluate.latency import Latency


def latency_report(evaluated: EvaluatedBases, latency: Latency) -> EvaluationReport:
    """Report percentiles of an answer and of its stages."""
    metrics = latency.metrics()
    rows = [
        (name, len(values), *(f"{metrics[f'{name}/p{p}_ms']:.1f}" for p in PERCENTILES))
        for name, values in sorted(latency.stages.items())
        if values
    ]
    p95 = metrics.get("ask/p95_ms")
    in_time = p95 is not None and p95 <= LIMIT_MS
    bars = [
        Bar(
            f"{name} p95",
            metrics[f"{name}/p95_ms"],
            LIMIT_MS if name == "ask" else None,
            name != "ask" or in_time,
        )
        for name, *_ in rows
    ]
    reason = f"p95 {p95:.0f} ms, limit {LIMIT_MS:g} ms" if p95 is not None else "nothing was asked"
    return EvaluationReport(
        name="latency_report",
        title="Latency on the machine that built it",
        evaluated=evaluated,
        state="passed" if in_time else "warning",
        verdict=f"{'in time' if in_time else 'too slow (gates nothing)'}, {reason}",
        blocks=(
            BarBlock(
                name="overview",
                title="p95 of each stage, with the limit of an answer",
                bars=tuple(bars),
                form="{:.0f} ms",
            ),
            table_block(
                "summary",
                "Milliseconds by stage",
                ("stage", "n", *(f"p{p} ms" for p in PERCENTILES)),
                rows,
            ),
            figure_block(
                "distribution",
                "share of answers over milliseconds",
                latency_figure(latency, LIMIT_MS),
            ),
        ),
        checks=(
            ReportCheck(
                name="answers_in_time",
                passed=in_time,
                gate=False,
                description=reason,
                figures={"p95_ms": p95 if p95 is not None else -1.0, "limit_ms": LIMIT_MS},
            ),
        ),
        metrics=finite("latency", metrics),
        trends=tuple(f"latency/ask/p{p}_ms" for p in PERCENTILES if f"ask/p{p}_ms" in metrics),
    )
