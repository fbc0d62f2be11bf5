"""Parts that several reports share: gated metrics against the baseline, absolute limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.report import BarBlock, ReportCheck, TableBlock, table_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.baseline import Baseline, Verdict
    from clinrag_core.evaluate.limits import Limit
    from clinrag_core.evaluate.report import ReportState

NOT_WORSE = "not_worse_than_accepted"


def gate_state(
    verdicts: Sequence[Verdict], limits: Sequence[Limit], accepted: Baseline | None = None
) -> tuple[ReportState, str, tuple[str, ...]]:
    """State of a report, one line that says whether and by what it stops a release, and by what."""
    failed = [verdict.metric for verdict in verdicts if not verdict.passed]
    failed += [limit.name for limit in limits if not limit.passed]
    count = len(verdicts) + len(limits)
    judged = sum(item.judged for item in (*verdicts, *limits))
    if failed or not count:
        what = ", ".join(failed) or "nothing was measured"
        return "failed", f"stops the release, {len(failed)} of {count}: {what}", tuple(failed)
    against = f" against {baseline_name(accepted)}" if verdicts and accepted else ""
    left = f"; {count - judged} not judged" if judged < count else ""
    first = "; first evaluation, to be reviewed" if verdicts and accepted is None else ""
    to_read = [limit.name for limit in limits if limit.warning]
    read = f"; to read: {', '.join(to_read)}" if to_read else ""
    return "passed", f"holds, {judged} of {judged}{against}{left}{first}{read}", ()


def baseline_name(accepted: Baseline) -> str:
    """Return a baseline as reports name it."""
    return f"{'provisional ' if accepted.provisional else ''}baseline {accepted.id}"


def verdict_bars(verdicts: Sequence[Verdict]) -> BarBlock:
    """Return every gated metric with the lowest value that passes."""
    bars = [
        Bar(v.metric, v.now, None if v.accepted is None else v.accepted - v.tolerance, v.passed)
        for v in verdicts
    ]
    title = "gated metrics now, with the lowest value that passes"
    return BarBlock(name="overview", title=title, bars=tuple(bars))


def verdict_table(verdicts: Sequence[Verdict]) -> TableBlock:
    """Verdict, metric, accepted, now, delta, interval, n; the verdict first, for narrow screens."""
    return table_block(
        "summary",
        "Against the accepted baseline (test split)",
        ("verdict", "metric", "accepted", "now", "delta", "95 %", "n"),
        [
            (
                v.verdict,
                v.metric,
                v.accepted,
                v.now,
                None if v.delta is None else f"{v.delta:+.3f}",
                None if v.low is None or v.high is None else f"{v.low:+.3f} to {v.high:+.3f}",
                v.questions,
            )
            for v in verdicts
        ],
        failed=[row for row, verdict in enumerate(verdicts) if not verdict.passed],
    )


def limit_table(limits: Sequence[Limit], name: str = "limits") -> TableBlock:
    """Absolute limits with their values."""
    return table_block(
        name,
        "Absolute limits",
        ("verdict", "limit", "now", "must be", "n"),
        [
            (
                _verdict_of(limit),
                limit.name,
                limit.value,
                f"{'≥' if limit.at_least else '≤'} {limit.limit:g}",
                limit.n,
            )
            for limit in limits
        ],
        failed=[row for row, limit in enumerate(limits) if not limit.passed],
    )


def _verdict_of(limit: Limit) -> str:
    """Return a limit in one or two words."""
    if not limit.passed:
        return "broken"
    if limit.warning:
        return "warning"
    return "holds" if limit.judged else "not judged"


def verdict_check(verdicts: Sequence[Verdict], accepted: Baseline | None) -> ReportCheck:
    """Return the gate that no metric is below the accepted baseline by more than its tolerance."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    judged = sum(verdict.judged for verdict in verdicts)
    if failed:
        description = "; ".join(_reason(verdict) for verdict in failed)
    elif accepted is None:
        description = (
            "not judged: first evaluation of this corpus; the release stays unreviewed until "
            '`make promote AUTHOR="..." REASON="..."` with the same CORPUS or PROFILE'
        )
    else:
        description = f"{judged} metrics hold against {baseline_name(accepted)}"
        if judged < len(verdicts):
            description += f"; {len(verdicts) - judged} not judged: too few questions"
    return ReportCheck(
        name=NOT_WORSE,
        passed=bool(verdicts) and not failed,
        gate=True,
        description=description,
        figures={
            "baseline": accepted.id if accepted else "none",
            "metrics": len(verdicts),
            "failed": len(failed),
        },
    )


def _reason(verdict: Verdict) -> str:
    if verdict.accepted is None or verdict.now is None:
        return f"{verdict.metric}: {verdict.verdict}"
    return (
        f"{verdict.metric}: {verdict.verdict}, {verdict.accepted:.3f} to {verdict.now:.3f} "
        f"(may fall by {verdict.tolerance:g})"
    )


def limit_check(limit: Limit) -> ReportCheck:
    """Return the gate of an absolute limit; one that holds with a warning only warns."""
    warns = limit.passed and limit.warning
    figures: dict[str, float | int | str] = {"n": limit.n, "limit": limit.limit}
    if limit.value is not None:
        figures["value"] = limit.value
    return ReportCheck(
        name=limit.name,
        passed=limit.passed and not warns,
        gate=not warns,
        description=limit.description,
        figures=figures,
    )
