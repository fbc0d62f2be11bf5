"""The nugget questions, put to the served release: what its answers hold and what is missing.

Nothing is stored and no audit record is written; the evaluation of a run asks the same questions
of its candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.thresholds import read_calibration
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.nugget_answers import answer_nuggets
from clinrag_core.evaluate.nugget_figures import NuggetFigure, by_part, dose_figures, nugget_figures
from clinrag_core.evaluate.nugget_metrics import NuggetResult
from clinrag_core.evaluate.nuggets import NuggetQuestion
from clinrag_core.index.release import ReleaseStore
from clinrag_core.model.base import Record
from clinrag_core.retrieve.open import open_engine
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.evaluate.benchmark import Split
    from clinrag_core.settings import Settings


class NuggetReport(Record):
    """The nugget questions on one release."""

    release: str
    figures: dict[str, tuple[NuggetFigure, ...]]
    """Of each split, and of each kind and topic as `dev, dose`."""
    doses: dict[str, tuple[NuggetFigure, ...]]
    """Of the questions for a drug's usual dose, by split."""
    results: tuple[NuggetResult, ...]
    questions: tuple[NuggetQuestion, ...]
    """Those that this release can be judged by, in the order of the results."""


def evaluate_nuggets(
    settings: Settings,
    split: Split | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> NuggetReport:
    """Ask and judge the nugget questions, of one split or of both, on the served release.

    Raises:
        BenchmarkError: the questions are missing or malformed.
        ReleaseError: nothing has been released.
        CalibrationError: the release has no thresholds.
    """
    benchmark = load_benchmark(settings.benchmark)
    search = open_engine(settings)
    store = ReleaseStore(Workspace(settings.home).releases)
    release = next(r for r in store.list() if r.id == search.release)
    engine = AnswerEngine(search, settings.answer, read_calibration(store.folder_of(release)))
    results = answer_nuggets(
        engine, benchmark.nuggets, benchmark.statements, split=split, on_progress=on_progress
    )
    asked = {question.id: question for question in benchmark.nuggets}
    splits = by_part(results, lambda result: result.split)
    parts = {
        **splits,
        **by_part(results, lambda result: f"{result.split}, {result.kind}"),
        **by_part(results, lambda result: f"{result.split}, {result.topic}"),
    }
    return NuggetReport(
        release=release.id,
        figures={name: nugget_figures(members) for name, members in parts.items()},
        doses={name: dose_figures(members) for name, members in splits.items()},
        results=tuple(results),
        questions=tuple(asked[result.question_id] for result in results),
    )
