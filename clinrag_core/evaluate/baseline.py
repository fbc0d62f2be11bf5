"""The accepted baseline, what a candidate is compared with, and when it may be replaced. Pure.

A baseline is moved only by a person, with a reason: compared with "the last run" a slow decline
would pass step by step. Every comparison fails closed: no baseline, too few questions or a value
that is not a number is a failure.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from clinrag_core.evaluate.compare import compare_paired
from clinrag_core.evaluate.gated_metrics import GATED, GatedMetric, Measured
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.evaluate.gated_metrics import Report
    from clinrag_core.settings import AcceptanceSettings

FORMAT = "baseline/1"


class Evaluated(Record):
    """What was evaluated, with the values of each question."""

    corpus: str
    profile: str
    evaluation: str
    benchmark: str
    knowledge_bases: dict[str, str]
    encoder: str
    commit: str | None
    measured: Measured


class Baseline(Record):
    """An evaluation that a person has accepted."""

    format: str = FORMAT
    sequence: int
    author: str
    reason: str
    accepted: dt.datetime
    evaluated: Evaluated

    @property
    def id(self) -> str:
        """Short name: its number and the evaluation it accepts."""
        return f"{self.sequence:04d}-{self.evaluated.evaluation[:8]}"


class Verdict(Record):
    """One gated metric of a candidate compared with the accepted one, paired by question."""

    metric: str
    accepted: float | None = None
    now: float | None
    delta: float | None = None
    low: float | None = None
    high: float | None = None
    """Bounds of the 95 % interval of delta."""
    questions: int
    lost: int
    """Questions of the baseline that cannot be judged any more, or were reworded."""
    tolerance: float
    passed: bool
    verdict: str


def compare_with_baseline(
    accepted: Baseline | None,
    now: Measured,
    settings: AcceptanceSettings,
    report: Report | None = None,
) -> tuple[Verdict, ...]:
    """A verdict on every gated metric, of one report or of all."""
    gated = [metric for metric in GATED if report in (None, metric.report)]
    return tuple(_verdict(metric, accepted, now, settings) for metric in gated)


def _verdict(
    metric: GatedMetric, accepted: Baseline | None, now: Measured, settings: AcceptanceSettings
) -> Verdict:
    """Compare one metric; every reason not to compare is a failure."""
    values = now.values.get(metric.name, {})
    if accepted is None:
        return _failed(metric, values, "no accepted baseline")
    then = accepted.evaluated.measured
    base = then.values.get(metric.name, {})
    same = sorted(
        q for q in base.keys() & values.keys() if then.questions.get(q) == now.questions.get(q)
    )
    lost = len(base) - len(same)
    if not all(math.isfinite(value) for value in (*values.values(), *base.values())):
        return _failed(metric, {}, "not a number", len(same), lost)
    if len(same) < settings.minimum_questions:
        needed = settings.minimum_questions
        return _failed(metric, values, f"too few questions: {needed} needed", len(same), lost)
    paired = compare_paired({q: values[q] for q in same}, {q: base[q] for q in same})
    fell = paired.delta < -metric.tolerance
    missing = lost > settings.lost_share * len(base)
    return Verdict(
        metric=metric.name,
        accepted=paired.reference,
        now=paired.mean,
        delta=paired.delta,
        low=paired.low,
        high=paired.high,
        questions=len(same),
        lost=lost,
        tolerance=metric.tolerance,
        passed=not fell and not missing,
        verdict="worse" if fell else f"{lost} questions lost" if missing else "holds",
    )


def _failed(
    metric: GatedMetric, values: Mapping[str, float], why: str, questions: int = 0, lost: int = 0
) -> Verdict:
    """A verdict that fails because nothing could be compared."""
    return Verdict(
        metric=metric.name,
        now=math.fsum(values.values()) / len(values) if values else None,
        questions=questions or len(values),
        lost=lost,
        tolerance=metric.tolerance,
        passed=False,
        verdict=why,
    )


def promotion_refusal(
    accepted: Baseline | None,
    proposed: Evaluated,
    unsafe: Sequence[str],
    settings: AcceptanceSettings,
    *,
    author: str,
    reason: str,
    accept_loss: bool = False,
) -> str | None:
    """Why an evaluation may not become the accepted baseline; None if it may.

    Nobody can accept a broken limit (`unsafe`). With `accept_loss` a metric may fall by more than
    its tolerance, and questions may be lost.
    """
    if not author.strip() or not reason.strip():
        return "a promotion needs an author and a reason"
    if unsafe:
        return f"not safe: {'; '.join(unsafe)}"
    if thin := _thin(proposed.measured, settings.minimum_questions):
        return f"not measured well enough: {', '.join(thin)}"
    if accepted is not None and accepted.evaluated.evaluation == proposed.evaluation:
        return f"already accepted as {accepted.id}"
    if accepted is None or accept_loss:
        return None
    verdicts = compare_with_baseline(accepted, proposed.measured, settings)
    worse = [v for v in verdicts if not v.passed]
    losses = ", ".join(f"{v.metric} {v.verdict}" for v in worse)
    return f"{losses}: promote with accept_loss if that is meant" if worse else None


def _thin(measured: Measured, minimum: int) -> list[str]:
    """Gated metrics with too few questions or a value that is not a number."""
    thin: list[str] = []
    for metric in GATED:
        values = measured.values.get(metric.name, {})
        if len(values) < minimum:
            thin.append(f"{metric.name} has {len(values)} questions, {minimum} needed")
        elif not all(math.isfinite(value) for value in values.values()):
            thin.append(f"{metric.name} is not a number")
    return thin
