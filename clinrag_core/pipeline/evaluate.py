"""Evaluating a profile's candidates and releasing them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.thresholds import FILE as CALIBRATION
from clinrag_core.errors import ReleaseError
from clinrag_core.evaluate.baseline import Evaluated, judge
from clinrag_core.evaluate.benchmark import BaseKind, load_benchmark
from clinrag_core.evaluate.calibration import calibrate
from clinrag_core.evaluate.evaluation import (
    answer_benchmark,
    evaluation_fingerprint,
    retrieval_runs,
    score_runs,
)
from clinrag_core.evaluate.held import measure
from clinrag_core.evaluate.judge import Judge
from clinrag_core.evaluate.latency import measure_latency
from clinrag_core.evaluate.limits import answer_limits, safety_limits
from clinrag_core.evaluate.safety import load_paraphrases, measure_safety
from clinrag_core.evaluate.store import EvaluationStore, Retrieval
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.baselines import BaselineStore
from clinrag_core.pipeline.drift import measure_drift
from clinrag_core.pipeline.serving import optional_reranker, optional_retrievers
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.revision import git_commit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.evaluate.baseline import Baseline, Verdict
    from clinrag_core.evaluate.benchmark import Benchmark
    from clinrag_core.evaluate.drift import Drift
    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.held import Measured, Report
    from clinrag_core.evaluate.latency import Latency
    from clinrag_core.evaluate.limits import Limit
    from clinrag_core.evaluate.safety import Safety
    from clinrag_core.index.release import Release
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline

BASE_OF: dict[DocumentKind, BaseKind] = {"guideline": "guidelines", "label": "labels"}


class CandidateEvaluation:
    """The evaluation of a profile's newest candidates.

    Raises:
        ReleaseError: a candidate has not been built.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.candidates: dict[DocumentKind, Path] = {}
        for kind in BASE_OF:
            directory = pipeline.current_candidate(kind)
            if directory is None:
                name = pipeline.knowledge_base_name(kind)
                raise ReleaseError(f"{name} has no candidate yet: build it first")
            self.candidates[kind] = directory

    @cached_property
    def benchmark(self) -> Benchmark:
        """The questions."""
        return load_benchmark(self.pipeline.settings.benchmark)

    @cached_property
    def store(self) -> EvaluationStore:
        """Where the evaluation's parts lie."""
        settings = self.pipeline.settings
        bases = {self.names[BASE_OF[kind]]: d.name for kind, d in self.candidates.items()}
        name = evaluation_fingerprint(bases, self.benchmark, settings.retrieval, settings.answer)
        return EvaluationStore(self.pipeline.workspace.evaluations, name)

    @property
    def names(self) -> dict[BaseKind, str]:
        """Kind of knowledge base to its name."""
        return {b: self.pipeline.knowledge_base_name(kind) for kind, b in BASE_OF.items()}

    @property
    def directories(self) -> dict[str, Path]:
        """Knowledge base name to candidate directory."""
        return {self.names[BASE_OF[kind]]: path for kind, path in self.candidates.items()}

    @cached_property
    def engine(self) -> SearchEngine:
        """Searches the candidates."""
        settings = self.pipeline.settings
        return SearchEngine.open_directories(
            self.directories,
            self.pipeline.workspace.models,
            settings.retrieval,
            retrievers=optional_retrievers(settings),
            reranker=optional_reranker(settings),
        )

    def retrieval(self, on_progress: Callable[[int, int], None] | None = None) -> Retrieval:
        """Judgements, runs and scores; computed once per evaluation."""
        found = self.store.retrieval()
        if found is not None:
            return found
        tables: dict[BaseKind, pa.Table] = {
            base: self.engine.knowledge_bases[name].table for base, name in self.names.items()
        }
        judgements = Judge(tables).judge(self.benchmark)
        runs = retrieval_runs(self.engine, self.benchmark, self.names, on_progress)
        scores, results = score_runs(runs, self.benchmark, judgements)
        retrieval = Retrieval(
            judgements=judgements, runs=runs, scores=tuple(scores), results=tuple(results)
        )
        self.store.write_retrieval(retrieval)
        return retrieval

    def calibration(self) -> Calibration:
        """Thresholds of the candidates; measured once per evaluation, on the dev split."""
        found = self.store.calibration()
        if found is not None:
            return found
        settings = self.pipeline.settings.answer
        engine = AnswerEngine(self.engine, settings, None)
        judgements = self.retrieval().judgements
        calibration = calibrate(engine, self.benchmark, judgements, settings.alpha)
        self.store.write_calibration(calibration)
        return calibration

    @cached_property
    def answer_engine(self) -> AnswerEngine:
        """Answers from the candidates, with their thresholds."""
        return AnswerEngine(self.engine, self.pipeline.settings.answer, self.calibration())

    def answers(self, on_progress: Callable[[int, int], None] | None = None) -> list[AnswerResult]:
        """The answer to every question; computed once per evaluation."""
        found = self.store.answers()
        if found is not None:
            return found
        judgements = self.retrieval().judgements
        answers = answer_benchmark(self.answer_engine, self.benchmark, judgements, on_progress)
        self.store.write_answers(answers)
        return answers

    def safety(self, on_progress: Callable[[str], None] | None = None) -> Safety:
        """Gates against mutants and paraphrases, drugs against drugs; measured once."""
        found = self.store.safety()
        if found is not None:
            return found
        paraphrases = load_paraphrases(self.pipeline.settings.benchmark)
        safety, _ = measure_safety(self.answer_engine, self.answers(), paraphrases, on_progress)
        self.store.write_safety(safety)
        return safety

    def measured(self, report: Report | None = None) -> Measured:
        """The values that are held to the accepted baseline, of one report or of all.

        The retrieval report's need no answers, so that it can fail before any is made.
        """
        answers = self.answers() if report != "retrieval" else []
        return measure(self.benchmark, self.retrieval().results, answers)

    def evaluated(self) -> Evaluated:
        """What was evaluated, with the values that are held to the accepted baseline."""
        return Evaluated(
            corpus=self.pipeline.manifest.name,
            profile=self.pipeline.settings.profile,
            evaluation=self.store.fingerprint,
            benchmark=self.benchmark.fingerprint,
            knowledge_bases={name: path.name for name, path in sorted(self.directories.items())},
            encoder=self.pipeline.encoder_fingerprint,
            commit=git_commit(),
            measured=self.measured(),
        )

    @cached_property
    def baselines(self) -> BaselineStore:
        """The accepted baselines of this corpus."""
        return BaselineStore(self.pipeline.workspace.baselines, self.pipeline.manifest.name)

    def verdicts(self, report: Report | None = None) -> tuple[Verdict, ...]:
        """Held metrics beside the accepted baseline, of one report or of all."""
        settings = self.pipeline.settings.acceptance
        return judge(self.baselines.accepted(), self.measured(report), settings, report)

    def limits(self) -> tuple[Limit, ...]:
        """Every absolute limit."""
        settings = self.pipeline.settings.acceptance
        return (*answer_limits(self.answers(), settings), *safety_limits(self.safety()))

    def promote(self, *, author: str, reason: str, accept_loss: bool = False) -> Baseline:
        """Accept this evaluation as the baseline.

        Raises:
            BaselineError: it may not be accepted, with the reason.
        """
        return self.baselines.promote(
            self.evaluated(),
            [limit.description for limit in self.limits() if not limit.passed],
            self.pipeline.settings.acceptance,
            author=author,
            reason=reason,
            accept_loss=accept_loss,
        )

    def latency(self) -> Latency:
        """Measure how long answers take here and now, over the questions of the dev split."""
        texts = [q.text for q in self.benchmark.questions if q.split == "dev"]
        latency = measure_latency(self.answer_engine, texts)
        self.store.write_latency(latency)
        return latency

    def drift(self) -> Drift:
        """What changed in the documents since the release that was served before.

        Once these candidates are released, what was found before stays.
        """
        workspace = self.pipeline.workspace
        store = ReleaseStore(workspace.releases)
        served = store.current() if store.pointer() is not None else None
        found = self.store.drift()
        own = {name: path.name for name, path in self.directories.items()}
        if found is not None and served is not None and served.knowledge_bases == own:
            return found
        drift = measure_drift(workspace, served, self.directories.values(), self.answers())
        self.store.write_drift(drift)
        return drift

    def release(self) -> Release:
        """Publish the candidates that were evaluated."""
        settings = self.pipeline.settings
        store = ReleaseStore(self.pipeline.workspace.releases, settings.release.keep)
        return store.publish(
            self.directories,
            profile=settings.profile,
            evaluation=self.store.fingerprint,
            calibration=self.store.folder / CALIBRATION,
        )
