"""The metrics that gate a release: values per question, and how much each mean may fall.

Only the test split counts: a loss would not show on dev, where settings are tuned. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.evaluation import AnswerResult, QuestionResult
    from clinrag_core.evaluate.nugget_metrics import NuggetResult

Report = Literal["retrieval", "answers"]


class GatedMetric(Record):
    """A mean over questions that may not fall by more than its tolerance."""

    name: str
    """`[slice/]pipeline/metric` of retrieval, `answers/share` of answers."""
    report: Report
    tolerance: float
    why: str
    """The reason of the tolerance."""


_ALL = (
    "about half the 95 % interval of the difference between two equally good fusion methods "
    "(.023 on 89 questions, .031 on 75): less cannot be separated from chance"
)
_PART = "the same over the third of the questions that one knowledge base has (.03 to .05)"
_ONE_COMPONENT = "fusion hides the loss of one component; wider, as one component alone is noisier"
_ANSWERS = "one question in 25: what a reworded section moves"
_REFUSALS = "two questions in a hundred: what a reworded section moves; a limit applies too"
_NUGGETS = "one question in 50: what a reworded section moves"
NUGGET = "nugget/"
"""What ids of nugget questions begin with here: a question of the benchmark may have the same."""

GATED: tuple[GatedMetric, ...] = (
    GatedMetric(name="default/ndcg_at_10", report="retrieval", tolerance=0.03, why=_ALL),
    GatedMetric(name="default/recall_at_10", report="retrieval", tolerance=0.03, why=_ALL),
    GatedMetric(
        name="guidelines/default/ndcg_at_10", report="retrieval", tolerance=0.05, why=_PART
    ),
    GatedMetric(name="labels/default/ndcg_at_10", report="retrieval", tolerance=0.05, why=_PART),
    GatedMetric(name="bm25/ndcg_at_10", report="retrieval", tolerance=0.05, why=_ONE_COMPONENT),
    GatedMetric(name="dense/ndcg_at_10", report="retrieval", tolerance=0.05, why=_ONE_COMPONENT),
    GatedMetric(name="answers/vital_recall", report="answers", tolerance=0.02, why=_NUGGETS),
    GatedMetric(name="answers/complete", report="answers", tolerance=0.02, why=_NUGGETS),
    GatedMetric(name="answers/no_trap", report="answers", tolerance=0.02, why=_NUGGETS),
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
    benchmark: Benchmark,
    results: Sequence[QuestionResult],
    answers: Sequence[AnswerResult],
    nuggets: Sequence[NuggetResult] = (),
) -> Measured:
    """Return the values of one evaluation."""
    test = [r for r in results if r.split == "test"]
    judged = [a for a in answers if a.split == "test" and a.judged]
    to_answer = [a for a in judged if a.expect == "answer"]
    by_nuggets = [r for r in nuggets if r.split == "test" and r.expect == "answer"]
    values = {
        **{m.name: _retrieval_values(test, m.name) for m in GATED if m.report == "retrieval"},
        "answers/vital_recall": {f"{NUGGET}{r.question_id}": r.recall for r in by_nuggets},
        "answers/complete": {f"{NUGGET}{r.question_id}": float(r.complete) for r in by_nuggets},
        "answers/no_trap": {
            f"{NUGGET}{r.question_id}": float(not r.traps_said) for r in by_nuggets
        },
        "answers/answered": {a.question_id: float(a.status == "answered") for a in to_answer},
        "answers/supported": {
            a.question_id: float(a.status == "answered" and a.cited_relevant) for a in to_answer
        },
        "answers/refused": {
            a.question_id: float(a.status != "answered") for a in judged if a.expect == "refuse"
        },
    }
    used = {question for by_question in values.values() for question in by_question}
    asked = {q.id: q for q in benchmark.questions} | {NUGGET + q.id: q for q in benchmark.nuggets}
    return Measured(
        questions={
            name: fingerprint(question.model_dump(mode="json"))
            for name, question in asked.items()
            if name in used
        },
        values=values,
    )


def _retrieval_values(results: Sequence[QuestionResult], name: str) -> dict[str, float]:
    """Values of a gated retrieval metric by question."""
    *slices, pipeline, metric = name.split("/")
    return {
        r.question_id: r.metrics[metric]
        for r in results
        if r.pipeline == pipeline and (not slices or r.slice in slices)
    }
