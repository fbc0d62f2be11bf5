"""What every report shows: its verdicts, its limits, and what exactly was evaluated."""

from collections.abc import Sequence

import dagster as dg
from clinrag_core.evaluate.glance import Bar

from clinrag_core.evaluate.baseline import Baseline, Verdict
from clinrag_core.evaluate.limits import Limit
from clinrag_core.evaluate.report import VERDICT_COLUMNS, verdict_row
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.reports import report_path
from clinrag_core.revision import git_commit
from clinrag_dagster.metadata import Cell, markdown_table

GROUP = "evaluation"
NOT_WORSE = "not_worse_than_accepted"


def verdict_line(
    verdicts: Sequence[Verdict], limits: Sequence[Limit], accepted: Baseline | None = None
) -> dg.MarkdownMetadataValue:
    """One line that says at a glance whether this report stops the release, and by what."""
    failed = [verdict.metric for verdict in verdicts if not verdict.passed]
    failed += [limit.name for limit in limits if not limit.passed]
    count = len(verdicts) + len(limits)
    if failed or not count:
        told = ", ".join(f"`{name}`" for name in failed) or "nothing was measured"
        return dg.MetadataValue.md(f"✘ **STOPPED**, {len(failed)} of {count}: {told}")
    against = f" against baseline {accepted.id}" if verdicts and accepted else ""
    return dg.MetadataValue.md(f"✔ **holds**, {count} of {count}{against}")


def verdict_bars(verdicts: Sequence[Verdict]) -> list[Bar]:
    """Every held metric with the least value that still holds."""
    return [
        Bar(v.metric, v.now, None if v.accepted is None else v.accepted - v.tolerance, v.passed)
        for v in verdicts
    ]


def verdict_table(verdicts: Sequence[Verdict]) -> dg.MarkdownMetadataValue:
    """Verdict, metric, accepted, now, delta, interval, n; under 1,000 characters.

    The verdict comes first, because the UI clips a table at the right.
    """
    rows = [verdict_row(verdict) for verdict in verdicts]
    return markdown_table(
        (VERDICT_COLUMNS[-1], *VERDICT_COLUMNS[:-1]),
        [
            (
                _state(str(row[-1]), passed=verdict.passed),
                *(_unbroken(cell) for cell in row[:-1]),
            )
            for verdict, row in zip(verdicts, rows, strict=True)
        ],
    )


def _unbroken(cell: Cell) -> Cell:
    """A cell that a narrow column does not fold."""
    return cell.replace(" ", "\u00a0") if isinstance(cell, str) else cell


def _state(told: str, *, passed: bool) -> str:
    # Without the space that does not break, a narrow column folds after the mark.
    return f"✔\u00a0{told}" if passed else f"**✘\u00a0{told}**"


def limit_table(limits: Sequence[Limit]) -> dg.MarkdownMetadataValue:
    """Absolute limits as a small table."""
    rows = [
        (
            _state("holds" if limit.passed else "broken", passed=limit.passed),
            limit.name,
            limit.value,
            f"{'≥' if limit.at_least else '≤'}\u00a0{limit.limit:g}",
            limit.n,
        )
        for limit in limits
    ]
    return markdown_table(("verdict", "limit", "now", "must\u00a0be", "n"), rows)


def verdict_check(
    asset: str, verdicts: Sequence[Verdict], accepted: Baseline | None
) -> dg.AssetCheckResult:
    """Whether every held metric holds; the deltas are plotted over time on the check's page."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    told = "; ".join(_told(verdict) for verdict in failed)
    if accepted is None:
        told = (
            "no accepted baseline for this corpus: read the report, then "
            '`make promote AUTHOR="..." REASON="..."`'
        )
    metadata: dict[str, float | int | str] = {"baseline": accepted.id if accepted else "none"}
    for verdict in verdicts:
        metadata[f"{verdict.metric}/n"] = verdict.questions
        if verdict.delta is not None:
            metadata[f"{verdict.metric}/delta"] = round(verdict.delta, 4)
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


def _told(verdict: Verdict) -> str:
    if verdict.accepted is None or verdict.now is None:
        return f"{verdict.metric}: {verdict.verdict}"
    return (
        f"{verdict.metric}: {verdict.verdict}, {verdict.accepted:.3f} to {verdict.now:.3f} "
        f"(may fall by {verdict.tolerance:g})"
    )


def not_worse(asset: str) -> dg.AssetCheckSpec:
    """The check that compares a report with the accepted baseline."""
    return dg.AssetCheckSpec(
        NOT_WORSE,
        asset=asset,
        blocking=True,
        description="No held metric may fall below the accepted baseline by more than its "
        "tolerance, question by question on the test split. A person moves the baseline.",
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
