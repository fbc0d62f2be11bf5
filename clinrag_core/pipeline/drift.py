"""Comparing the candidates of an evaluation with the release that is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import ChecksumError, DocumentError, WorkspaceError
from clinrag_core.evaluate.drift import (
    DocumentState,
    Drift,
    affected_questions,
    compare_documents,
)
from clinrag_core.evaluate.label_diff import diff_labels
from clinrag_core.evaluate.store import EvaluationStore
from clinrag_core.index.chunk_table import read_table
from clinrag_core.index.knowledge_base import CHUNKS
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.label_versions import read_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.label_diff import LabelDiff
    from clinrag_core.index.release import Release
    from clinrag_core.workspace import Workspace

_COLUMNS = ["document_id", "kind", "drug", "document_title", "label_version", "file_sha256"]


def measure_drift(
    workspace: Workspace,
    release: Release | None,
    candidates: Iterable[Path],
    answers: Sequence[AnswerResult],
) -> Drift:
    """What changed since a release; everything is new where there is none.

    Args:
        workspace: where releases, files and evaluations lie.
        release: the one that is served.
        candidates: directories of the knowledge bases to compare with it.
        answers: of the benchmark, on the candidates.
    """
    store = ReleaseStore(workspace.releases)
    before: dict[str, DocumentState] = {}
    earlier: list[AnswerResult] = []
    if release is not None:
        before = documents_of(store.directory(release, name) for name in release.knowledge_bases)
        earlier = _answers(workspace, release.evaluation)
    now = documents_of(candidates)
    documents = compare_documents(before, now, lambda a, b: _label_diff(workspace, a, b))
    return Drift(
        release=release.id if release else None,
        documents=tuple(documents),
        unchanged=len(now.keys() & before.keys()) - sum(d.change == "changed" for d in documents),
        questions=tuple(affected_questions(documents, earlier, answers)),
    )


def documents_of(directories: Iterable[Path]) -> dict[str, DocumentState]:
    """The documents of knowledge bases, by id."""
    found: dict[str, DocumentState] = {}
    for directory in directories:
        table = read_table(directory / CHUNKS).select(_COLUMNS)
        for row in table.group_by(_COLUMNS).aggregate([]).to_pylist():
            name = row["drug"] if row["kind"] == "label" else row["document_title"]
            found[row["document_id"]] = DocumentState(
                row["kind"], name or row["document_id"], row["label_version"], row["file_sha256"]
            )
    return found


def _label_diff(workspace: Workspace, old: DocumentState, new: DocumentState) -> LabelDiff | None:
    store = FileStore(workspace.files)
    try:
        versions = [read_label(store, state.sha256, state.name) for state in (old, new)]
    except (ChecksumError, DocumentError):
        return None
    return diff_labels(versions[0], versions[1])


def _answers(workspace: Workspace, fingerprint: str | None) -> list[AnswerResult]:
    if fingerprint is None:
        return []
    try:
        return EvaluationStore(workspace.evaluations, fingerprint).answers() or []
    except WorkspaceError:
        return []  # made by another version of this project: the questions are listed without it
