"""The corpus of a knowledge base: which partitions' chunks go into it, by shard, with one digest.

What later stages read is read by shard, so that they cost what has changed.
"""

from __future__ import annotations

import json
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import MissingInputError, StaleInputError, WorkspaceError
from clinrag_core.garbage import many_objects
from clinrag_core.index.chunk_table import STATEMENT_SCHEMA, concatenate
from clinrag_core.index.shards import PARTITIONS_PER_SHARD, in_shards, shard_count
from clinrag_core.index.statements import statement_texts
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.ledger import PartitionState
from clinrag_core.workspace import file_digest, fingerprint, read_json, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.partition import Partition
    from clinrag_core.pipeline.pipeline import Pipeline

CORPUS_FORMAT = "corpus/2"
"""Another where a corpus is made from states in another way."""
MADE_FROM = "made_from.json"
OTHER = "other"
"""Topic of test material and of superseded publications."""


class CorpusEntry(Record):
    """One partition's share of a corpus."""

    key: str
    digest: str
    documents: int
    chunks: int
    statements: int
    words: int
    quarantined: int
    without: tuple[str, ...] = ()
    """Documents that another partition of the corpus has as well, and gives."""


class CorpusShard(Record):
    """One shard of a corpus; its entries are stored under its digest."""

    digest: str
    partitions: int
    chunks: int
    statements: int


class Corpus(Record):
    """The partitions of a knowledge base; `digest` changes when any admitted chunk does."""

    kind: DocumentKind
    digest: str
    partitions: int
    documents: int
    chunks: int
    words: int
    quarantined: int
    shards: tuple[CorpusShard, ...]
    left_out: dict[str, str]
    """Partition key to reason."""

    @property
    def passages(self) -> int:
        """Chunks and statements of all partitions: what has a vector."""
        return sum(shard.chunks + shard.statements for shard in self.shards)


class _ShardEntries(Record):
    """What is stored of one shard."""

    entries: tuple[CorpusEntry, ...]


def make_corpus(pipeline: Pipeline, kind: DocumentKind) -> Corpus:
    """Store which partitions a knowledge base is built from.

    Guidelines are admitted by topic; labels always. A partition without a document is left out with
    its reason, so that no document disappears silently. Partitions that left the manifest are not
    read.
    """
    settings, ledger = pipeline.settings.corpus, pipeline.ledger(kind)
    states = ledger.states()
    digest = sha256_hex("\n".join((*ledger.keys, *states)).encode())
    made_from = fingerprint(CORPUS_FORMAT, PARTITIONS_PER_SHARD, settings.topics, digest)
    if (made := _made_before(pipeline, kind, made_from)) is not None:
        return made
    with many_objects():
        return _make_corpus(pipeline, kind, states, made_from)


def _make_corpus(
    pipeline: Pipeline, kind: DocumentKind, states: Sequence[str], made_from: str
) -> Corpus:
    """Store the corpus of these states, in order of the ledger's keys."""
    settings, ledger = pipeline.settings.corpus, pipeline.ledger(kind)
    admitted: dict[str, PartitionState] = {}
    without: dict[str, tuple[str, ...]] = {}
    left_out: dict[str, str] = {}
    given: set[str] = set()
    every = json.loads(f"[{','.join(states)}]")
    for key, state in zip(ledger.keys, starmap(PartitionState, every), strict=True):
        if not state.documents:
            codes = sorted(set(state.failures))
            left_out[key] = f"quarantined: {', '.join(codes) or 'no document'}"
        elif kind == "guideline" and not is_admitted(state.topics, settings.topics):
            left_out[key] = f"topic {', '.join(state.topics) or '(none)'} is not admitted"
        else:
            admitted[key] = state
            if not given.isdisjoint(state.document_ids):
                without[key] = tuple(name for name in state.document_ids if name in given)
            given.update(state.document_ids)
    shards = _stored_shards(pipeline, kind, admitted, without)
    states_of = admitted.values()
    corpus = Corpus(
        kind=kind,
        digest=fingerprint(kind, [shard.digest for shard in shards]),
        partitions=len(admitted),
        documents=sum(state.documents for state in states_of),
        chunks=sum(state.chunks for state in states_of),
        words=sum(state.words for state in states_of),
        quarantined=sum(len(state.failures) for state in states_of),
        shards=shards,
        left_out=left_out,
    )
    kept = pipeline.corpus(kind).keep((), corpus.model_dump(mode="json"), lambda: corpus)
    record = {"made_from": made_from, "output": file_digest(pipeline.corpus(kind).path)}
    write_json(pipeline.corpus_folder(kind) / MADE_FROM, record)
    return kept


def _made_before(pipeline: Pipeline, kind: DocumentKind, made_from: str) -> Corpus | None:
    """Return the stored corpus if it was made from these states and is as it was written."""
    path = pipeline.corpus(kind).path
    try:
        record = read_json(pipeline.corpus_folder(kind) / MADE_FROM)
        if record == {"made_from": made_from, "output": file_digest(path)}:
            return stored_corpus(pipeline, kind).value
    except (MissingInputError, WorkspaceError, OSError):
        pass  # never made, or a part of it is gone: it is made again
    return None


