"""Conformal risk control (Angelopoulos et al. 2022, Theorem 1) for a threshold on a signal. Pure.

The loss of a question to refuse is 1 if it is answered, else 0; it falls as the threshold rises.
With n such questions and risk R(t) on them, the smallest t with

    n / (n + 1) * R(t) + 1 / (n + 1) <= alpha

keeps the expected loss of one more question of the same kind at or below alpha.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Controlled(NamedTuple):
    """A threshold with what it promises."""

    threshold: float
    feasible: bool
    risk_bound: float
    """Expected share of questions to refuse that are answered, at most."""


def questions_needed(alpha: float) -> int:
    """Least number of questions for which any threshold can promise a risk of alpha.

    Args:
        alpha: in (0, 1). Even without an error on n questions the bound is 1 / (n + 1).
    """
    return math.ceil(1 / alpha - 1 - 1e-9)


def control_risk(signals: Sequence[float | None], alpha: float) -> Controlled:
    """Return the smallest threshold that keeps the risk at or below alpha.

    Args:
        signals: of questions to refuse; None for those refused before any signal was computed.
        alpha: wanted risk, in (0, 1).
    """
    n = len(signals)
    allowed = math.floor(alpha * (n + 1) + 1e-9) - 1
    known = sorted((s for s in signals if s is not None), reverse=True)
    if allowed < 0:
        worst = math.nextafter(known[0], math.inf) if known else 0.0
        return Controlled(worst, feasible=False, risk_bound=1 / (n + 1))
    threshold = math.nextafter(known[allowed], math.inf) if len(known) > allowed else 0.0
    errors = sum(signal >= threshold for signal in known)
    return Controlled(threshold, feasible=True, risk_bound=(errors + 1) / (n + 1))
