"""The accepted baseline, what a candidate is compared with, and when it may be replaced. Pure.

A baseline is moved only by a person, with a reason: compared with "the last run" a slow decline
would pass step by step. The first evaluation of a corpus has nothing to be compared with; it stays
as a provisional baseline until a person promotes one (ADR 0015). What was judged once and cannot be
judged any more fails, as does a value that is not a number.
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
    corpus_manifest: str = ""
    """Digest of the corpus manifest; empty in records of older versions."""
    profile: str
    evaluation: str
    benchmark: str
    knowledge_bases: dict[str, str]
    encoder: str
    commit: str | None
    measured: Measured


class Baseline(Record):
    """An evaluation that later ones are compared with."""

    format: str = FORMAT
    sequence: int
    provisional: bool = False
    """Whether it is the first one of its corpus, which no person has accepted."""
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
    judged: bool = True
    """False if there was nothing to compare with, or too little; then it passes."""
    verdict: str


def compare_with_baseline(
    accepted: Baseline | None,
    now: Measured,
    settings: AcceptanceSettings,
    report: Report | None = None,
) -> tuple[Verdict, ...]:
    """Return a verdict on every gated metric, of one report or of all."""
    gated = [metric for metric in GATED if report in (None, metric.report)]
    return tuple(_verdict(metric, accepted, now, settings) for metric in gated)


def _verdict(
    metric: GatedMetric, accepted: Baseline | None, now: Measured, settings: AcceptanceSettings
) -> Verdict:
    """Compare one metric; what the baseline judges and this evaluation does not is a failure."""
    values = now.values.get(metric.name, {})
    if not all(map(math.isfinite, values.values())):
        return _uncompared(metric, {}, "not a number", len(values))
    if accepted is None:
        return _uncompared(metric, values, "not judged: first evaluation", judged=False)
    needed = settings.minimum_questions
    then = accepted.evaluated.measured
    base = then.values.get(metric.name, {})
    same = sorted(
        q for q in base.keys() & values.keys() if then.questions.get(q) == now.questions.get(q)
    )
    lost = len(base) - len(same)
    if not all(map(math.isfinite, base.values())):
        return _uncompared(metric, {}, "not a number", len(same), lost)
    if len(base) < needed:
        why = f"not judged: the baseline has {len(base)} questions, {needed} needed"
        return _uncompared(metric, values, why, len(same), lost, judged=False)
    if len(same) < needed:
        return _uncompared(metric, values, f"too few questions: {needed} needed", len(same), lost)
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


def _uncompared(
    metric: GatedMetric,
    values: Mapping[str, float],
    why: str,
    questions: int = 0,
    lost: int = 0,
    *,
    judged: bool = True,
) -> Verdict:
    """Return a verdict where nothing was compared: a failure if there is a figure to judge by."""
    return Verdict(
        metric=metric.name,
        now=math.fsum(values.values()) / len(values) if values else None,
        questions=questions or len(values),
        lost=lost,
        tolerance=metric.tolerance,
        passed=not judged,
        judged=judged,
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

    Nobody can accept a broken limit (`unsafe`) or a value that is not a number. With `accept_loss`
    a metric may fall by more than its tolerance, and questions may be lost.
    """
    if not author.strip() or not reason.strip():
        return "a promotion needs an author and a reason"
    if unsafe:
        return f"not safe: {'; '.join(unsafe)}"
    if broken := _broken(proposed.measured):
        return f"not a number: {', '.join(broken)}"
    if accepted is None:
        return None
    if _identity(accepted.evaluated) != _identity(proposed):
        return f"baseline {accepted.id} is of another profile or corpus"
    return _loss(accepted, proposed, settings, accept_loss=accept_loss)


def _loss(
    accepted: Baseline, proposed: Evaluated, settings: AcceptanceSettings, *, accept_loss: bool
) -> str | None:
    """Why an evaluation may not replace a baseline of its corpus; None if it may."""
    is_same = accepted.evaluated.evaluation == proposed.evaluation
    if is_same and not accepted.provisional:
        return f"already accepted as {accepted.id}"
    if accept_loss:
        return None
    verdicts = compare_with_baseline(accepted, proposed.measured, settings)
    worse = [v for v in verdicts if not v.passed]
    losses = ", ".join(f"{v.metric} {v.verdict}" for v in worse)
    return f"{losses}: promote with accept_loss if that is meant" if worse else None


def _identity(evaluated: Evaluated) -> tuple[str, str]:
    """Return what a baseline belongs to."""
    return evaluated.profile, evaluated.corpus


def _broken(measured: Measured) -> list[str]:
    """Gated metrics with a value that is not a number."""
    return [
        metric.name
        for metric in GATED
        if not all(map(math.isfinite, measured.values.get(metric.name, {}).values()))
    ]
