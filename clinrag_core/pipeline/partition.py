"""One partition, from its files to its chunks: acquire, parse, chunk, each only when needed.

Holds the rules of incremental work and quarantine; the work itself is done by `acquire`, `parse`
and `chunk`. A stage raises MissingInputError if the record of the stage before it is absent.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import ValidationError

from clinrag_core.errors import (
    ClinragError,
    DocumentError,
    MissingInputError,
    NotListedError,
    WorkspaceError,
)
from clinrag_core.index.chunk_table import read_table, to_table, write_table
from clinrag_core.model.base import Record
from clinrag_core.parse.registry import parse_document, parser_version
from clinrag_core.pipeline.evidence import choose_evidence
from clinrag_core.pipeline.records import (
    AcquiredRecord,
    ChunkedRecord,
    Failure,
    ParsedRecord,
    Stage,
)
from clinrag_core.pipeline.stages import CHUNKS, FILES, SECTIONS
from clinrag_core.workspace import fingerprint, read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from clinrag_core.acquire.records import Acquired
    from clinrag_core.chunk.chunker import Chunker
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentKind, DocumentSource
    from clinrag_core.workspace import Workspace

logger = logging.getLogger(__name__)
ACQUIRED = "acquired.json"
DOCUMENTS = "documents.json"
CHUNKED = "chunks.json"
TABLE = "chunks.arrow"
WITHDRAWN = NotListedError.__name__
_R = TypeVar("_R", bound=Record)


class StageOutcome(NamedTuple):
    """Whether a stage did any work."""

    changed: bool
    reason: str


class Partition:
    """The files, documents and chunks of one guideline or one drug."""

    def __init__(self, workspace: Workspace, kind: DocumentKind, key: str) -> None:
        self._files = workspace.files
        self.kind: DocumentKind = kind
        self.key = key
        self.folder = workspace.partitions / kind / key

    def acquired(self) -> AcquiredRecord | None:
        """The record of the first stage; None before it ran."""
        return self._read(ACQUIRED, AcquiredRecord)

    def parsed(self) -> ParsedRecord | None:
        """The record of the second stage; None before it ran."""
        return self._read(DOCUMENTS, ParsedRecord)

    def chunked(self) -> ChunkedRecord | None:
        """The record of the third stage; None before it ran."""
        return self._read(CHUNKED, ChunkedRecord)

    def chunks(self) -> pa.Table:
        """The chunk table."""
        self.require_chunks()
        return read_table(self.folder / TABLE)

    def require_chunks(self) -> None:
        """Check that the chunk stage has stored its output."""
        for name in (CHUNKED, TABLE):
            if not (self.folder / name).is_file():
                raise self.missing(name, CHUNKS[self.kind])

    def need_acquired(self) -> AcquiredRecord:
        """The record of the first stage, which must exist."""
        if (record := self.acquired()) is None:
            raise self.missing(ACQUIRED, FILES[self.kind])
        return record

    def need_parsed(self) -> ParsedRecord:
        """The record of the second stage, which must exist."""
        if (record := self.parsed()) is None:
            raise self.missing(DOCUMENTS, SECTIONS[self.kind])
        return record

    def missing(self, name: str, stage: str) -> MissingInputError:
        """The error of a record that a stage needs and that is absent or unreadable."""
        return MissingInputError(f"partitions/{self.kind}/{self.key}/{name}", stage)

    def record_acquired(self, acquired: Acquired) -> StageOutcome:
        """Store which files the partition now has."""
        sources = tuple(file.source for file in acquired.files)
        failures = tuple(
            _failure("acquire", f.entry, f.error, f.transient) for f in acquired.failures
        )
        record = AcquiredRecord(digest=files_digest(sources), sources=sources, failures=failures)
        return self._write(ACQUIRED, record, self.acquired())

    def parse(self) -> StageOutcome:
        """Parse the files unless they and the parsers are as before.

        A file that cannot be used is recorded with its reason, the others go on, and the last good
        document of that file stays.
        """
        acquired = self.need_acquired()
        before = self.parsed()
        wanted = parse_input(acquired)
        if before is not None and before.input == wanted:
            return StageOutcome(changed=False, reason="same files, same parsers")
        documents: list[Document] = []
        failures = list(acquired.failures)
        for source in acquired.sources:
            try:
                sha256 = source.file.sha256
                data = (self._files / sha256[:2] / sha256).read_bytes()
                documents.append(parse_document(data, source))
            except DocumentError as error:
                failures.append(_failure("parse", source.file.name, error))
                logger.warning("quarantined %s %s: %s", self.kind, self.key, error.code)
        kept = _kept(before, acquired, failures, documents)
        choice = choose_evidence([*documents, *kept])
        record = ParsedRecord(
            input=wanted,
            digest=fingerprint([d.model_dump(mode="json") for d in choice.indexed]),
            documents=choice.indexed,
            equivalents=choice.equivalents,
            failures=tuple(failures),
            kept=tuple(document.id for document in kept),
        )
        return self._write(DOCUMENTS, record, before)

    def chunk(self, chunker: Chunker, chunker_fingerprint: str) -> StageOutcome:
        """Chunk the documents unless they and the chunker are as before."""
        parsed = self.need_parsed()
        before = self.chunked()
        wanted = fingerprint(parsed.digest, chunker_fingerprint)
        if before is not None and before.input == wanted and self._table_exists():
            digest, chunks, tokens = before.digest, before.chunks, before.tokens
        else:
            made = [chunk for document in parsed.documents for chunk in chunker.chunk(document)]
            digest = write_table(self.folder / TABLE, to_table(made))
            chunks, tokens = len(made), sum(chunk.tokens for chunk in made)
        record = ChunkedRecord(
            input=wanted,
            digest=digest,
            documents=len(parsed.documents),
            chunks=chunks,
            tokens=tokens,
            words=sum(document.words for document in parsed.documents),
            topics=parsed.documents[0].topics if parsed.documents else (),
            failures=tuple(failure.code for failure in parsed.failures),
            parse_input=parsed.input,
            parse_digest=parsed.digest,
            parse_bytes=(self.folder / DOCUMENTS).stat().st_size,
        )
        return self._write(CHUNKED, record, before)

    def is_fresh(self, files_digest: str | None, chunker_fingerprint: str) -> bool:
        """True if every stage is up to date for files of this digest; None: as acquired.

        Reads no documents: a corpus of thousands of labels is checked at every run.
        """
        acquired, chunked = self.acquired(), self.chunked()
        if acquired is None or chunked is None:
            return False
        documents = self.folder / DOCUMENTS
        return (
            files_digest in (None, acquired.digest)
            and not acquired.failures
            and chunked.parse_input == parse_input(acquired)
            and chunked.input == fingerprint(chunked.parse_digest, chunker_fingerprint)
            and documents.is_file()
            and documents.stat().st_size == chunked.parse_bytes
            and self._table_exists()
        )

    def _table_exists(self) -> bool:
        return (self.folder / TABLE).is_file()

    def _read(self, name: str, record: type[_R]) -> _R | None:
        path = self.folder / name
        if not path.exists():
            return None
        try:
            return record.model_validate(read_json(path))
        except (ValidationError, WorkspaceError) as error:
            # A record is only a cache of the stage before it: an unreadable one is made again.
            logger.warning("%s of %s %s is unreadable: %s", name, self.kind, self.key, error)
            return None

    def _write(self, name: str, record: Record, before: Record | None) -> StageOutcome:
        if record == before:
            return StageOutcome(changed=False, reason="same result")
        write_atomic(self.folder / name, record.model_dump_json().encode())
        return StageOutcome(changed=True, reason="new" if before is None else "changed")


def files_digest(sources: Iterable[DocumentSource]) -> str:
    """Fingerprint of files and of what the manifest says about them."""
    return fingerprint([source.model_dump(mode="json") for source in sources])


def parse_input(acquired: AcquiredRecord) -> str:
    """Fingerprint of everything that decides what parsing gives."""
    parsers = sorted({parser_version(source.format) for source in acquired.sources})
    failed = [failure.model_dump() for failure in acquired.failures]
    return fingerprint(acquired.digest, parsers, failed)


def _kept(
    before: ParsedRecord | None,
    acquired: AcquiredRecord,
    failures: Sequence[Failure],
    documents: Sequence[Document],
) -> list[Document]:
    """Documents of last good versions, kept while anything of the partition fails.

    Not kept: what was parsed again, what a file that is still there and good has replaced, and
    what its source, asked with success, lists no more: a withdrawn label must not be quoted.
    """
    if before is None or all(failure.code == WITHDRAWN for failure in failures):
        return []
    failed = {failure.file for failure in failures}
    good = {source.file.name for source in acquired.sources} - failed
    have = {document.id for document in documents}
    return [d for d in before.documents if d.id not in have and d.file.name not in good]


def _failure(stage: Stage, file: str, error: ClinragError, transient: bool = False) -> Failure:
    code = error.code if isinstance(error, DocumentError) else type(error).__name__
    return Failure(stage=stage, file=file, code=code, reason=str(error), transient=transient)
