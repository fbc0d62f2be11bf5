"""The metrics that gate a release: values per question, and how much each mean may fall.

Only the test split counts here: what was tuned on dev would hide its own loss. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import AnswerResult, QuestionResult, Slice

Report = Literal["retrieval", "answers"]


class GatedMetric(Record):
    """A mean over questions that may not fall by more than its tolerance."""

    name: str
    report: Report
    tolerance: float
    why: str
    """The reason of the tolerance."""


_ALL = (
    "about half the 95 % interval of the difference between two equally good fusion methods "
    "(.023 on 89 questions, .031 on 75): less cannot be separated from chance"
)
_PART = "the same over the third of the questions that one knowledge base has (.03 to .05)"
_ONE_COMPONENT = "fusion hides the loss of one component; wider, for a component alone is noisier"
_ANSWERS = "one question in 25: what a reworded section moves"
_REFUSALS = "two questions in a hundred: what a reworded section moves; a limit applies too"

GATED: tuple[GatedMetric, ...] = (
    GatedMetric(name="rrf/ndcg_at_10", report="retrieval", tolerance=0.03, why=_ALL),
    GatedMetric(name="rrf/recall_at_10", report="retrieval", tolerance=0.03, why=_ALL),
    GatedMetric(name="guidelines/rrf/ndcg_at_10", report="retrieval", tolerance=0.05, why=_PART),
    GatedMetric(name="labels/rrf/ndcg_at_10", report="retrieval", tolerance=0.05, why=_PART),
    GatedMetric(name="bm25/ndcg_at_10", report="retrieval", tolerance=0.05, why=_ONE_COMPONENT),
    GatedMetric(name="dense/ndcg_at_10", report="retrieval", tolerance=0.05, why=_ONE_COMPONENT),
    GatedMetric(name="answers/answered", report="answers", tolerance=0.04, why=_ANSWERS),
    GatedMetric(name="answers/supported", report="answers", tolerance=0.04, why=_ANSWERS),
    GatedMetric(name="answers/refused", report="answers", tolerance=0.02, why=_REFUSALS),
)


class Measured(Record):
    """Values of the gated metrics, per question; ids and numbers only."""

    questions: dict[str, str]
    """Question id to a digest of the question: a reworded one is another question."""
    values: dict[str, dict[str, float]]
    """Gated metric to question id to value."""


def measure(
    benchmark: Benchmark, results: Sequence[QuestionResult], answers: Sequence[AnswerResult]
) -> Measured:
    """The values of one evaluation."""
    test = [r for r in results if r.split == "test"]
    judged = [a for a in answers if a.split == "test" and a.judged]
    to_answer = [a for a in judged if a.expect == "answer"]
    values = {
        "rrf/ndcg_at_10": _of(test, "rrf", "ndcg_at_10"),
        "rrf/recall_at_10": _of(test, "rrf", "recall_at_10"),
        "guidelines/rrf/ndcg_at_10": _of(test, "rrf", "ndcg_at_10", "guidelines"),
        "labels/rrf/ndcg_at_10": _of(test, "rrf", "ndcg_at_10", "labels"),
        "bm25/ndcg_at_10": _of(test, "bm25", "ndcg_at_10"),
        "dense/ndcg_at_10": _of(test, "dense", "ndcg_at_10"),
        "answers/answered": {a.question_id: float(a.status == "answered") for a in to_answer},
        "answers/supported": {
            a.question_id: float(a.status == "answered" and a.cited_relevant) for a in to_answer
        },
        "answers/refused": {
            a.question_id: float(a.status != "answered") for a in judged if a.expect == "refuse"
        },
    }
    used = {question for own in values.values() for question in own}
    return Measured(
        questions={
            q.id: fingerprint(q.model_dump(mode="json"))
            for q in benchmark.questions
            if q.id in used
        },
        values=values,
    )


def _of(
    results: Sequence[QuestionResult], pipeline: str, metric: str, part: Slice | None = None
) -> dict[str, float]:
    return {
        r.question_id: r.metrics[metric]
        for r in results
        if r.pipeline == pipeline and part in (None, r.slice)
    }
