"""The questions of a corpus folder, put to the served release: are they sound, how well it does.

Nothing is stored and no audit record is written; the evaluation of a run asks the same questions
of its candidates.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.thresholds import read_calibration
from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.benchmark import load_questions
from clinrag_core.evaluate.evaluation import answer_benchmark
from clinrag_core.evaluate.judge import RelevanceJudge
from clinrag_core.evaluate.metrics import evaluate_run, means
from clinrag_core.index.release import ReleaseStore
from clinrag_core.model.base import Record
from clinrag_core.pipeline.evaluation import BASE_OF
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.evaluate.benchmark import BaseKind, BenchmarkQuestion
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.judge import Judgements
    from clinrag_core.settings import Settings

SHOWN = ("ndcg_at_10", "recall_at_10", "mrr_at_10")
SHARES = ("answered", "supported", "refused")


class QuestionOutcome(Record):
    """What the release makes of one question; its text is left out."""

    id: str
    split: str
    expect: str
    relevant: int
    """Passages its locators point at."""
    best_rank: int | None
    """Of the first relevant passage in the default search; None: not retrieved, or not judged."""
    status: str
    cites_relevant: bool
    problems: tuple[str, ...]
    """Why it cannot be judged."""


class QuestionsReport(Record):
    """The questions of a corpus on one release."""

    release: str
    questions: tuple[QuestionOutcome, ...]
    figures: dict[str, float | None]
    """Means over the judged questions of both splits; None where none is judged."""
    counts: dict[str, int]
    """Figure to the number of questions it rests on."""


def evaluate_questions(settings: Settings, corpus: Path) -> QuestionsReport:
    """Judge, search and answer the questions of a corpus folder on the served release.

    Raises:
        BenchmarkError: the questions are missing or malformed.
        ReleaseError: nothing has been released.
        CalibrationError: the release has no thresholds.
    """
    benchmark = load_questions(corpus)
    search = open_engine(settings)
    store = ReleaseStore(Workspace(settings.home).releases)
    release = next(r for r in store.list() if r.id == search.release)
    engine = AnswerEngine(search, settings.answer, read_calibration(store.folder_of(release)))
    tables: dict[BaseKind, pa.Table] = {
        BASE_OF[base.manifest.kind]: base.table for base in search.knowledge_bases.values()
    }
    judge = RelevanceJudge(tables)
    judgements = judge.judge(benchmark)
    judged = [q for q in benchmark.questions if q.id in judgements.relevant]
    run = {q.id: [hit.id for hit in search.rank(SearchRequest(query=q.text))] for q in judged}
    values = evaluate_run(judgements.relevant, run) if judged else {}
    answers = answer_benchmark(engine, benchmark, judgements)
    outcomes = [
        _outcome(question, result, judgements, judge, run.get(question.id, []))
        for question, result in zip(benchmark.questions, answers, strict=True)
    ]
    ranked = means(values, [q.id for q in judged])
    shares = answer_metrics(answers)
    refused = sum(a.judged and a.expect == "refuse" for a in answers)
    return QuestionsReport(
        release=release.id,
        questions=tuple(outcomes),
        figures={name: ranked.get(name) for name in SHOWN}
        | {name: None if math.isnan(shares[name]) else shares[name] for name in SHARES},
        counts=dict.fromkeys((*SHOWN, "answered", "supported"), len(judged)) | {"refused": refused},
    )


def _outcome(
    question: BenchmarkQuestion,
    result: AnswerResult,
    judgements: Judgements,
    judge: RelevanceJudge,
    ranked: list[str],
) -> QuestionOutcome:
    """Return what is shown of a question, with the reason if it cannot be judged."""
    relevant = judgements.relevant.get(question.id, {})
    problems: list[str] = []
    if question.id in judgements.unjudged:
        problems = judge.unmatched(question)
    elif question.id in judgements.answerable:
        problems = ["a term that should be absent occurs"]
    return QuestionOutcome(
        id=question.id,
        split=question.split,
        expect=question.expect,
        relevant=len(relevant),
        best_rank=next((n for n, i in enumerate(ranked, start=1) if i in relevant), None),
        status=result.status,
        cites_relevant=result.cited_relevant,
        problems=tuple(problems),
    )
