"""What changed in the documents between the release that is served and a candidate.

A prescriber is concerned by what a HIGH change touches: a boxed warning, a contraindication, a
dose, or a label that is gone. The benchmark questions whose answers cite such a document are
listed with what became of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.evaluate.label_diff import Severity
from clinrag_core.index.chunk_table import read_table
from clinrag_core.index.knowledge_base import CHUNKS
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.label_diff import LabelDiff
    from clinrag_core.index.release import Release

_COLUMNS = ["document_id", "kind", "drug", "document_title", "label_version", "file_sha256"]
ORDER: dict[Severity | None, int] = {"HIGH": 0, "MEDIUM": 1, "LOW": 2, None: 3}


class DocumentState(NamedTuple):
    """Which version of a document a knowledge base holds."""

    kind: DocumentKind
    name: str
    """Drug of a label, title of a guideline."""
    version: int | None
    sha256: str


class SectionDrift(Record):
    """A section of a label that changed."""

    path: tuple[str, ...]
    change: str
    severity: Severity


class DocumentDrift(Record):
    """A document that was added, removed or changed."""

    document_id: str
    kind: DocumentKind
    name: str
    change: Literal["added", "removed", "changed"]
    old_version: int | None
    new_version: int | None
    severity: Severity | None
    """HIGH where a label is gone; None where nothing is known of the sections."""
    sections: tuple[SectionDrift, ...] = ()


class AffectedQuestion(Record):
    """A question whose answer cites a document with a HIGH change, before and now."""

    question_id: str
    documents: tuple[str, ...]
    before: str | None
    """Status on the served release; None where that evaluation is gone."""
    now: str
    same_claims: bool


class Drift(Record):
    """Everything that changed; `release` is None before the first one."""

    release: str | None
    documents: tuple[DocumentDrift, ...]
    unchanged: int
    questions: tuple[AffectedQuestion, ...]

    def count(self, change: str, kind: DocumentKind) -> int:
        """Documents of a kind that were added, removed or changed."""
        return sum(d.change == change and d.kind == kind for d in self.documents)


def measure_drift(
    release: Release | None,
    released: Iterable[Path],
    candidates: Iterable[Path],
    earlier: Sequence[AnswerResult],
    answers: Sequence[AnswerResult],
    diff: Callable[[DocumentState, DocumentState], LabelDiff | None],
) -> Drift:
    """Documents and answers that changed since a release; everything is new without one.

    Args:
        release: the one that is served.
        released: directories of its knowledge bases.
        candidates: directories of the knowledge bases to compare with it.
        earlier: answers to the benchmark that it was released on.
        answers: answers to the benchmark from the candidates.
        diff: compares two versions of a label; None if one of them cannot be read any more.
    """
    before, now = documents_of(released), documents_of(candidates)
    documents = compare_documents(before, now, diff)
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


def compare_documents(
    before: Mapping[str, DocumentState],
    now: Mapping[str, DocumentState],
    diff: Callable[[DocumentState, DocumentState], LabelDiff | None],
) -> list[DocumentDrift]:
    """Documents that differ, the most severe first.

    Args:
        before: documents of the served release, by id.
        now: documents of the candidates.
        diff: compares two versions of a label; None where one of them cannot be read any more.
    """
    found: list[DocumentDrift] = []
    for document_id in sorted(before.keys() | now.keys()):
        old, new = before.get(document_id), now.get(document_id)
        if old is None and new is not None:
            found.append(_drift(document_id, new, "added", None, new.version, None))
        elif new is None and old is not None:
            severity: Severity | None = "HIGH" if old.kind == "label" else None
            found.append(_drift(document_id, old, "removed", old.version, None, severity))
        elif old is not None and new is not None and old.sha256 != new.sha256:
            changes = diff(old, new) if new.kind == "label" else None
            drift = _drift(document_id, new, "changed", old.version, new.version, None)
            if changes is not None:
                sections = tuple(
                    SectionDrift(path=c.path, change=c.change, severity=c.severity)
                    for c in changes.changes
                )
                drift = drift.model_copy(
                    update={"severity": changes.severity, "sections": sections}
                )
            elif new.kind == "label":
                # What cannot be compared may be anything, so it counts as the worst.
                drift = drift.model_copy(update={"severity": "HIGH"})
            found.append(drift)
    return sorted(found, key=lambda d: (ORDER[d.severity], d.kind, d.name, d.document_id))


def _drift(
    document_id: str,
    state: DocumentState,
    change: Literal["added", "removed", "changed"],
    old: int | None,
    new: int | None,
    severity: Severity | None,
) -> DocumentDrift:
    """The change of one document, its sections not compared yet."""
    return DocumentDrift(
        document_id=document_id,
        kind=state.kind,
        name=state.name,
        change=change,
        old_version=old,
        new_version=new,
        severity=severity,
    )


def affected_questions(
    documents: Sequence[DocumentDrift],
    before: Sequence[AnswerResult],
    now: Sequence[AnswerResult],
) -> list[AffectedQuestion]:
    """Questions that cite a document with a HIGH change, on either side, by id."""
    high = {d.document_id for d in documents if d.severity == "HIGH"}
    then = {a.question_id: a for a in before}
    found: list[AffectedQuestion] = []
    for result in sorted(now, key=lambda a: a.question_id):
        earlier = then.get(result.question_id)
        cited = _cited(result) | (_cited(earlier) if earlier else set[str]())
        if touched := sorted(cited & high):
            found.append(
                AffectedQuestion(
                    question_id=result.question_id,
                    documents=tuple(touched),
                    before=earlier.status if earlier else None,
                    now=result.status,
                    same_claims=earlier is not None and _claims(earlier) == _claims(result),
                )
            )
    return found


def _cited(result: AnswerResult) -> set[str]:
    return {citation.document_id for citation in result.answer.citations}


def _claims(result: AnswerResult) -> list[str]:
    return [claim.text for claim in result.answer.claims]
