"""Report pages on disk: one per evaluation, one kept per release, and an index of them.

Every page is a file that opens in a browser by itself; nothing is fetched and nothing runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from clinrag_core.errors import MissingInputError, ReleaseError, ReportError, WorkspaceError
from clinrag_core.evaluate.render_html import PageLink, page, report_html, state_line, table
from clinrag_core.evaluate.render_story import WORST_ANSWERS, story
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_record import ServedRelease
from clinrag_core.model.base import Record
from clinrag_core.pipeline.outputs import Output
from clinrag_core.pipeline.stages import PAGE, REPORTS
from clinrag_core.revision import git_commit
from clinrag_core.workspace import read_json, write_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.evaluate.report import EvaluationReport
    from clinrag_core.index.release_record import Release
    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.workspace import Workspace

INDEX = "index.html"
FORMAT = "page/2"
FIGURES = {
    "guidelines nDCG@10": "retrieval/guidelines/default/test/ndcg_at_10",
    "labels nDCG@10": "retrieval/labels/default/test/ndcg_at_10",
    "both nDCG@10": "retrieval/both/default/test/ndcg_at_10",
    "vital recall": "nuggets/test/vital_recall",
    "complete": "nuggets/test/complete",
    "answered": "answers/test/answered",
    "supported": "answers/test/supported",
    "refused": "answers/test/refused",
    "p95 ms": "latency/ask/p95_ms",
}
"""Headline figures, on the test split, to their metric."""
MEANINGS = {
    "guidelines nDCG@10": "how well the ten first passages are ordered, guidelines; 1 is best",
    "labels nDCG@10": "the same, drug labels",
    "both nDCG@10": "the same, over both",
    "vital recall": "share of the facts an answer must hold that the answers held",
    "complete": "share of the questions whose answer held every such fact",
    "answered": "share of the questions that can be answered and were",
    "supported": "share of the answers that cite a passage judged best for the question",
    "refused": "share of the questions that must be refused and were",
    "p95 ms": "milliseconds in which 95 of 100 questions were answered here",
}
"""What each headline figure means, for a reader of the page."""


class PageEntry(Record):
    """A line of the index."""

    page: str
    release: str | None
    """None for an evaluation that was not released."""
    created: str
    evaluation: str
    documents: int
    failed: tuple[str, ...]
    """Gates that failed."""
    figures: dict[str, float]


def page_output(workspace: Workspace) -> Output[PageEntry]:
    """Where the newest page's entry is stored."""
    return Output(workspace.home, PAGE, PageEntry)


def make_report_page(pipeline: Pipeline) -> Path:
    """Write the page of the stored reports and the index; returns the page's path.

    Raises:
        MissingInputError: a report is absent.
        StaleInputError: the reports are of different evaluations.
    """
    given = [pipeline.report(name).read() for name in REPORTS]
    reports = [report.value for report in given]
    fingerprint = reports[0].evaluated.fingerprint
    path = pipeline.workspace.reports / f"evaluation-{fingerprint}.html"

    def make() -> PageEntry:
        """Write the page; its entry is what is stored."""
        write_atomic(path, _html(reports).encode())
        metrics = {name: value for r in reports for name, value in r.metrics.items()}
        return PageEntry(
            page=path.name,
            release=None,
            created="",
            evaluation=fingerprint,
            documents=int(metrics["corpus/documents"]),
            failed=_failed(reports),
            figures={label: metrics[n] for label, n in FIGURES.items() if n in metrics},
        )

    page_output(pipeline.workspace).keep(given, FORMAT, make, reuse=path.is_file())
    write_index(pipeline.workspace)
    return path


def read_page(pipeline: Pipeline) -> Given[PageEntry]:
    """The entry of the newest page, whose file must exist."""
    given = page_output(pipeline.workspace).read()
    if not (pipeline.workspace.reports / given.value.page).is_file():
        raise MissingInputError(f"reports/{given.value.page}", PAGE)
    return given


