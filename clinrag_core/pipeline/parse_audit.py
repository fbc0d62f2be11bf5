"""The parse audit stage: every acquired file of the corpus measured against its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import DocumentError
from clinrag_core.evaluate.parse_audit.audit import DocumentAudit, audit_document
from clinrag_core.evaluate.parse_audit.report import ParseAudit, parse_report
from clinrag_core.evaluate.render_html import page, report_html
from clinrag_core.parse.child import parse_bounded
from clinrag_core.parse.registry import parser_version
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.workspace import fingerprint, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.pipeline.pipeline import Pipeline

FORMAT = "parse-audit/2"


class AuditedFile(NamedTuple):
    """An acquired file, and its stored document if it is indexed."""

    source: DocumentSource
    document: Document | None


def parse_corpus(pipeline: Pipeline, on_progress: Callable[[int, int, str], None]) -> None:
    """Run the file and section stages of every partition, each only if something changed.

    `on_progress` is called with (partitions done, partitions in all, partition key).
    """
    partitions = [pipeline.partition(kind, key) for kind in KINDS for key in pipeline.keys(kind)]
    for done, partition in enumerate(partitions):
        on_progress(done, len(partitions), partition.key)
        partition.record_acquired(pipeline.acquire(partition.kind, partition.key))
        partition.parse()


def make_parse_audit(
    pipeline: Pipeline, on_progress: Callable[[int, int, str], None] | None = None
) -> ParseAudit:
    """Store the audit of every acquired file of the corpus.

    A document that is not indexed (an equivalent label) is not stored by the section stage and is
    parsed here. `on_progress` is called with (files done, files in all, file name).

    Raises:
        MissingInputError: a partition's files or sections are absent.
    """
    files: list[AuditedFile] = []
    failures: list[str] = []
    inputs: list[str] = []
    for kind in KINDS:
        for key in pipeline.keys(kind):
            partition = pipeline.partition(kind, key)
            acquired, parsed = partition.need_acquired(), partition.need_parsed()
            failures += [f"{failure.file}: {failure.reason}" for failure in acquired.failures]
            inputs += [acquired.digest, parsed.input, parsed.digest]
            known = {
                d.file.sha256: d for d in parsed.documents if d.parser == parser_version(d.format)
            }
            files += [AuditedFile(s, known.get(s.file.sha256)) for s in acquired.sources]

    def make() -> ParseAudit:
        rows: list[DocumentAudit] = []
        for done, file in enumerate(files):
            if on_progress is not None:
                on_progress(done, len(files), file.source.file.name)
            rows.append(_audit(pipeline, file))
        rows.sort(key=lambda row: (row.kind, row.document_id or "", row.file))
        name = pipeline.manifest.name
        return ParseAudit(corpus=name, rows=tuple(rows), not_acquired=tuple(sorted(failures)))

    return pipeline.parse_audit.keep((), [FORMAT, inputs, sorted(failures)], make)


def write_parse_page(pipeline: Pipeline, audit: ParseAudit) -> Path:
    """Write the audit as one HTML page under `reports`; returns its path."""
    path = pipeline.workspace.reports / f"parse-{fingerprint(audit.model_dump(mode='json'))}.html"
    write_atomic(path, parse_page(audit).encode())
    return path


def parse_page(audit: ParseAudit) -> str:
    """The audit as one HTML page."""
    report = parse_report(audit)
    return page(report.title, report_html(report))


def _audit(pipeline: Pipeline, file: AuditedFile) -> DocumentAudit:
    data = FileStore(pipeline.workspace.files).read(file.source.file.sha256)
    try:
        document = file.document or parse_bounded(data, file.source, pipeline.settings.parse)
        return audit_document(document, data, file.source)
    except DocumentError as error:
        source = file.source
        return DocumentAudit(
            file=source.file.name, kind=source.kind, format=source.format, quarantined=str(error)
        )
