"""What each stage of a partition leaves behind: its input's fingerprint, its output, its failures.

A partition is one guideline or one drug. A stage whose input fingerprint is unchanged is not run
again.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, Topic
from clinrag_core.pipeline.evidence import Equivalent
from clinrag_core.pipeline.version_order import AcceptedVersion

Stage = Literal["acquire", "parse", "chunk"]


class Failure(Record):
    """A file that cannot be used now, and why; it stays in quarantine until it can."""

    stage: Stage
    file: str
    code: str
    reason: str
    transient: bool = False
    """Whether a later run may succeed without anybody changing anything."""


class AcquiredRecord(Record):
    """The files of a partition."""

    corpus: str = Field(default="", description="name of the corpus; empty: of an older version")
    digest: str = Field(description="fingerprint of the files and what the manifest says of them")
    sources: tuple[DocumentSource, ...]
    failures: tuple[Failure, ...] = ()


class ParsedRecord(Record):
    """The documents of a partition.

    `documents` holds what is indexed. If a new file cannot be used or is older than what was
    accepted, the last good document stays and is named in `kept`.
    """

    corpus: str = Field(default="", description="name of the corpus; empty: of an older version")
    input: str
    digest: str
    documents: tuple[Document, ...]
    equivalents: tuple[Equivalent, ...] = ()
    failures: tuple[Failure, ...] = ()
    kept: tuple[str, ...] = ()
    accepted: tuple[AcceptedVersion, ...] = Field(
        default=(), description="highest version of every set id that was ever accepted"
    )


class ChunkedRecord(Record):
    """The chunks of a partition, whose table is stored next to this record.

    Also what freshness and the corpus need of the parsed documents, which are a hundred times the
    size of this.
    """

    input: str
    digest: str = Field(description="of the tables of chunks and statements")
    documents: int
    chunks: int
    statements: int
    tokens: int
    words: int
    topics: tuple[Topic, ...] = Field(description="of the first document")
    failures: tuple[str, ...] = Field(description="codes of the files in quarantine")
    uncut: tuple[Failure, ...] = Field(
        default=(), description="documents that could not be cut; each run tries them again"
    )
    problems: tuple[str, ...] = Field(
        default=(), description="broken invariants of the chunks; each run makes them again"
    )
    document_ids: tuple[str, ...] = Field(description="of the documents that have chunks")
    parse_input: str = Field(description="`input` of the parsed record it was made from")
    parse_digest: str = Field(description="`digest` of that record")
    parse_bytes: int = Field(description="size of that record's file: another size is a damage")
