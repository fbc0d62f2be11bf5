"""Benchmarks name what the code has: a renamed weight would end one only when somebody runs it."""

import runpy
from pathlib import Path

from clinrag_core.answer.rank import scoring

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


def test_the_weights_that_random_vectors_leaves_out_are_those_of_the_ranking() -> None:
    arms = runpy.run_path(str(BENCHMARKS / "random_vectors.py"))["ARMS"]
    named = {name for arm in arms.values() for name in arm.without}

    assert named
    assert all(isinstance(getattr(scoring, name, None), float) for name in named)
