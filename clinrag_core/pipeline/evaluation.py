"""The evaluation stages: benchmark, retrieval runs, thresholds and answers, each stored.

Each raises MissingInputError if an output it reads is absent (`stages.py` lists them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.confidence import SIGNAL
from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.thresholds import FORMAT
from clinrag_core.evaluate.benchmark import BaseKind, load_benchmark
from clinrag_core.evaluate.calibration import LEAST_TO_ANSWER, calibrate
from clinrag_core.evaluate.evaluation import (
    BenchmarkAnswers,
    EvaluatedBases,
    RetrievalRuns,
    answer_benchmark,
    evaluation_fingerprint,
    retrieval_runs,
    score_runs,
)
from clinrag_core.evaluate.judge import RelevanceJudge
from clinrag_core.evaluate.nugget_answers import answer_nuggets
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.core_pool import engine_on_cores
from clinrag_core.reason.open import open_multistage

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.index.knowledge_base import KnowledgeBaseManifest
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.pipeline import Pipeline

BASE_OF: dict[DocumentKind, BaseKind] = {"guideline": "guidelines", "label": "labels"}


def make_benchmark(pipeline: Pipeline) -> Benchmark:
    """Store the benchmark's questions, and those of the corpus."""
    benchmark = load_benchmark(pipeline.settings.benchmark, pipeline.manifest.root)
    return pipeline.benchmark.keep((), benchmark.fingerprint, lambda: benchmark)


def make_runs(
    pipeline: Pipeline, on_progress: Callable[[int, int], None] | None = None
) -> RetrievalRuns:
    """Store judgements, runs and scores of the candidates."""
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    evaluated = evaluated_bases(pipeline, candidates, benchmark.value)

    def make() -> RetrievalRuns:
        """Search, judge and score every question."""
        engine = candidate_engine(pipeline, candidates)
        names: dict[BaseKind, str] = {BASE_OF[c.value.kind]: c.value.name for c in candidates}
        tables: dict[BaseKind, pa.Table] = {
            base: engine.knowledge_bases[name].table for base, name in names.items()
        }
        judgements = RelevanceJudge(tables).judge(benchmark.value)
        stages = open_multistage(pipeline.settings, engine)
        runs = retrieval_runs(engine, benchmark.value, judgements, names, stages, on_progress)
        scores, results = score_runs(runs, benchmark.value, judgements)
        return RetrievalRuns(
            evaluated=evaluated,
            judgements=judgements,
            runs=runs,
            scores=tuple(scores),
            results=tuple(results),
        )

    config = evaluated.model_dump()
    return pipeline.retrieval_runs.keep((*candidates, benchmark), config, make)


def make_thresholds(pipeline: Pipeline) -> Calibration:
    """Store the thresholds of the candidates, calibrated on the dev split."""
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    runs = pipeline.retrieval_runs.read()
    settings = pipeline.settings.answer

    def make() -> Calibration:
        engine = AnswerEngine(candidate_engine(pipeline, candidates), settings, None)
        return calibrate(engine, benchmark.value, runs.value.judgements, settings.alpha)

    config = [FORMAT, SIGNAL, LEAST_TO_ANSWER, settings.model_dump(mode="json")]
    return pipeline.thresholds.keep((*candidates, benchmark, runs), config, make)


def make_answers(
    pipeline: Pipeline, on_progress: Callable[[int, int], None] | None = None
) -> BenchmarkAnswers:
    """Store the answer to every question of the benchmark, and what they hold of its nuggets."""
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    runs, thresholds = pipeline.retrieval_runs.read(), pipeline.thresholds.read()

    def make() -> BenchmarkAnswers:
        asked, judgements = benchmark.value, runs.value.judgements
        with engine_on_cores(pipeline) as (engine, spread):
            answers = answer_benchmark(engine, asked, judgements, on_progress, spread)
            given = {result.question_id: result.answer for result in answers}
            nuggets = answer_nuggets(engine, asked.nuggets, asked.statements, given, spread=spread)
        return BenchmarkAnswers(
            evaluated=runs.value.evaluated, answers=tuple(answers), nuggets=tuple(nuggets)
        )

    inputs = (*candidates, benchmark, runs, thresholds)
    return pipeline.benchmark_answers.keep(inputs, runs.value.evaluated.fingerprint, make)


def evaluated_bases(
    pipeline: Pipeline, candidates: list[Given[KnowledgeBaseManifest]], benchmark: Benchmark
) -> EvaluatedBases:
    """Names of what these candidates and questions evaluate."""
    settings = pipeline.settings
    bases = {c.value.name: c.value.fingerprint for c in candidates}
    return EvaluatedBases(
        fingerprint=evaluation_fingerprint(
            bases, benchmark, settings.retrieval, settings.answer, settings.multistage
        ),
        corpus=pipeline.manifest.name,
        corpus_manifest=pipeline.manifest.digest,
        profile=settings.profile,
        encoder=candidates[0].value.encoder,
        benchmark=benchmark.fingerprint,
        knowledge_bases=dict(sorted(bases.items())),
    )
