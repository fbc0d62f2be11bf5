"""The release stage: publish the evaluated candidates by one pointer flip."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.index.release import CALIBRATION, ReleaseStore
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.outputs import merge_lineages
from clinrag_core.pipeline.pages import keep_page, read_page
from clinrag_core.pipeline.reports import ANSWERS
from clinrag_core.pipeline.stages import REPORTS

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.index.release import Release
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
        ReleaseError: these knowledge bases were withdrawn by a rollback.
    """
    candidates = read_candidates(pipeline)
    thresholds, answers = pipeline.thresholds.read(), pipeline.benchmark_answers.read()
    reports = [pipeline.report(name).read() for name in REPORTS]
    page = read_page(pipeline)
    merge_lineages([*candidates, thresholds, answers, *reports, page])
    settings = pipeline.settings
    store = ReleaseStore(pipeline.workspace.releases, settings.release.keep)
    release = store.publish(
        {c.value.name: candidate_directory(pipeline, c.value) for c in candidates},
        profile=settings.profile,
        evaluation=answers.value.evaluated.fingerprint,
        records={
            CALIBRATION: thresholds.value.model_dump(mode="json"),
            ANSWERS: answers.value.model_dump(mode="json"),
        },
    )
    return PublishedRelease(release, keep_page(pipeline.workspace, release, page.value))
