"""What every report shows: its verdicts, its limits, and what exactly was evaluated."""

from collections.abc import Sequence

import dagster as dg

from clinrag_core.build.evaluate import CandidateEvaluation
from clinrag_core.build.reports import report_path
from clinrag_core.evaluate.baseline import Baseline, Verdict
from clinrag_core.evaluate.limits import Limit
from clinrag_core.evaluate.report import VERDICT_COLUMNS, verdict_row
from clinrag_core.revision import git_commit
from clinrag_dagster.metadata import markdown_table

GROUP = "evaluation"
NOT_WORSE = "not_worse_than_accepted"


def verdict_table(verdicts: Sequence[Verdict]) -> dg.MarkdownMetadataValue:
    """Metric, accepted, now, delta, interval, n, verdict; under 1,000 characters."""
    return markdown_table(VERDICT_COLUMNS, [verdict_row(verdict) for verdict in verdicts])


def limit_table(limits: Sequence[Limit]) -> dg.MarkdownMetadataValue:
    """Absolute limits as a small table."""
    rows = [
        (
            limit.name,
            limit.value,
            f"{'≥' if limit.at_least else '≤'} {limit.limit:g}",
            limit.n,
            "holds" if limit.passed else "**broken**",
        )
        for limit in limits
    ]
    return markdown_table(("limit", "now", "must be", "n", "verdict"), rows)


def verdict_check(
    asset: str, verdicts: Sequence[Verdict], accepted: Baseline | None
) -> dg.AssetCheckResult:
    """Whether every held metric holds; the deltas are plotted over time on the check's page."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    told = "; ".join(f"{verdict.metric}: {verdict.verdict}" for verdict in failed)
    if accepted is None:
        told = (
            "no accepted baseline for this corpus: read the report, then "
            '`make promote AUTHOR="..." REASON="..."`'
        )
    metadata: dict[str, float | int | str] = {"baseline": accepted.id if accepted else "none"}
    for verdict in verdicts:
        metadata[f"{verdict.metric}/n"] = verdict.questions
        if verdict.delta is not None:
            metadata[f"{verdict.metric}/delta"] = verdict.delta
            metadata[f"{verdict.metric}/floor"] = -verdict.tolerance
    return dg.AssetCheckResult(
        check_name=NOT_WORSE,
        asset_key=dg.AssetKey(asset),
        passed=bool(verdicts) and not failed,
        description=told or f"{len(verdicts)} metrics hold against baseline {accepted.id}"
        if accepted
        else told,
        metadata=metadata,
    )


def limit_check(limit: Limit) -> dg.AssetCheckResult:
    """An absolute limit as a blocking check's result."""
    metadata: dict[str, float | int] = {"n": limit.n, "limit": limit.limit}
    if limit.value is not None:
        metadata["value"] = limit.value
    return dg.AssetCheckResult(
        check_name=limit.name,
        passed=limit.passed,
        description=limit.description,
        metadata=metadata,
    )


def provenance(evaluation: CandidateEvaluation) -> dict[str, str | dg.MetadataValue]:
    """What was evaluated, by which code, and where the full page lies."""
    accepted = evaluation.baselines.accepted()
    return {
        "report": dg.MetadataValue.path(str(report_path(evaluation))),
        "evaluation": evaluation.store.fingerprint,
        "benchmark": evaluation.benchmark.fingerprint,
        "baseline": accepted.id if accepted else "none",
        "encoder_fingerprint": evaluation.pipeline.encoder_fingerprint,
        "git_commit": git_commit() or "not a checkout",
    }
