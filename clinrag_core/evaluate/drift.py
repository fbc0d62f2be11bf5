"""What changed in the documents between the release that is served and a candidate.

A prescriber is concerned by what a HIGH change touches: a boxed warning, a contraindication, a
dose, or a label that was removed. The benchmark questions whose answers cite such a document are
listed with what became of them.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.label_diff import ORDER, Change, SectionChange, Severity
from clinrag_core.index.knowledge_base import read_chunks
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.evaluation import AnswerResult
    from clinrag_core.evaluate.label_diff import LabelDiff
    from clinrag_core.index.release_record import Release

_COLUMNS = [
    "document_id",
    "kind",
    "drug",
    "document_title",
    "label_version",
    "effective",
    "file_sha256",
]


class DocumentState(NamedTuple):
    """The version of a document in a knowledge base."""

    kind: DocumentKind
    name: str
    """Drug of a label, title of a guideline."""
    version: int | None
    sha256: str
    effective: dt.date | None = None

    @property
    def order(self) -> tuple[int, int]:
        """What versions of a label are compared by: number, then date."""
        return self.version or 0, (self.effective or dt.date.min).toordinal()


class DocumentDrift(Record):
    """A document that was added, removed or changed."""

    document_id: str
    kind: DocumentKind
    name: str
    change: Change
    old_version: int | None
    new_version: int | None
    severity: Severity | None
    """HIGH if a label was removed; None if nothing is known of the sections."""
    went_back: bool = False
    """Whether a label is older than the served one, by version number, then date."""
    sections: tuple[SectionChange, ...] = ()


class AffectedQuestion(Record):
    """A question whose answer cites a document with a HIGH change, before and now."""

    question_id: str
    before: str | None
    """Status on the served release; None if that evaluation was deleted."""
    now: str
    same_claims: bool


class Drift(Record):
    """Everything that changed; `release` is None before the first one."""

    release: str | None
    documents: tuple[DocumentDrift, ...]
    unchanged: int
    questions: tuple[AffectedQuestion, ...]

    def count(self, change: str, kind: DocumentKind) -> int:
        """Return the number of documents of a kind that were added, removed or changed."""
        return sum(d.change == change and d.kind == kind for d in self.documents)


def measure_drift(
    release: Release | None,
    released: Iterable[Path],
    candidates: Iterable[Path],
    earlier: Sequence[AnswerResult],
    answers: Sequence[AnswerResult],
    diff: Callable[[DocumentState, DocumentState], LabelDiff | None],
) -> Drift:
    """Return documents and answers that changed since the served release; all are new without one.

    `released` and `candidates` are directories of knowledge bases, `earlier` and `answers` what
    they answer to the benchmark. `diff` compares two versions of a label; None if one of them
    cannot be read any more.
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
    """Return the documents of knowledge bases, by id."""
    documents: dict[str, DocumentState] = {}
    for directory in directories:
        table = read_chunks(directory).select(_COLUMNS)
        for row in table.group_by(_COLUMNS).aggregate([]).to_pylist():
            name = row["drug"] if row["kind"] == "label" else row["document_title"]
            documents[row["document_id"]] = DocumentState(
                row["kind"],
                name or row["document_id"],
                row["label_version"],
                row["file_sha256"],
                row["effective"],
            )
    return documents


def compare_documents(
    before: Mapping[str, DocumentState],
    now: Mapping[str, DocumentState],
    diff: Callable[[DocumentState, DocumentState], LabelDiff | None],
) -> list[DocumentDrift]:
    """Return documents by id that differ between release and candidates, most severe first."""
    drifts: list[DocumentDrift] = []
    for document_id in sorted(before.keys() | now.keys()):
        old, new = before.get(document_id), now.get(document_id)
        state = new or old
        if state is None or (old and new and old.sha256 == new.sha256):
            continue
        change: Change = "changed" if old and new else "added" if new else "removed"
        compared = diff(old, new) if old and new and new.kind == "label" else None
        if compared is not None:
            severity = compared.severity
        else:  # what cannot be compared may be anything, so it counts as the worst
            severity = "HIGH" if state.kind == "label" and change != "added" else None
        drifts.append(
            DocumentDrift(
                document_id=document_id,
                kind=state.kind,
                name=state.name,
                change=change,
                old_version=old.version if old else None,
                new_version=new.version if new else None,
                went_back=bool(old and new and new.kind == "label" and new.order < old.order),
                severity=severity,
                sections=compared.changes if compared else (),
            )
        )
    rank = {**ORDER, None: len(ORDER)}
    return sorted(drifts, key=lambda d: (rank[d.severity], d.kind, d.name, d.document_id))


def affected_questions(
    documents: Sequence[DocumentDrift],
    before: Sequence[AnswerResult],
    now: Sequence[AnswerResult],
) -> list[AffectedQuestion]:
    """Questions that cite a document with a HIGH change, on either side, by id."""
    high = {d.document_id for d in documents if d.severity == "HIGH"}
    then = {a.question_id: a for a in before}
    affected: list[AffectedQuestion] = []
    for result in sorted(now, key=lambda a: a.question_id):
        earlier = then.get(result.question_id)
        cited = _cited(result) | (_cited(earlier) if earlier else set[str]())
        if cited & high:
            affected.append(
                AffectedQuestion(
                    question_id=result.question_id,
                    before=earlier.status if earlier else None,
                    now=result.status,
                    same_claims=earlier is not None and _claims(earlier) == _claims(result),
                )
            )
    return affected


def _cited(result: AnswerResult) -> set[str]:
    return {citation.document_id for citation in result.answer.citations}


def _claims(result: AnswerResult) -> list[str]:
    return [claim.text for claim in result.answer.claims]
