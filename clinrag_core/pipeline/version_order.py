"""Evidence never goes back: a label is served at the highest version ever accepted.

A file that offers an older version of a set id is recorded as a failure, and the accepted version
stays. Going back is a person's decision: `pinned_version` in the manifest (ADR 0013).
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import ClinragError
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clinrag_core.model.document import Document

OLDER = "older_version"
"""Code of the failure of a file that offers less than was accepted."""


class AcceptedVersion(Record):
    """The highest version of a set id that was ever accepted, and the file it was read from."""

    document_id: str
    version: int | None
    effective: dt.date | None
    is_partial: bool
    source: DocumentSource

    @property
    def order(self) -> tuple[bool, int, int]:
        """What versions are compared by: whole labels first, then number, then date."""
        day = (self.effective or dt.date.min).toordinal()
        return not self.is_partial, self.version or 0, day

    def __str__(self) -> str:
        return f"version {self.version or '?'} ({self.effective or 'no date'})"


class OlderFile(NamedTuple):
    """A file that offers an older version than the accepted one."""

    file: str
    reason: str


class OrderedDocuments(NamedTuple):
    """What may be indexed, what was refused, and the highest version of every set id."""

    documents: tuple[Document, ...]
    kept: tuple[str, ...]
    """Ids whose accepted version was restored."""
    refused: tuple[OlderFile, ...]
    accepted: tuple[AcceptedVersion, ...]


def accepted_versions(
    documents: Iterable[Document], accepted: Iterable[AcceptedVersion]
) -> tuple[AcceptedVersion, ...]:
    """The versions that a record lists, or that its documents have if it lists none of a set id."""
    known = {version.document_id: version for version in accepted}
    for document in documents:
        if (version := _accepted_version(document)) is not None:
            known.setdefault(document.id, version)
    return tuple(known.values())


def _accepted_version(document: Document) -> AcceptedVersion | None:
    """The version of a label; None for a guideline, which its manifest entry versions."""
    label = document.label
    if label is None:
        return None
    return AcceptedVersion(
        document_id=document.id,
        version=label.version,
        effective=label.effective,
        is_partial=label.is_partial,
        source=DocumentSource(
            kind="label",
            format=document.format,
            file=document.file,
            drug=label.drug,
            published=label.published,
        ),
    )


def in_version_order(
    documents: Sequence[Document],
    accepted: Iterable[AcceptedVersion],
    sources: Iterable[DocumentSource],
    read: Callable[[DocumentSource], Document],
) -> OrderedDocuments:
    """Replace what is older than the accepted version of its set id by that version.

    An accepted version that can no longer be read is not replaced by an older one: then the label
    leaves.

    Args:
        documents: what the files of now offer, every version of every set id.
        accepted: highest versions of earlier runs.
        sources: the files; of a set id that one of them pins, only that one counts.
        read: parses a stored file; raises ClinragError if it cannot.
    """
    files = {source.file.sha256 for source in sources if source.pinned_version is not None}
    pinned = {document.id for document in documents if document.file.sha256 in files}
    documents = [d for d in documents if d.id not in pinned or d.file.sha256 in files]
    highest = {known.document_id: known for known in accepted if known.document_id not in pinned}
    chosen: list[Document] = []
    kept: list[str] = []
    refused: list[OlderFile] = []
    for document_id, versions in _by_id(documents).items():
        offered = [v for _, v in versions if v is not None]
        best = max(offered, key=lambda v: v.order, default=None)
        known = highest.get(document_id)
        if best is None or known is None or best.order >= known.order:
            chosen += [document for document, _ in versions]
            if best is not None:
                highest[document_id] = best
            continue
        reason = f"{best} is older than {known}, which was accepted before"
        try:
            chosen.append(read(known.source))
            kept.append(document_id)
            reason += ' and stays; to go back, write "pinned_version" into the manifest entry'
        except ClinragError as error:
            reason += f" and cannot be read any more: {error}"
        refused += [OlderFile(document.file.name, reason) for document, _ in versions]
    ordered = tuple(highest[key] for key in sorted(highest))
    return OrderedDocuments(tuple(chosen), tuple(kept), tuple(refused), ordered)


def _by_id(
    documents: Iterable[Document],
) -> dict[str, list[tuple[Document, AcceptedVersion | None]]]:
    """Documents with their versions by id."""
    grouped: dict[str, list[tuple[Document, AcceptedVersion | None]]] = {}
    for document in documents:
        grouped.setdefault(document.id, []).append((document, _accepted_version(document)))
    return grouped
