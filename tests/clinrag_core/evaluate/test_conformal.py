"""Conformal risk control: the bound is kept, and is tighter with more questions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.evaluate.calibration import LEAST_TO_ANSWER, raised, threshold_between
from clinrag_core.evaluate.conformal import control_risk, questions_needed

SIGNALS = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=300)


@given(SIGNALS, st.floats(0.01, 0.5))
def test_the_bound_is_kept_wherever_it_is_feasible(signals, alpha: float):
    found = control_risk(signals, alpha)
    errors = sum(s is not None and s >= found.threshold for s in signals)
    assert found.risk_bound == pytest.approx((errors + 1) / (len(signals) + 1))
    if found.feasible:
        assert found.risk_bound <= alpha + 1e-9
    else:
        assert errors == 0
        assert len(signals) < questions_needed(alpha)


@given(SIGNALS, st.floats(0.02, 0.5))
def test_no_smaller_threshold_among_the_signals_would_do(signals, alpha: float):
    found = control_risk(signals, alpha)
    below = [s for s in signals if s is not None and s < found.threshold]
    if found.feasible and below:
        errors = sum(s is not None and s >= max(below) for s in signals)
        assert (errors + 1) / (len(signals) + 1) > alpha


@pytest.mark.parametrize(
    ("alpha", "needed"), [(0.5, 1), (0.1, 9), (0.05, 19), (0.025, 39), (0.01, 99)]
)
def test_the_sample_size_a_claim_needs(alpha: float, needed: int):
    assert questions_needed(alpha) == needed
    assert control_risk([None] * needed, alpha).feasible
    assert not control_risk([None] * (needed - 1), alpha).feasible


def test_the_risk_bound_is_kept_on_new_questions():
    """Over many draws, a new question to refuse is answered with probability at most alpha."""
    rng = np.random.default_rng(3)
    alpha, answered = 0.1, []
    for _ in range(3_000):
        *known, new = rng.beta(2, 3, size=40).tolist()
        answered.append(new >= control_risk(known, alpha).threshold)
    assert np.mean(answered) <= alpha + 0.015


@pytest.mark.parametrize(
    ("answerable", "threshold"), [((0.6, 0.9), 0.5), ((0.3, 0.9), 0.4), ((), 0.4)]
)
def test_a_threshold_is_raised_halfway_and_never_lowered(
    answerable: tuple[float, ...], threshold: float
):
    assert raised(0.4, answerable) == pytest.approx(threshold)


@pytest.mark.parametrize(("answered", "feasible"), [(1, False), (LEAST_TO_ANSWER, True)])
def test_a_base_that_answers_few_questions_is_not_calibrated_on_those_to_refuse(
    answered: int, feasible: bool
):
    """Such a base holds another field, and may well answer what others must refuse."""
    refuse = [*[None] * 70, 0.85, 0.73]
    assert threshold_between(refuse, [0.9] * answered, 0.025).feasible is feasible