def keep_page(workspace: Workspace, release: Release, newest: PageEntry) -> Path:
    """Keep the newest page under the release it allowed; returns the kept page's path.

    A page once kept stays as it was on the day of the release.
    """
    path = workspace.reports / f"release-{release.id}.html"
    if not path.exists():
        write_atomic(path, (workspace.reports / newest.page).read_bytes())
        created = release.created.strftime("%Y-%m-%d %H:%M")
        update = {"page": path.name, "release": release.id, "created": created}
        entry = newest.model_copy(update=update)
        write_json(path.with_suffix(".json"), entry.model_dump(mode="json"))
    write_index(workspace)
    return path


def _html(reports: Sequence[EvaluationReport]) -> str:
    """All reports as one page: their story first, then every figure."""
    evaluated = reports[0].evaluated
    metrics = {name: value for report in reports for name, value in report.metrics.items()}
    headline = {
        label: (metrics[name], MEANINGS[label])
        for label, name in FIGURES.items()
        if name in metrics
    }
    facts = {
        "profile": evaluated.profile,
        "corpus": evaluated.corpus,
        "commit": git_commit() or "not a checkout",
        "benchmark": evaluated.benchmark,
        **evaluated.knowledge_bases,
    }
    parts = [story(reports, headline)]
    for report in reports:
        parts += report_html(report, left_out={WORST_ANSWERS})
    parts += ["<h2>What was evaluated</h2>", table(("", ""), facts.items())]
    return page(f"Evaluation of {evaluated.corpus}, {evaluated.fingerprint}", parts)


def _failed(reports: Sequence[EvaluationReport]) -> tuple[str, ...]:
    return tuple(name for report in reports for name in report.failed)


def find_report(workspace: Workspace, release: str | None = None) -> Path:
    """The index page, or the page kept for a release.

    Raises:
        ReportError: there is none; names those there are.
    """
    name = INDEX if release is None else f"release-{release}.html"
    path = workspace.reports / name
    if not path.is_file():
        kept = sorted(p.stem.removeprefix("release-") for p in path.parent.glob("release-*.html"))
        known = f"there are reports of: {', '.join(kept)}" if kept else "run `make run` first"
        what = f"no report of release {release!r}" if release else "no report yet"
        raise ReportError(f"{what} in {path.parent}; {known}")
    return path


def write_index(workspace: Workspace) -> Path:
    """Write the index page; returns its path."""
    kept: list[PageEntry] = []
    for kept_path in workspace.reports.glob("release-*.json"):
        try:
            kept.append(PageEntry.model_validate(read_json(kept_path)))
        except ValidationError as error:
            message = f"{kept_path} is of another version: delete it: {error}"
            raise WorkspaceError(message) from error
    kept.sort(key=lambda entry: entry.release or "", reverse=True)
    parts = [state_line(notice, "warning") for notice in _served_notices(workspace)]
    newest = page_output(workspace)
    if newest.path.exists():
        entry = newest.read().value
        if failed := ", ".join(entry.failed):
            parts.append(state_line(f"Newest evaluation: stopped by {failed}", "failed"))
        else:
            parts.append(state_line("Newest evaluation: every gate holds", "passed"))
        parts.append(table(("evaluation", "documents", *FIGURES), [_row(entry)]))
    rows = [(*_row(entry), entry.created[:10]) for entry in kept]
    columns = ("release", "documents", *FIGURES, "created")
    parts += ["<h2>Releases, newest first (figures on the test split)</h2>", table(columns, rows)]
    path = workspace.reports / INDEX
    write_atomic(path, page("clinrag reports", parts).encode())
    return path


def _served_notices(workspace: Workspace) -> list[str]:
    """What is to be known of the served release, one line each; its files are not read."""
    store = ReleaseStore(workspace.releases)
    pointer = store.pointer()
    if pointer is None:
        return []
    try:
        served = ServedRelease.of(store.current(), pointer)
    except ReleaseError as error:
        return [str(error)]
    return [f"Release {served.release.id} is served. {notice}" for notice in served.notices]


def _row(entry: PageEntry) -> tuple[object, ...]:
    *shares, p95 = [entry.figures.get(name) for name in FIGURES]
    link = PageLink(entry.page, entry.release or entry.evaluation)
    return (link, entry.documents, *shares, None if p95 is None else round(p95))
