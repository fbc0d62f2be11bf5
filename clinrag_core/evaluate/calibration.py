"""Calibrating thresholds on the dev split of the benchmark, per knowledge base and configuration.

The threshold is in the middle between the smallest that conformal risk control allows and the
lowest signal of a question to answer, where that is higher: raising it only lowers the risk, and
the lowest of a few dozen signals is too uncertain to go all the way.

Questions to refuse are written for the corpus that the benchmark is about: another one may well
answer them. So a knowledge base that answers few of its questions is not calibrated on them.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from clinrag_core.answer.confidence import SIGNAL
from clinrag_core.answer.evidence import configuration_name
from clinrag_core.answer.thresholds import Calibration, Threshold
from clinrag_core.evaluate.conformal import control_risk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.judge import Judgements
    from clinrag_core.retrieve.request import Component

LEAST_TO_ANSWER = 10
"""Questions of the dev split that a knowledge base must answer for its threshold to hold."""


def calibrate(
    engine: AnswerEngine, benchmark: Benchmark, judgements: Judgements, alpha: float
) -> Calibration:
    """Thresholds for the knowledge bases an engine searches.

    Only questions of the dev split that this corpus can judge are used. `alpha` is the expected
    share of questions to refuse that are answered.
    """
    left_out = {*judgements.unjudged, *judgements.answerable}
    dev = [q for q in benchmark.questions if q.split == "dev" and q.id not in left_out]
    bases = engine.search.knowledge_bases
    thresholds: dict[str, dict[str, Threshold]] = {name: {} for name in bases}
    for components in configurations(engine.search.components):
        signals = {q.id: engine.signals(q.text, components) for q in dev}
        configuration = configuration_name(components, reranked=engine.search.reranker is not None)
        for name in bases:
            refuse = [signals[q.id].get(name) for q in dev if q.expect == "refuse"]
            answered_by = [
                q.id
                for q in dev
                if any(chunk_id in bases[name] for chunk_id in judgements.relevant.get(q.id, {}))
            ]
            answer = [s for one in answered_by for s in [signals[one].get(name)] if s]
            thresholds[name][configuration] = threshold_between(refuse, answer, alpha)
    return Calibration(
        signal=SIGNAL,
        alpha=alpha,
        bases={name: base.manifest.fingerprint for name, base in bases.items()},
        benchmark=benchmark.fingerprint,
        thresholds=thresholds,
    )


def configurations(components: tuple[Component, ...]) -> list[tuple[Component, ...]]:
    """Return every set of components that may be left to answer, the largest first.

    Each has another distribution of the signal.
    """
    sizes = range(len(components), 0, -1)
    return [chosen for size in sizes for chosen in combinations(components, size)]


def raised(threshold: float, answerable: Sequence[float]) -> float:
    """Threshold halfway to the lowest signal of the questions to answer, where that is higher."""
    lowest = min(answerable, default=threshold)
    return max(threshold, (threshold + lowest) / 2)


def threshold_between(
    refuse: Sequence[float | None], answer: Sequence[float], alpha: float
) -> Threshold:
    """Return the threshold of one knowledge base and configuration from signals of questions.

    `refuse` has None for each question to refuse that is refused before there is a signal.
    """
    controlled = control_risk(refuse, alpha)
    threshold = raised(controlled.threshold, answer)
    answered = sum(s >= threshold for s in answer) / len(answer) if answer else 0.0
    return Threshold(
        threshold=round(threshold, 9),
        feasible=controlled.feasible and len(answer) >= LEAST_TO_ANSWER,
        questions=len(refuse),
        risk_bound=round(controlled.risk_bound, 6),
        answered=round(answered, 6),
    )
