"""Baselines on disk: immutable records; the newest of a profile and corpus is the accepted one.

A baseline of the workspace comes before the one the project ships for its sample corpus.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.errors import BaselineError, WorkspaceError
from clinrag_core.evaluate.baseline import FORMAT, Baseline, Evaluated, promotion_refusal
from clinrag_core.evaluate.gated_metrics import measure
from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.pipeline.pages import write_index
from clinrag_core.revision import git_commit
from clinrag_core.settings import data_folder
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.settings import AcceptanceSettings


class BaselineStore:
    """The baselines of a profile and corpus in a workspace, and those shipped with the project."""

    def __init__(
        self, folder: Path, profile: str, corpus: str, shipped: Path | None = None
    ) -> None:
        self._folder = folder
        self._identity = profile, corpus
        self._shipped = shipped if shipped is not None else data_folder() / "baselines"

    def list(self) -> list[Baseline]:
        """The baselines of the profile and corpus, newest first; shipped ones last.

        Raises:
            BaselineError: one cannot be read: a damaged record must never look like none.
        """
        baselines: list[Baseline] = []
        for folder in (self._folder, self._shipped):
            known = [_read(path) for path in folder.glob("*.json")]
            known = [
                b for b in known if (b.evaluated.profile, b.evaluated.corpus) == self._identity
            ]
            baselines += sorted(known, key=lambda b: -b.sequence)
        return baselines

    def accepted(self) -> Baseline | None:
        """The newest baseline, which may be provisional; None if nothing was evaluated yet."""
        return next(iter(self.list()), None)

    def keep_first(self, evaluated: Evaluated) -> None:
        """Keep the first evaluation as the provisional baseline; does nothing if there is one."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            if not self.list():
                baseline = Baseline(
                    sequence=1,
                    provisional=True,
                    author="nobody",
                    reason="first evaluation of this corpus, not reviewed",
                    accepted=dt.datetime.now(dt.UTC),
                    evaluated=evaluated,
                )
                self._write(baseline)

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
            if (proposed.profile, proposed.corpus) != self._identity:
                raise BaselineError("not promoted: it is of another profile or corpus")
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
            self._write(baseline)
            return baseline

    def _write(self, baseline: Baseline) -> None:
        write_json(self._folder / f"{baseline.id}.json", baseline.model_dump(mode="json"))


def baseline_store(pipeline: Pipeline) -> BaselineStore:
    """The baselines of the profile and its corpus in the workspace."""
    folder = pipeline.workspace.baselines
    return BaselineStore(folder, pipeline.settings.profile, pipeline.manifest.name)


def keep_provisional(pipeline: Pipeline) -> None:
    """Keep the stored evaluation as the provisional baseline, unless there is a baseline."""
    baseline_store(pipeline).keep_first(_proposal(pipeline).evaluated)


def promote(pipeline: Pipeline, *, author: str, reason: str, accept_loss: bool = False) -> Baseline:
    """Accept the stored evaluation as the baseline of its profile and corpus.

    Raises:
        MissingInputError: the benchmark, the runs, the answers or the safety report are absent.
        StaleInputError: they are of different evaluations.
        BaselineError: it is of another profile, corpus or manifest, or may not be accepted.
    """
    proposal = _proposal(pipeline)
    baseline = baseline_store(pipeline).promote(
        proposal.evaluated,
        proposal.unsafe,
        pipeline.settings.acceptance,
        author=author,
        reason=reason,
        accept_loss=accept_loss,
    )
    evaluated = baseline.evaluated
    releases = ReleaseStore(pipeline.workspace.releases)
    releases.mark_reviewed(evaluated.profile, evaluated.corpus)
    write_index(pipeline.workspace)
    return baseline


class _Proposal(NamedTuple):
    """The stored evaluation, and the limits that it breaks."""

    evaluated: Evaluated
    unsafe: list[str]


def _proposal(pipeline: Pipeline) -> _Proposal:
    """The stored evaluation, which must be of the profile's corpus as its manifest is now."""
    benchmark, runs = pipeline.benchmark.read(), pipeline.retrieval_runs.read()
    answers, safety = pipeline.benchmark_answers.read(), pipeline.report("safety_report").read()
    merge_lineages([benchmark, runs, answers, safety])
    evaluated, manifest = runs.value.evaluated, pipeline.manifest
    profile = pipeline.settings.profile
    if (evaluated.profile, evaluated.corpus) != (profile, manifest.name):
        raise BaselineError(
            f"the newest evaluation in {pipeline.workspace.home} is of corpus "
            f"{evaluated.corpus!r} (profile {evaluated.profile}), you asked for corpus "
            f"{manifest.name!r} (profile {profile}): name the same corpus as for `make run`, as in "
            "`make promote CORPUS=path/to/folder ...`, or run the chain of this one first"
        )
    if evaluated.corpus_manifest != manifest.digest:
        raise BaselineError(
            f"the manifest of corpus {manifest.name!r} has changed since its "
            "evaluation: run the chain first"
        )
    limits = answer_limits(
        answers.value.answers, pipeline.settings.acceptance, answers.value.nuggets
    )
    unsafe = [limit.description for limit in limits if not limit.passed]
    unsafe += [check.description for check in safety.value.checks if not check.passed]
    measured = measure(
        benchmark.value, runs.value.results, answers.value.answers, answers.value.nuggets
    )
    proposed = Evaluated(
        **evaluated.model_dump(exclude={"fingerprint"}),
        evaluation=evaluated.fingerprint,
        commit=git_commit(),
        measured=measured,
    )
    return _Proposal(proposed, unsafe)


def _read(path: Path) -> Baseline:
    try:
        baseline = Baseline.model_validate(read_json(path))
    except (ValidationError, WorkspaceError) as error:
        raise BaselineError(f"baseline {path.name} cannot be read: {error}") from error
    if baseline.format != FORMAT:
        raise BaselineError(f"baseline {path.name} is of format {baseline.format}, not {FORMAT}")
    return baseline
