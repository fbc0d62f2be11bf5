"""The release stage: publish the evaluated candidates by one pointer flip."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.encode.onnx_query import export_problem
from clinrag_core.errors import ReleaseError
from clinrag_core.evaluate.drift import compare_documents, documents_of
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_folder import CALIBRATION, ReleaseDraft
from clinrag_core.index.release_record import LabelChange, line_of
from clinrag_core.index.scope_record import SCOPE
from clinrag_core.pipeline.baselines import baseline_store, keep_provisional
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.label_versions import diff_of_files
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.pipeline.pages import keep_page, read_page
from clinrag_core.pipeline.reports import ANSWERS
from clinrag_core.pipeline.stages import REPORTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from clinrag_core.index.release_record import Release
    from clinrag_core.pipeline.pipeline import Pipeline


class PublishedRelease(NamedTuple):
    """A release and the page kept for it."""

    release: Release
    page: Path


def publish_release(pipeline: Pipeline) -> PublishedRelease:
    """Publish the candidates with the thresholds and the answers they were evaluated with.

    Whether their checks passed is the caller's to know.

    Raises:
        MissingInputError: a candidate, thresholds, answers, a report or the page are absent.
        StaleInputError: a report or the thresholds are of other candidates.
        BaselineError: the evaluation is of another profile, corpus or manifest.
        ReleaseError: these knowledge bases were withdrawn by a rollback, or a file is damaged.
    """
    candidates = read_candidates(pipeline)
    thresholds, answers = pipeline.thresholds.read(), pipeline.benchmark_answers.read()
    scope = pipeline.scope.read()
    reports = [pipeline.report(name).read() for name in REPORTS]
    page = read_page(pipeline)
    merge_lineages([*candidates, scope, thresholds, answers, *reports, page])
    settings, evaluated = pipeline.settings, answers.value.evaluated
    directories = {c.value.name: candidate_directory(pipeline, c.value) for c in candidates}
    store = ReleaseStore(pipeline.workspace.releases, settings.release.keep)
    encoder = pipeline.workspace.models / candidates[0].value.encoder
    if (problem := export_problem(encoder)) is not None:
        raise ReleaseError(f"not released: {problem}: run the chain again")
    baselines = baseline_store(pipeline)
    keep_provisional(pipeline)
    accepted = baselines.accepted()
    release = store.publish(
        ReleaseDraft(
            directories,
            encoder,
            profile=evaluated.profile,
            corpus=evaluated.corpus,
            corpus_manifest=evaluated.corpus_manifest,
            evaluation=evaluated.fingerprint,
            records={
                CALIBRATION: thresholds.value.model_dump(mode="json"),
                ANSWERS: answers.value.model_dump(mode="json"),
                SCOPE: scope.value.model_dump(mode="json"),
            },
            changes=_high_changes(pipeline, store, directories),
            reviewed=accepted is not None and not accepted.provisional,
        )
    )
    return PublishedRelease(release, keep_page(pipeline.workspace, release, page.value))


def _high_changes(
    pipeline: Pipeline, store: ReleaseStore, candidates: Mapping[str, Path]
) -> tuple[LabelChange, ...]:
    """HIGH changes of labels since the last release of this profile and corpus."""
    served = store.last_served(line_of(pipeline.settings.profile, pipeline.manifest.name))
    if served is None:
        return ()
    drifts = compare_documents(
        documents_of(store.directory(served, name) for name in served.knowledge_bases),
        documents_of(candidates.values()),
        lambda old, new: diff_of_files(pipeline.workspace, old, new),
    )
    return tuple(
        LabelChange(
            document_id=drift.document_id,
            name=drift.name,
            old_version=drift.old_version,
            new_version=drift.new_version,
            sections=tuple(
                f"{section.group} {section.change}: {' › '.join(section.path)}"
                for section in drift.sections
                if section.severity == "HIGH"
            ),
        )
        for drift in drifts
        if drift.change == "changed" and drift.severity == "HIGH"
    )
