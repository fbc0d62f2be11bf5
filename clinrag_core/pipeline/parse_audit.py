"""The parse audit of a whole corpus: every file of the manifest, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import DocumentError
from clinrag_core.evaluate.parse_audit.audit import DocumentAudit, audit_document, quarantined
from clinrag_core.evaluate.parse_audit.report import render_parse_report
from clinrag_core.model.base import Record
from clinrag_core.parse.registry import parse_document, parser_version
from clinrag_core.workspace import fingerprint, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentKind, DocumentSource
    from clinrag_core.pipeline.pipeline import Pipeline


class ParseAudit(Record):
    """Every document of a corpus with what its parser made of it."""

    corpus: str
    rows: tuple[DocumentAudit, ...]
    not_acquired: tuple[str, ...] = ()
    """Files that could not be had; the acquire stage says why."""

    @property
    def fingerprint(self) -> str:
        """Same rows, same fingerprint."""
        return fingerprint(self.model_dump(mode="json"))

    @property
    def heading_recall(self) -> float | None:
        """Over all outline entries of all documents; None where no document has an outline."""
        rows = [r for r in self.rows if r.heading_recall is not None]
        wanted = sum(r.outline_entries for r in rows)
        found = sum((r.heading_recall or 0.0) * r.outline_entries for r in rows)
        return found / wanted if wanted else None


class _File(NamedTuple):
    source: DocumentSource
    path: Path
    document: Document | None


def audit_corpus(
    pipeline: Pipeline, on_progress: Callable[[int, int, str], None] | None = None
) -> ParseAudit:
    """Audit every file of a profile's corpus.

    Documents that were parsed before, from the same bytes, are taken from their partition; the
    others are parsed.

    Args:
        pipeline: the profile.
        on_progress: called with (documents done, documents in all, file name).
    """
    missing: list[str] = []
    files = list(_files(pipeline, missing))
    rows: list[DocumentAudit] = []
    for done, file in enumerate(files):
        if on_progress is not None:
            on_progress(done, len(files), file.source.file.name)
        rows.append(_audit(file))
    rows.sort(key=lambda row: (row.kind, row.document_id or "", row.file))
    return ParseAudit(
        corpus=pipeline.manifest.name, rows=tuple(rows), not_acquired=tuple(sorted(missing))
    )


def write_parse_report(pipeline: Pipeline, audit: ParseAudit) -> Path:
    """Write the audit as one HTML page under `reports`; returns its path."""
    path = pipeline.workspace.reports / f"parse-{audit.fingerprint}.html"
    page = render_parse_report(audit.corpus, audit.rows, audit.heading_recall, audit.not_acquired)
    write_atomic(path, page.encode())
    return path


def _files(pipeline: Pipeline, missing: list[str]) -> Iterator[_File]:
    kinds: tuple[DocumentKind, ...] = ("guideline", "label")
    for kind in kinds:
        for key in pipeline.keys(kind):
            acquired = pipeline.acquire(kind, key)
            missing.extend(f"{failure.entry}: {failure.error}" for failure in acquired.failures)
            parsed = pipeline.partition(kind, key).parsed()
            known = {d.file.sha256: d for d in parsed.documents if _is_current(d)} if parsed else {}
            for file in acquired.files:
                document = known.get(file.source.file.sha256)
                yield _File(file.source, file.path, document)


def _is_current(document: Document) -> bool:
    return document.parser == parser_version(document.format)


def _audit(file: _File) -> DocumentAudit:
    data = file.path.read_bytes()
    try:
        document = file.document or parse_document(data, file.source)
        return audit_document(document, data, file.source)
    except DocumentError as error:
        return quarantined(file.source, str(error))
