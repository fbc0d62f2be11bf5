"""Reports on disk: one page per evaluation, one kept per release, and an index of them.

Everything is a file that opens in a browser by itself; nothing is fetched and nothing runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from clinrag_core.errors import ReportError, WorkspaceError
from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.frames import answer_frame, question_frame
from clinrag_core.evaluate.html_page import Link, page, state, table
from clinrag_core.evaluate.report import ReportContent, render_report
from clinrag_core.model.base import Record
from clinrag_core.revision import git_commit
from clinrag_core.workspace import read_json, write_atomic, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.index.release import Release
    from clinrag_core.pipeline.evaluate import CandidateEvaluation
    from clinrag_core.workspace import Workspace

INDEX = "index.html"
NEWEST = "newest.json"
FIGURES = (
    "guidelines nDCG@10",
    "labels nDCG@10",
    "both nDCG@10",
    "answered",
    "supported",
    "refused",
    "p95 ms",
)


class Entry(Record):
    """A line of the index."""

    page: str
    release: str | None
    """None for an evaluation that was not released."""
    created: str
    evaluation: str
    documents: int
    failed: tuple[str, ...]
    """Gates that do not hold."""
    figures: dict[str, float]
    """Headline figures, on the test split."""


def report_path(evaluation: CandidateEvaluation) -> Path:
    """Where the page of an evaluation lies."""
    folder = evaluation.pipeline.workspace.reports
    return folder / f"evaluation-{evaluation.store.fingerprint}.html"


def write_report(evaluation: CandidateEvaluation) -> Path:
    """Write the page of an evaluation, its CSV files and the index; returns the page's path."""
    workspace = evaluation.pipeline.workspace
    bases = {name: path.name for name, path in sorted(evaluation.directories.items())}
    content = ReportContent(
        title=f"Evaluation {evaluation.store.fingerprint}",
        facts={
            "profile": evaluation.pipeline.settings.profile,
            "corpus": evaluation.pipeline.manifest.name,
            "commit": git_commit() or "not a checkout",
            "benchmark": evaluation.benchmark.fingerprint,
            **bases,
        },
        benchmark=evaluation.benchmark,
        retrieval=evaluation.retrieval(),
        answers=evaluation.answers(),
        safety=evaluation.safety(),
        verdicts=evaluation.verdicts(),
        limits=evaluation.limits(),
        accepted=evaluation.baselines.accepted(),
        measured=evaluation.evaluated().measured,
        latency=evaluation.store.latency(),
        drift=evaluation.store.drift(),
    )
    path = report_path(evaluation)
    questions = question_frame(evaluation.retrieval().results)
    answers = answer_frame(evaluation.answers())
    for name, frame in (("questions", questions), ("answers", answers)):
        data = frame.to_csv(index=False).encode()
        write_atomic(path.with_name(f"{path.stem}-{name}.csv"), data)
    write_atomic(path, render_report(content).encode())
    write_json(workspace.reports / NEWEST, _entry(evaluation, path.name, None))
    write_index(workspace)
    return path


def keep_report(evaluation: CandidateEvaluation, release: Release) -> Path:
    """Keep the page of an evaluation under the release it allowed; returns its path.

    A page once kept stays as it was on the day of the release.
    """
    workspace = evaluation.pipeline.workspace
    path = workspace.reports / f"release-{release.id}.html"
    if not path.exists():
        source = report_path(evaluation)
        if not source.exists():
            write_report(evaluation)
        write_atomic(path, source.read_bytes())
        write_json(path.with_suffix(".json"), _entry(evaluation, path.name, release))
    write_index(workspace)
    return path


def find_report(workspace: Workspace, release: str | None = None) -> Path:
    """The index page, or the page kept for a release.

    Raises:
        ReportError: there is none; names those there are.
    """
    name = INDEX if release is None else f"release-{release}.html"
    path = workspace.reports / name
    if not path.is_file():
        kept = sorted(p.stem.removeprefix("release-") for p in path.parent.glob("release-*.html"))
        there = f"there are reports of: {', '.join(kept)}" if kept else "run `make run` first"
        what = f"no report of release {release!r}" if release else "no report yet"
        raise ReportError(f"{what} in {path.parent}; {there}")
    return path


def write_index(workspace: Workspace) -> Path:
    """Write the index page; returns its path."""
    kept = sorted(
        (_read(path) for path in workspace.reports.glob("release-*.json")),
        key=lambda entry: entry.release or "",
        reverse=True,
    )
    newest = workspace.reports / NEWEST
    parts: list[str] = []
    if newest.exists():
        entry = _read(newest)
        told = ", ".join(entry.failed)
        parts += [
            state(f"Newest evaluation: stopped by {told}", passed=False)
            if told
            else state("Newest evaluation: every gate holds", passed=True),
            table(
                ("evaluation", "documents", *FIGURES),
                [_row(entry)],
            ),
        ]
    rows = [(*_row(entry), entry.created[:10]) for entry in kept]
    columns = ("release", "documents", *FIGURES, "created")
    parts += ["<h2>Releases, newest first (figures on the test split)</h2>", table(columns, rows)]
    path = workspace.reports / INDEX
    write_atomic(path, page("clinrag reports", parts).encode())
    return path


def _row(entry: Entry) -> tuple[object, ...]:
    figures = [entry.figures.get(name) for name in FIGURES[:-1]]
    p95 = entry.figures.get(FIGURES[-1])
    link = Link(entry.page, entry.release or entry.evaluation)
    return (link, entry.documents, *figures, None if p95 is None else round(p95))


def _entry(evaluation: CandidateEvaluation, name: str, release: Release | None) -> object:
    retrieval = {
        f"{s.slice} nDCG@10": s.metrics["ndcg_at_10"]
        for s in evaluation.retrieval().scores
        if s.pipeline == "rrf" and s.split == "test"
    }
    test = answer_metrics([a for a in evaluation.answers() if a.split == "test"])
    latency = evaluation.store.latency()
    p95 = {"p95 ms": latency.metrics().get("ask/p95_ms", 0.0)} if latency else {}
    failed = [v.metric for v in evaluation.verdicts() if not v.passed]
    failed += [limit.name for limit in evaluation.limits() if not limit.passed]
    corpora = [evaluation.pipeline.corpus(kind) for kind in evaluation.candidates]
    return Entry(
        page=name,
        release=release.id if release else None,
        created=release.created.strftime("%Y-%m-%d %H:%M") if release else "",
        evaluation=evaluation.store.fingerprint,
        documents=sum(entry.documents for corpus in corpora for entry in corpus.entries),
        failed=tuple(failed),
        figures={
            **retrieval,
            **{n: test[n] for n in ("answered", "supported", "refused")},
            **p95,
        },
    ).model_dump(mode="json")


def _read(path: Path) -> Entry:
    try:
        return TypeAdapter(Entry).validate_python(read_json(path))
    except ValidationError as error:
        raise WorkspaceError(f"{path} is of another version: delete it: {error}") from error
