"""One partition, from its files to its chunks: acquire, parse, chunk, each only when needed.

Holds the rules of incremental work and quarantine; the work itself is done by `acquire`, `parse`
and `chunk`. A stage raises MissingInputError if the record of the stage before it is absent.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import ValidationError

from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import (
    ClinragError,
    DocumentError,
    MissingInputError,
    NotListedError,
    RefusedDocumentError,
    WorkspaceError,
)
from clinrag_core.index.chunk_table import read_statement_table, read_table
from clinrag_core.model.base import Record
from clinrag_core.parse.child import parse_bounded
from clinrag_core.parse.registry import parser_version
from clinrag_core.pipeline.cut import (
    STATEMENTS,
    TABLE,
    Cut,
    cut_documents,
    tables_exist,
    write_pieces,
)
from clinrag_core.pipeline.evidence import choose_evidence
from clinrag_core.pipeline.journal import Journal
from clinrag_core.pipeline.records import (
    AcquiredRecord,
    ChunkedRecord,
    Failure,
    ParsedRecord,
    Stage,
)
from clinrag_core.pipeline.stages import CHUNKS, FILES, SECTIONS
from clinrag_core.pipeline.version_order import (
    OLDER,
    accepted_versions,
    in_version_order,
)
from clinrag_core.settings import OF_A_CORPUS
from clinrag_core.workspace import fingerprint, read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from clinrag_core.acquire.records import Acquired
    from clinrag_core.chunk.chunker import Chunker
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentKind, DocumentSource
    from clinrag_core.settings import ParseLimits
    from clinrag_core.workspace import Workspace

logger = logging.getLogger(__name__)
ACQUIRED = "acquired.json"
DOCUMENTS = "documents.json"
CHUNKED = "chunks.json"
CHUNK_FILES = (CHUNKED, TABLE, STATEMENTS)
WITHDRAWN = NotListedError.__name__
UNSOUND = ""
"""The input of chunks that lack a document or break a rule: like none, so they are made again."""
_R = TypeVar("_R", bound=Record)


class StageOutcome(NamedTuple):
    """Whether a stage did any work."""

    changed: bool
    reason: str


class Partition:
    """The files, documents and chunks of one guideline or one drug.

    Corpora of one workspace share the folder of a drug that both have; what one of them accepted
    is no evidence of the other.
    """

    def __init__(
        self, workspace: Workspace, kind: DocumentKind, key: str, corpus: str,
        limits: ParseLimits = OF_A_CORPUS,
    ) -> None:  # fmt: skip
        self._store = FileStore(workspace.files)
        self._corpus = corpus
        self._limits = limits
        self.kind: DocumentKind = kind
        self.key = key
        self.folder = workspace.partitions / kind / key
        self._journal = written_journal(workspace)

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

    def statements(self) -> pa.Table:
        """The statement table."""
        self.require_chunks()
        return read_statement_table(self.folder / STATEMENTS)

    def require_chunks(self) -> None:
        """Check that the chunk stage has stored its output."""
        for name in CHUNK_FILES:
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
        return MissingInputError(f"partitions/{self._name}/{name}", stage)

    @property
    def _name(self) -> str:
        """What the journal calls this partition."""
        return partition_name(self.kind, self.key)

    def record_acquired(self, acquired: Acquired) -> StageOutcome:
        """Store which files the partition now has."""
        sources = tuple(file.source for file in acquired.files)
        failures = tuple(
            _failure("acquire", f.entry, f.error, f.transient) for f in acquired.failures
        )
        record = AcquiredRecord(
            corpus=self._corpus, digest=files_digest(sources), sources=sources, failures=failures
        )
        return self._write(ACQUIRED, record, self.acquired())

    def parse(self) -> StageOutcome:
        """Parse the files unless they and the parsers are as before.

        A file that cannot be used is recorded with its reason, the others go on, and the last good
        document of that file stays. A label never goes back to an older version.
        """
        acquired = self.need_acquired()
        stored = self.parsed()
        wanted = parse_input(acquired)
        if stored is not None and stored.input == wanted:
            return StageOutcome(changed=False, reason="same files, same parsers")
        before = stored if stored is not None and stored.corpus in ("", self._corpus) else None
        documents, failures = self._parse_files(acquired)
        known = accepted_versions(before.documents, before.accepted) if before else ()
        ordered = in_version_order(documents, known, acquired.sources, self._read_file)
        kept = _kept(before, acquired, failures, ordered.documents)
        failures += [
            Failure(
                stage="parse", file=older.file, code=OLDER, reason=f"{older.file}: {older.reason}"
            )
            for older in ordered.refused
        ]
        choice = choose_evidence([*ordered.documents, *kept])
        record = ParsedRecord(
            corpus=self._corpus,
            input=wanted,
            digest=fingerprint([d.model_dump(mode="json") for d in choice.indexed]),
            documents=choice.indexed,
            equivalents=choice.equivalents,
            failures=tuple(failures),
            kept=(*ordered.kept, *(document.id for document in kept)),
            accepted=ordered.accepted,
        )
        return self._write(DOCUMENTS, record, stored)

    def _parse_files(self, acquired: AcquiredRecord) -> tuple[list[Document], list[Failure]]:
        """The documents of the files that can be used, and the failures of the others."""
        documents: list[Document] = []
        failures = list(acquired.failures)
        for source in acquired.sources:
            try:
                documents.append(self._read_file(source))
            except DocumentError as error:
                failures.append(_failure("parse", source.file.name, error))
                logger.warning("quarantined %s %s: %s", self.kind, self.key, error.code)
        return documents, failures

    def _read_file(self, source: DocumentSource) -> Document:
        """Parse a stored file.

        Raises:
            DocumentError: it cannot be used, or is not of the version that its entry pins.
            ChecksumError: the stored file is missing or damaged.
        """
        document = parse_bounded(self._store.read(source.file.sha256), source, self._limits)
        version = document.label.version if document.label else None
        if source.pinned_version not in (None, version):
            raise RefusedDocumentError(
                f"it is version {version}, its manifest entry has pinned_version = "
                f"{source.pinned_version}",
                code="not_pinned_version",
                file=source.file.name,
            )
        return document

    def chunk(self, chunker: Chunker, chunker_fingerprint: str) -> StageOutcome:
        """Cut the documents into chunks and statements unless all is as before.

        Where one cannot be cut, the chunks of the last good documents stay if there are any; else
        those of the others are stored. Either is tried again in the next run.
        """
        parsed = self.need_parsed()
        before = self.chunked()
        wanted = fingerprint(parsed.digest, chunker_fingerprint)
        codes = tuple(failure.code for failure in parsed.failures)
        uncut: tuple[Failure, ...] = ()
        problems: tuple[str, ...] = ()
        if before is not None and before.input == wanted and tables_exist(self.folder):
            cut = Cut(
                before.digest,
                before.chunks,
                before.statements,
                before.tokens,
                before.document_ids,
            )
        else:
            pieces = cut_documents(parsed.documents, chunker)
            uncut, problems = pieces.failures, pieces.problems
            if uncut and before is not None and before.documents and tables_exist(self.folder):
                codes = (*codes, *(failure.code for failure in uncut))
                kept = {"input": UNSOUND, "failures": codes, "uncut": uncut}
                return self._write(CHUNKED, before.model_copy(update=kept), before)
            with self._journal.writing(self._name):
                cut = write_pieces(pieces, self.folder)
        record = ChunkedRecord(
            input=UNSOUND if uncut or problems else wanted,
            digest=cut.digest,
            documents=len(parsed.documents) - len(uncut),
            chunks=cut.chunks,
            statements=cut.statements,
            tokens=cut.tokens,
            words=sum(document.words for document in parsed.documents),
            topics=parsed.documents[0].topics if parsed.documents else (),
            failures=(*codes, *(failure.code for failure in uncut)),
            uncut=uncut,
            problems=problems,
            document_ids=cut.document_ids,
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
            acquired.corpus == self._corpus
            and files_digest in (None, acquired.digest)
            and not acquired.failures
            and chunked.parse_input == parse_input(acquired)
            and chunked.input == fingerprint(chunked.parse_digest, chunker_fingerprint)
            and documents.is_file()
            and documents.stat().st_size == chunked.parse_bytes
            and tables_exist(self.folder)
        )

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
        with self._journal.writing(self._name):
            write_atomic(self.folder / name, record.model_dump_json().encode())
        return StageOutcome(changed=True, reason="new" if before is None else "changed")


def written_journal(workspace: Workspace) -> Journal:
    """The journal of what the stages write of partitions."""
    return Journal(workspace.partitions / "written")


def partition_name(kind: DocumentKind, key: str) -> str:
    """Return what that journal calls a partition."""
    return f"{kind}/{key}"


def files_digest(sources: Iterable[DocumentSource]) -> str:
    """Fingerprint of files and of what the manifest says about them."""
    return fingerprint([source.model_dump(mode="json") for source in sources])


def parse_input(acquired: AcquiredRecord) -> str:
    """Fingerprint of everything that decides what parsing gives."""
    parsers = sorted({parser_version(source.format) for source in acquired.sources})
    failed = [failure.model_dump() for failure in acquired.failures]
    return fingerprint(acquired.corpus, acquired.digest, parsers, failed)


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
