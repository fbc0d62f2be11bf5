"""The report stages: each measures or compares stored outputs and stores a `Report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import StaleInputError, WorkspaceError
from clinrag_core.evaluate.baseline import compare_with_baseline
from clinrag_core.evaluate.data_frames import answer_frame, question_frame
from clinrag_core.evaluate.drift import measure_drift
from clinrag_core.evaluate.evaluation import BenchmarkAnswers
from clinrag_core.evaluate.gated_metrics import measure
from clinrag_core.evaluate.latency import measure_latency
from clinrag_core.evaluate.limits import answer_limits, safety_limits
from clinrag_core.evaluate.reports.answers import answer_report
from clinrag_core.evaluate.reports.corpus import CorpusCounts, corpus_report
from clinrag_core.evaluate.reports.latency import latency_report
from clinrag_core.evaluate.reports.retrieval import retrieval_report
from clinrag_core.evaluate.reports.safety import safety_report
from clinrag_core.evaluate.safety import load_paraphrases, measure_safety
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.baselines import baseline_store
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.evaluation import answer_engine
from clinrag_core.pipeline.label_versions import diff_of_files
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.workspace import read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.report import EvaluationReport
    from clinrag_core.index.release import Release
    from clinrag_core.pipeline.pipeline import Pipeline

FORMAT = "report/1"
ANSWERS = "answers.json"
"""File of a release with the answers it was released on."""


def make_retrieval_report(pipeline: Pipeline) -> EvaluationReport:
    """Store the retrieval report.

    Raises:
        MissingInputError: the benchmark or the runs are absent.
    """
    benchmark, runs = pipeline.benchmark.read(), pipeline.retrieval_runs.read()
    accepted = baseline_store(pipeline, runs.value.evaluated.corpus).accepted()
    settings = pipeline.settings.acceptance
    measured = measure(benchmark.value, runs.value.results, ())
    verdicts = compare_with_baseline(accepted, measured, settings, "retrieval")

    def make() -> EvaluationReport:
        frame = question_frame(runs.value.results)
        _write_csv(pipeline, runs.value.evaluated.fingerprint, "questions", frame)
        return retrieval_report(runs.value, benchmark.value, measured, verdicts, accepted)

    config = [FORMAT, accepted.id if accepted else None, settings.model_dump()]
    return pipeline.report("retrieval_report").keep((benchmark, runs), config, make)


def make_answer_report(pipeline: Pipeline) -> EvaluationReport:
    """Store the answer report.

    Raises:
        MissingInputError: the benchmark or the answers are absent.
    """
    benchmark, answers = pipeline.benchmark.read(), pipeline.benchmark_answers.read()
    found = answers.value
    accepted = baseline_store(pipeline, found.evaluated.corpus).accepted()
    settings = pipeline.settings.acceptance
    measured = measure(benchmark.value, (), found.answers)
    verdicts = compare_with_baseline(accepted, measured, settings, "answers")

    def make() -> EvaluationReport:
        frame = answer_frame(found.answers)
        _write_csv(pipeline, found.evaluated.fingerprint, "answers", frame)
        limits = answer_limits(found.answers, settings)
        return answer_report(found, measured, verdicts, limits, accepted)

    config = [FORMAT, accepted.id if accepted else None, settings.model_dump()]
    return pipeline.report("answer_report").keep((benchmark, answers), config, make)


def make_safety_report(
    pipeline: Pipeline, on_progress: Callable[[str], None] | None = None
) -> EvaluationReport:
    """Store the safety report: gates against mutants and paraphrases, drugs against drugs.

    Raises:
        MissingInputError: a candidate, the benchmark, the thresholds or the answers are absent.
    """
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    thresholds, answers = pipeline.thresholds.read(), pipeline.benchmark_answers.read()
    paraphrases = load_paraphrases(pipeline.settings.benchmark)

    def make() -> EvaluationReport:
        engine = answer_engine(pipeline, candidates, thresholds.value)
        safety, _ = measure_safety(engine, answers.value.answers, paraphrases, on_progress)
        return safety_report(answers.value.evaluated, safety, safety_limits(safety))

    config = [FORMAT, answers.value.evaluated.fingerprint, [p.model_dump() for p in paraphrases]]
    inputs = (*candidates, benchmark, thresholds, answers)
    return pipeline.report("safety_report").keep(inputs, config, make)


def make_latency_report(pipeline: Pipeline) -> EvaluationReport:
    """Measure how long answers take here and now, over the questions of the dev split.

    Raises:
        MissingInputError: a candidate, the benchmark or the answers are absent.
    """
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    thresholds, answers = pipeline.thresholds.read(), pipeline.benchmark_answers.read()

    def make() -> EvaluationReport:
        engine = answer_engine(pipeline, candidates, thresholds.value)
        texts = [q.text for q in benchmark.value.questions if q.split == "dev"]
        return latency_report(answers.value.evaluated, measure_latency(engine, texts))

    inputs = (*candidates, benchmark, thresholds, answers)
    return pipeline.report("latency_report").keep(inputs, FORMAT, make)


def make_corpus_report(pipeline: Pipeline) -> EvaluationReport:
    """Store what is in the candidates and what changed since the served release.

    Once these candidates are released, the report made before stays.

    Raises:
        MissingInputError: a corpus, a candidate or the answers are absent.
        StaleInputError: a candidate was built from another corpus.
    """
    corpora = [pipeline.corpus(kind).read() for kind in KINDS]
    candidates, answers = read_candidates(pipeline), pipeline.benchmark_answers.read()
    for corpus, candidate in zip(corpora, candidates, strict=True):
        if corpus.value.digest != candidate.value.corpus_digest:
            raise StaleInputError(
                f"{candidate.stage} was built from another corpus: materialize it first"
            )
    store = ReleaseStore(pipeline.workspace.releases)
    served = store.current() if store.pointer() is not None else None
    output = pipeline.report("corpus_report")
    bases = {c.value.name: c.value.fingerprint for c in candidates}
    is_released = served is not None and served.knowledge_bases == bases
    if is_released and output.path.exists():
        before = output.read().value
        if before.evaluated == answers.value.evaluated:
            return before

    def make() -> EvaluationReport:
        drift = measure_drift(
            served,
            [store.directory(served, name) for name in served.knowledge_bases] if served else [],
            [candidate_directory(pipeline, c.value) for c in candidates],
            _released_answers(store, served),
            answers.value.answers,
            lambda old, new: diff_of_files(pipeline.workspace, old, new),
        )
        counts = [
            CorpusCounts(
                c.value.kind,
                c.value.documents,
                c.value.chunks,
                sum(entry.quarantined for entry in c.value.entries),
            )
            for c in corpora
        ]
        return corpus_report(answers.value.evaluated, counts, drift)

    config = [FORMAT, served.fingerprint if served else None]
    return output.keep((*corpora, *candidates, answers), config, make)


def _released_answers(store: ReleaseStore, release: Release | None) -> tuple[AnswerResult, ...]:
    """Answers a release was released on; none if it keeps none that can be read."""
    if release is None:
        return ()
    try:
        stored = read_json(store.folder_of(release) / ANSWERS)
        return BenchmarkAnswers.model_validate(stored).answers
    except (ValueError, WorkspaceError):
        return ()  # written by another version: the questions are listed without their past


def _write_csv(pipeline: Pipeline, evaluation: str, name: str, frame: pd.DataFrame) -> None:
    path = pipeline.workspace.reports / f"evaluation-{evaluation}-{name}.csv"
    write_atomic(path, frame.to_csv(index=False).encode())
