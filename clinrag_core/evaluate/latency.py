"""How long an answer takes, question by question, on this machine.

The only figures here that are not the same twice; nothing is gated on them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.answer.engine import AnswerEngine

PERCENTILES = (50, 95, 99)
"""The median, the usual case of a service level, and what one question in a hundred meets."""
LIMIT_MS = 150.0
"""What the 95th percentile of an extractive answer should stay below on two cores."""
WARM_UP = 20
"""Questions asked before any is timed: the first ones load models and fill caches."""


class Latency(Record):
    """Milliseconds of each question, in order of asking."""

    stages: dict[str, tuple[float, ...]]
    """`ask` is the whole answer; the others are its stages, for questions that reached them."""

    def metrics(self) -> dict[str, float]:
        """Percentiles as `ask/p95_ms`."""
        return {
            f"{name}/p{p}_ms": float(np.percentile(values, p))
            for name, values in sorted(self.stages.items())
            for p in PERCENTILES
            if values
        }


def measure_latency(
    engine: AnswerEngine,
    questions: Sequence[str],
    clock: Callable[[], float] = time.perf_counter,
) -> Latency:
    """Ask every question once, after the first ones have warmed the models up.

    Questions are different texts, so that no cache has seen one. `clock` gives seconds.
    """
    for text in questions[:WARM_UP]:
        engine.ask(text)
    stages: dict[str, list[float]] = {"ask": []}
    for text in questions[WARM_UP:] or questions:
        started = clock()
        answer = engine.ask(text)
        stages["ask"].append((clock() - started) * 1000)
        for stage, milliseconds in answer.timings_ms.items():
            stages.setdefault(stage, []).append(milliseconds)
    return Latency(stages={name: tuple(values) for name, values in stages.items()})
