"""How long an answer takes on the machine that builds; a warning, never a gate."""

import dagster as dg
from clinrag_core.evaluate.glance import Bar

from clinrag_core.evaluate.latency import LIMIT_MS
from clinrag_core.evaluate.plots import latency_figure
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_dagster.metadata import OWNERS, glance, markdown_table, plot, scores
from clinrag_dagster.report_metadata import GROUP, provenance
from clinrag_dagster.resources import ClinragResource

NAME = "latency_report"


@dg.asset(
    deps=["thresholds"],
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="2",
    check_specs=[dg.AssetCheckSpec("answers_in_time", asset=NAME)],
)
def latency_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Percentiles of an answer and of its stages, over the questions of the dev split."""
    evaluation = CandidateEvaluation(clinrag.pipeline())
    latency = evaluation.latency()
    metrics = latency.metrics()
    rows = [
        (name, len(values), *(f"{metrics[f'{name}/p{p}_ms']:.1f}" for p in (50, 95, 99)))
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
    told = f"p95 {p95:.0f} ms, limit {LIMIT_MS:g} ms" if p95 is not None else "nothing was asked"
    return dg.MaterializeResult(
        metadata={
            "verdict": dg.MetadataValue.md(
                f"{'✔ **in time**' if in_time else '✘ **too slow** (stops nothing)'}, {told}"
            ),
            "glance": glance(bars, "p95 of each stage, with the limit of an answer", "{:.0f} ms"),
            "summary": markdown_table(("stage", "n", "p50 ms", "p95 ms", "p99 ms"), rows),
            "distribution": plot(latency_figure(latency, LIMIT_MS), "share over milliseconds"),
            **provenance(evaluation),
            **scores("latency", metrics),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="answers_in_time",
                passed=in_time,
                severity=dg.AssetCheckSeverity.WARN,
                description=told,
                metadata={"p95_ms": p95 if p95 is not None else -1.0, "limit_ms": LIMIT_MS},
            )
        ],
    )
