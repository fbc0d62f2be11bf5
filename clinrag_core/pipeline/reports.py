"""The report stages: each measures or compares stored outputs and stores a `Report`.

Each raises MissingInputError if an output it reads is absent (`stages.py` lists them), and
StaleInputError if they were made from different states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import StaleInputError, WorkspaceError
from clinrag_core.evaluate.baseline import compare_with_baseline
from clinrag_core.evaluate.benchmark import load_benchmark
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
from clinrag_core.evaluate.ruler.tables import ruler_digest
from clinrag_core.evaluate.safety import load_paraphrases, measure_safety
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_record import line_of
from clinrag_core.pipeline.baselines import baseline_store
from clinrag_core.pipeline.candidates import answer_engine, candidate_directory, read_candidates
from clinrag_core.pipeline.core_pool import engine_on_cores
from clinrag_core.pipeline.corpus import stored_corpus
from clinrag_core.pipeline.evaluation import evaluated_bases
from clinrag_core.pipeline.label_versions import diff_of_files
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.workspace import read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.report import EvaluationReport
    from clinrag_core.index.release_record import Release
    from clinrag_core.pipeline.pipeline import Pipeline

FORMAT = "report/2"
ANSWERS = "answers.json"
"""File of a release with the answers it was released on."""


def make_retrieval_report(pipeline: Pipeline) -> EvaluationReport:
    """Store the retrieval report."""
    benchmark, runs = pipeline.benchmark.read(), pipeline.retrieval_runs.read()
    accepted = baseline_store(pipeline).accepted()
    settings = pipeline.settings.acceptance
    measured = measure(benchmark.value, runs.value.results, ())
    verdicts = compare_with_baseline(accepted, measured, settings, "retrieval")

    def make() -> EvaluationReport:
        rows = [
            r.model_dump(exclude={"metrics"}) | r.metrics
            for r in sorted(runs.value.results, key=lambda r: (r.question_id, r.pipeline))
        ]
        _write_csv(pipeline, runs.value.evaluated.fingerprint, "questions", rows)
        return retrieval_report(runs.value, benchmark.value, measured, verdicts, accepted)

    config = [FORMAT, accepted.id if accepted else None, settings.model_dump()]
    return pipeline.report("retrieval_report").keep((benchmark, runs), config, make)


def make_answer_report(pipeline: Pipeline) -> EvaluationReport:
    """Store the answer report."""
    benchmark, answers = pipeline.benchmark.read(), pipeline.benchmark_answers.read()
    stored = answers.value
    accepted = baseline_store(pipeline).accepted()
    settings = pipeline.settings.acceptance
    measured = measure(benchmark.value, (), stored.answers, stored.nuggets)
    verdicts = compare_with_baseline(accepted, measured, settings, "answers")

    def make() -> EvaluationReport:
        rows = [
            a.model_dump(exclude={"answer"}) | {"citations": len(a.answer.citations)}
            for a in sorted(stored.answers, key=lambda a: a.question_id)
        ]
        _write_csv(pipeline, stored.evaluated.fingerprint, "answers", rows)
        limits = answer_limits(stored.answers, settings, stored.nuggets)
        return answer_report(stored, benchmark.value, measured, verdicts, limits, accepted)

    config = [FORMAT, accepted.id if accepted else None, settings.model_dump()]
    return pipeline.report("answer_report").keep((benchmark, answers), config, make)


def sample_safety(
    pipeline: Pipeline, most_pairs: int, on_progress: Callable[[str], None] | None = None
) -> EvaluationReport:
    """Return the safety report of the candidates on a sample of the questions; store nothing.

    The true claims are those of the answers to the sample. Seventy labels make 2,500 questions on
    drugs and pairs, which take longer than the rest of an evaluation.
    """
    candidates, settings = read_candidates(pipeline), pipeline.settings
    paraphrases = load_paraphrases(settings.benchmark)
    with engine_on_cores(pipeline) as (engine, spread):
        safety = measure_safety(
            engine, (), paraphrases, on_progress, most_pairs, settings.benchmark, spread
        )
    benchmark = load_benchmark(settings.benchmark, pipeline.manifest.root)
    evaluated = evaluated_bases(pipeline, candidates, benchmark)
    return safety_report(evaluated, safety, safety_limits(safety))


def make_safety_report(
    pipeline: Pipeline, on_progress: Callable[[str], None] | None = None
) -> EvaluationReport:
    """Store the safety report: gates against mutants and paraphrases, drugs against drugs."""
    candidates, benchmark = read_candidates(pipeline), pipeline.benchmark.read()
    thresholds, answers = pipeline.thresholds.read(), pipeline.benchmark_answers.read()
    paraphrases = load_paraphrases(pipeline.settings.benchmark)

    def make() -> EvaluationReport:
        with engine_on_cores(pipeline) as (engine, spread):
            safety = measure_safety(
                engine,
                answers.value.answers,
                paraphrases,
                on_progress,
                benchmark=pipeline.settings.benchmark,
                spread=spread,
            )
        return safety_report(answers.value.evaluated, safety, safety_limits(safety))

    ruler = ruler_digest(pipeline.settings.benchmark)
    said = [p.model_dump() for p in paraphrases]
    config = [FORMAT, answers.value.evaluated.fingerprint, said, ruler]
    inputs = (*candidates, benchmark, thresholds, answers)
    return pipeline.report("safety_report").keep(inputs, config, make)


def make_latency_report(pipeline: Pipeline) -> EvaluationReport:
    """Measure how long answers take here and now, over the questions of the dev split."""
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
    corpora = [stored_corpus(pipeline, kind) for kind in KINDS]
    candidates, answers = read_candidates(pipeline), pipeline.benchmark_answers.read()
    for corpus, candidate in zip(corpora, candidates, strict=True):
        if corpus.value.digest != candidate.value.corpus_digest:
            raise StaleInputError(
                f"{candidate.stage} was built from another corpus: materialize it first"
            )
    evaluated = answers.value.evaluated
    store = ReleaseStore(pipeline.workspace.releases)
    served = store.last_served(line_of(evaluated.profile, evaluated.corpus))
    output = pipeline.report("corpus_report")
    bases = {c.value.name: c.value.fingerprint for c in candidates}
    is_released = served is not None and served.knowledge_bases == bases
    if is_released and output.path.exists():
        before = output.read()
        same_answers = before.lineage.get(answers.stage) == answers.digest
        if same_answers and before.value.evaluated == evaluated:
            return before.value

    def make() -> EvaluationReport:
        """Compare the documents with those of the served release."""
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
                c.value.quarantined,
            )
            for c in corpora
        ]
        return corpus_report(evaluated, counts, drift, pinned)

    pinned = sorted((e.key, e.pinned_version) for e in pipeline.manifest.labels if e.pinned_version)
    config = [FORMAT, served.fingerprint if served else None, pinned]
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


def _write_csv(
    pipeline: Pipeline, evaluation: str, name: str, rows: Sequence[dict[str, Any]]
) -> None:
    """Write one tidy row per question: ids, outcomes and figures, no text."""
    import pandas as pd

    table = pd.DataFrame(rows).convert_dtypes().to_csv(index=False, lineterminator="\n")
    path = pipeline.workspace.reports / f"evaluation-{evaluation}-{name}.csv"
    write_atomic(path, table.encode())