def _entry(key: str, state: PartitionState, without: tuple[str, ...]) -> CorpusEntry:
    """Return the share of a partition."""
    return CorpusEntry(
        key=key,
        digest=state.digest,
        documents=state.documents,
        chunks=state.chunks,
        statements=state.statements,
        words=state.words,
        quarantined=len(state.failures),
        without=without,
    )


def _stored_shards(
    pipeline: Pipeline,
    kind: DocumentKind,
    admitted: Mapping[str, PartitionState],
    without: Mapping[str, tuple[str, ...]],
) -> tuple[CorpusShard, ...]:
    """Return the shards of a corpus, the entries of each stored.

    Args:
        pipeline: has the folder of the entries.
        kind: of the partitions.
        admitted: the partitions that are part of the corpus, in order.
        without: the documents of a partition that one before it gives.
    """
    folder = pipeline.corpus_folder(kind)
    shards: list[CorpusShard] = []
    for keys in in_shards(admitted, shard_count(len(admitted))):
        own = [(key, admitted[key], without.get(key, ())) for key in keys]
        digest = fingerprint([[key, state.digest, *repeated] for key, state, repeated in own])
        path = folder / f"{digest}.json"
        if not path.is_file():
            entries = tuple(starmap(_entry, own))
            write_json(path, _ShardEntries(entries=entries).model_dump(mode="json"))
        shard = CorpusShard(
            digest=digest,
            partitions=len(own),
            chunks=sum([state.chunks for _, state, _ in own]),
            statements=sum([state.statements for _, state, _ in own]),
        )
        shards.append(shard)
    return tuple(shards)


def is_admitted(topics: Sequence[str], admitted: Sequence[str]) -> bool:
    """Return True if a guideline of these topics is indexed; no topic admits all but 'other'."""
    if not admitted:
        return OTHER not in topics
    return not set(admitted).isdisjoint(topics)


def stored_corpus(pipeline: Pipeline, kind: DocumentKind) -> Given[Corpus]:
    """The stored corpus, with the entries of each of its shards.

    Raises:
        MissingInputError: it or the entries of a shard are absent.
    """
    given, folder = pipeline.corpus(kind).read(), pipeline.corpus_folder(kind)
    for shard in given.value.shards:
        if not (folder / f"{shard.digest}.json").is_file():
            path = f"outputs/{folder.name}/{shard.digest}.json"
            raise MissingInputError(path, given.stage)
    return given


def read_corpus(pipeline: Pipeline, kind: DocumentKind) -> Given[Corpus]:
    """The stored corpus, whose partitions all have their chunks.

    Raises:
        MissingInputError: it, the entries of a shard or a partition's chunks are absent.
    """
    given = stored_corpus(pipeline, kind)
    for key in pipeline.ledger(kind).without_chunks():
        if key not in given.value.left_out:
            pipeline.partition(kind, key).require_chunks()
    return given


class Share(NamedTuple):
    """A partition and its chunks and statements that are in a corpus."""

    partition: Partition
    table: pa.Table
    statements: pa.Table


def shard_entries(pipeline: Pipeline, kind: DocumentKind, digest: str) -> tuple[CorpusEntry, ...]:
    """The partitions of a shard of this corpus or of one before it.

    Raises:
        MissingInputError: they are not stored, or no more.
    """
    name = f"{pipeline.knowledge_base_name(kind)}_corpus"
    path = pipeline.corpus_folder(kind) / f"{digest}.json"
    try:
        return _ShardEntries.model_validate_json(path.read_bytes()).entries
    except (OSError, ValidationError) as error:
        raise MissingInputError(f"outputs/{name}/{path.name}", name) from error


def shard_shares(
    pipeline: Pipeline,
    kind: DocumentKind,
    digest: str,
    leave_out: Collection[CorpusEntry] = (),
) -> list[Share]:
    """The chunks and statements of a shard of the stored corpus by partition, in order.

    Raises:
        MissingInputError: the list of the shard or a partition's chunks are absent.
        StaleInputError: a partition was chunked again after the corpus was stored.
    """
    shares: list[Share] = []
    for entry in shard_entries(pipeline, kind, digest):
        if entry in leave_out:
            continue
        partition = pipeline.partition(kind, entry.key)
        partition.require_chunks()
        chunked = partition.chunked()
        if chunked is None or chunked.digest != entry.digest:
            name = pipeline.corpus(kind).stage
            raise StaleInputError(f"{kind} {entry.key} was chunked again: materialize {name} first")
        table, statements = partition.chunks(), partition.statements()
        if entry.without:
            repeated = set(entry.without)
            table, statements = _without(table, repeated), _without(statements, repeated)
        shares.append(Share(partition, table, statements))
    return shares


def corpus_table(shares: Sequence[Share]) -> pa.Table:
    """All chunks of some partitions as one table."""
    return concatenate([share.table for share in shares])


def statement_table(shares: Sequence[Share]) -> pa.Table:
    """All statements of some partitions as one table."""
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
