"""The corpus of a knowledge base: which partitions' chunks go into it, with one digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from clinrag_core.index.chunk_table import concatenate
from clinrag_core.model.base import Record
from clinrag_core.pipeline.partition import Partition
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.source import DocumentKind
    from clinrag_core.workspace import Workspace


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

    kind: str
    digest: str
    entries: tuple[CorpusEntry, ...]
    left_out: dict[str, str]
    """Partition key to reason."""

    @property
    def chunks(self) -> int:
        """Chunks of all partitions."""
        return sum(entry.chunks for entry in self.entries)


def gather_corpus(
    workspace: Workspace, kind: DocumentKind, keys: Sequence[str], topics: Sequence[str]
) -> Corpus:
    """Collect the partitions that a knowledge base is built from.

    Guidelines are admitted by topic; labels always. A partition that has nothing to show is left
    out with its reason, so that no document disappears silently.

    Args:
        workspace: where partitions lie.
        kind: guideline or label.
        keys: the partitions of the current manifest; retired ones are not among them.
        topics: topics admitted.
    """
    entries: list[CorpusEntry] = []
    left_out: dict[str, str] = {}
    for key in sorted(keys):
        partition = Partition(workspace, kind, key)
        parsed, chunked = partition.summary(), partition.chunked()
        if parsed is None or chunked is None:
            left_out[key] = "not built yet"
        elif not parsed.documents:
            codes = sorted(set(parsed.failures))
            left_out[key] = f"quarantined: {', '.join(codes) or 'no document'}"
        elif kind == "guideline" and not set(parsed.topics) & set(topics):
            left_out[key] = f"topic {', '.join(parsed.topics)} is not admitted"
        else:
            entries.append(
                CorpusEntry(
                    key=key,
                    digest=chunked.digest,
                    documents=chunked.documents,
                    chunks=chunked.chunks,
                    words=parsed.words,
                    quarantined=len(parsed.failures),
                )
            )
    digest = fingerprint(kind, [[entry.key, entry.digest] for entry in entries])
    return Corpus(kind=kind, digest=digest, entries=tuple(entries), left_out=left_out)


class Share(NamedTuple):
    """A partition and its chunks that are in a corpus."""

    partition: Partition
    table: pa.Table


def corpus_shares(workspace: Workspace, kind: DocumentKind, corpus: Corpus) -> list[Share]:
    """The chunks of a corpus by partition, in order; a document held twice is taken once."""
    seen: set[str] = set()
    shares: list[Share] = []
    for entry in corpus.entries:
        partition = Partition(workspace, kind, entry.key)
        table = partition.chunks()
        documents = set(table.column("document_id").to_pylist())
        if repeated := documents & seen:
            mask = pc.is_in(table.column("document_id"), pa.array(sorted(repeated)))  # pyright: ignore[reportAttributeAccessIssue] - generated at import
            table = table.filter(pc.invert(mask))  # pyright: ignore[reportAttributeAccessIssue] - generated at import
        seen |= documents
        shares.append(Share(partition, table))
    return shares


def corpus_table(shares: Sequence[Share]) -> pa.Table:
    """All chunks of a corpus as one table."""
    return concatenate([share.table for share in shares])
