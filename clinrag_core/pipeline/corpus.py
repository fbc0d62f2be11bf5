"""The corpus of a knowledge base: which partitions' chunks go into it, with one digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import StaleInputError
from clinrag_core.index.chunk_table import STATEMENT_SCHEMA, concatenate
from clinrag_core.index.statements import statement_texts
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.partition import CHUNKED, Partition
from clinrag_core.pipeline.stages import CHUNKS
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.pipeline import Pipeline

OTHER = "other"
"""Topic of test material and of superseded publications."""


class CorpusEntry(Record):
    """One partition's share of a corpus."""

    key: str
    digest: str
    documents: int
    chunks: int
    words: int
    quarantined: int


class Corpus(Record):
    """The partitions of a knowledge base; `digest` changes when any admitted chunk does."""

    kind: DocumentKind
    digest: str
    entries: tuple[CorpusEntry, ...]
    left_out: dict[str, str]
    """Partition key to reason."""

    @property
    def chunks(self) -> int:
        """Chunks of all partitions."""
        return sum(entry.chunks for entry in self.entries)

    @property
    def documents(self) -> int:
        """Documents of all partitions."""
        return sum(entry.documents for entry in self.entries)


def make_corpus(pipeline: Pipeline, kind: DocumentKind) -> Corpus:
    """Store which partitions a knowledge base is built from.

    Guidelines are admitted by topic; labels always. A partition without a document is left out with
    its reason, so that no document disappears silently. Partitions that left the manifest are not
    read.
    """
    settings = pipeline.settings.corpus
    entries: list[CorpusEntry] = []
    left_out: dict[str, str] = {}
    for key in pipeline.keys(kind):
        partition = pipeline.partition(kind, key)
        partition.require_chunks()
        chunked = partition.chunked()
        if chunked is None:
            raise partition.missing(CHUNKED, CHUNKS[kind])
        if not chunked.documents:
            codes = sorted(set(chunked.failures))
            left_out[key] = f"quarantined: {', '.join(codes) or 'no document'}"
        elif kind == "guideline" and not is_admitted(chunked.topics, settings.topics):
            left_out[key] = f"topic {', '.join(chunked.topics) or '(none)'} is not admitted"
        else:
            entries.append(
                CorpusEntry(
                    key=key,
                    digest=chunked.digest,
                    documents=chunked.documents,
                    chunks=chunked.chunks,
                    words=chunked.words,
                    quarantined=len(chunked.failures),
                )
            )
    digest = fingerprint(kind, [[entry.key, entry.digest] for entry in entries])
    corpus = Corpus(kind=kind, digest=digest, entries=tuple(entries), left_out=left_out)
    return pipeline.corpus(kind).keep((), corpus.model_dump(mode="json"), lambda: corpus)


def is_admitted(topics: Sequence[str], admitted: Sequence[str]) -> bool:
    """Return True if a guideline of these topics is indexed; no topic admits all but 'other'."""
    if not admitted:
        return OTHER not in topics
    return not set(admitted).isdisjoint(topics)


def read_corpus(pipeline: Pipeline, kind: DocumentKind) -> Given[Corpus]:
    """The stored corpus, whose partitions all have their chunks."""
    given = pipeline.corpus(kind).read()
    for entry in given.value.entries:
        pipeline.partition(kind, entry.key).require_chunks()
    return given


class Share(NamedTuple):
    """A partition and its chunks and statements that are in a corpus."""

    partition: Partition
    table: pa.Table
    statements: pa.Table


def corpus_shares(pipeline: Pipeline, corpus: Corpus) -> list[Share]:
    """The chunks and statements of a corpus by partition, in order.

    A document in two partitions is taken once.

    Raises:
        MissingInputError: a partition's chunks are absent.
        StaleInputError: a partition was chunked again after the corpus was stored.
    """
    seen: set[str] = set()
    shares: list[Share] = []
    for entry in corpus.entries:
        partition = pipeline.partition(corpus.kind, entry.key)
        table = partition.chunks()
        chunked = partition.chunked()
        if chunked is None or chunked.digest != entry.digest:
            name = f"{pipeline.knowledge_base_name(corpus.kind)}_corpus"
            raise StaleInputError(
                f"{corpus.kind} {entry.key} was chunked again: materialize {name} first"
            )
        statements = partition.statements()
        documents = set(table.column("document_id").to_pylist())
        if repeated := documents & seen:
            table, statements = _without(table, repeated), _without(statements, repeated)
        seen |= documents
        shares.append(Share(partition, table, statements))
    return shares


def corpus_table(shares: Sequence[Share]) -> pa.Table:
    """All chunks of a corpus as one table."""
    return concatenate([share.table for share in shares])


def statement_table(shares: Sequence[Share]) -> pa.Table:
    """All statements of a corpus as one table."""
    return concatenate([share.statements for share in shares], STATEMENT_SCHEMA)


def _without(table: pa.Table, documents: set[str]) -> pa.Table:
    """Return a table without the rows of some documents."""
    mask = pc.is_in(table.column("document_id"), pa.array(sorted(documents)))  # pyright: ignore[reportAttributeAccessIssue] - generated at import
    return table.filter(pc.invert(mask))  # pyright: ignore[reportAttributeAccessIssue] - generated at import


def statement_passages(table: pa.Table) -> list[Passage]:
    """What the encoders read of each statement."""
    return [Passage(title, text) for title, text in statement_texts(table)]


def passages_of(table: pa.Table) -> list[Passage]:
    """What the encoders read of each chunk."""
    titles, texts = table.column("embed_title").to_pylist(), table.column("embed_text").to_pylist()
    return [Passage(title, text) for title, text in zip(titles, texts, strict=True)]
