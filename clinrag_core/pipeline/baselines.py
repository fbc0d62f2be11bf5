"""Accepted baselines on disk: immutable records; the newest of a corpus is the accepted one.

A baseline accepted in the workspace comes before the one the project ships for its sample corpus.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.errors import BaselineError, WorkspaceError
from clinrag_core.evaluate.baseline import FORMAT, Baseline, Evaluated, promotion_refusal
from clinrag_core.evaluate.gated_metrics import measure
from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.revision import git_commit
from clinrag_core.settings import data_folder
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.settings import AcceptanceSettings


class BaselineStore:
    """The baselines of one corpus in a workspace's folder, and those shipped with the project."""

    def __init__(self, folder: Path, corpus: str, shipped: Path | None = None) -> None:
        self._folder = folder
        self._corpus = corpus
        self._shipped = shipped if shipped is not None else data_folder() / "baselines"

    def list(self) -> list[Baseline]:
        """The baselines of the corpus, newest first; shipped ones last.

        Raises:
            BaselineError: one cannot be read: a damaged record must never look like none.
        """
        baselines: list[Baseline] = []
        for folder in (self._folder, self._shipped):
            known = [_read(path) for path in folder.glob("*.json")]
            known = [b for b in known if b.evaluated.corpus == self._corpus]
            baselines += sorted(known, key=lambda b: -b.sequence)
        return baselines

    def accepted(self) -> Baseline | None:
        """The newest baseline; None if nothing was accepted yet."""
        return next(iter(self.list()), None)

    def promote(
        self,
        proposed: Evaluated,
        unsafe: Sequence[str],
        settings: AcceptanceSettings,
        *,
        author: str,
        reason: str,
        accept_loss: bool = False,
    ) -> Baseline:
        """Accept an evaluation.

        Raises:
            BaselineError: it may not be accepted, with the reason.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            known = self.list()
            refusal = promotion_refusal(
                known[0] if known else None,
                proposed,
                unsafe,
                settings,
                author=author,
                reason=reason,
                accept_loss=accept_loss,
            )
            if refusal is not None:
                raise BaselineError(f"not promoted: {refusal}")
            baseline = Baseline(
                sequence=max((b.sequence for b in known), default=0) + 1,
                author=author.strip(),
                reason=reason.strip(),
                accepted=dt.datetime.now(dt.UTC),
                evaluated=proposed,
            )
            write_json(self._folder / f"{baseline.id}.json", baseline.model_dump(mode="json"))
            return baseline


def baseline_store(pipeline: Pipeline, corpus: str) -> BaselineStore:
    """The baselines of a corpus in the workspace."""
    return BaselineStore(pipeline.workspace.baselines, corpus)


def promote(pipeline: Pipeline, *, author: str, reason: str, accept_loss: bool = False) -> Baseline:
    """Accept the stored evaluation as the baseline of its corpus.

    Raises:
        MissingInputError: the benchmark, the runs, the answers or the safety report are absent.
        StaleInputError: they are of different evaluations.
        BaselineError: it is of another corpus than the profile's, or may not be accepted.
    """
    benchmark, runs = pipeline.benchmark.read(), pipeline.retrieval_runs.read()
    answers, safety = pipeline.benchmark_answers.read(), pipeline.report("safety_report").read()
    merge_lineages([benchmark, runs, answers, safety])
    evaluated = runs.value.evaluated
    if evaluated.corpus != pipeline.manifest.name:
        raise BaselineError(
            f"not promoted: the newest evaluation is of corpus {evaluated.corpus!r}, the profile's "
            f"corpus is {pipeline.manifest.name!r}: run its chain first"
        )
    settings = pipeline.settings.acceptance
    limits = answer_limits(answers.value.answers, settings)
    unsafe = [limit.description for limit in limits if not limit.passed]
    unsafe += [check.description for check in safety.value.checks if not check.passed]
    return baseline_store(pipeline, evaluated.corpus).promote(
        Evaluated(
            **evaluated.model_dump(exclude={"fingerprint"}),
            evaluation=evaluated.fingerprint,
            commit=git_commit(),
            measured=measure(benchmark.value, runs.value.results, answers.value.answers),
        ),
        unsafe,
        settings,
        author=author,
        reason=reason,
        accept_loss=accept_loss,
    )


def _read(path: Path) -> Baseline:
    try:
        baseline = Baseline.model_validate(read_json(path))
    except (ValidationError, WorkspaceError) as error:
        raise BaselineError(f"baseline {path.name} cannot be read: {error}") from error
    if baseline.format != FORMAT:
        raise BaselineError(f"baseline {path.name} is of format {baseline.format}, not {FORMAT}")
    return baseline
