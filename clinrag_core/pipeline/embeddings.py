"""The embeddings stage: vectors of every passage and statement of a corpus in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.encode.embed import Embedded, embed_passages
from clinrag_core.encode.vector_cache import passage_key
from clinrag_core.errors import IndexBuildError, MissingInputError
from clinrag_core.index.dense import check_vectors
from clinrag_core.model.base import Record
from clinrag_core.pipeline.corpus import (
    CorpusEntry,
    corpus_table,
    passages_of,
    read_corpus,
    shard_entries,
    shard_shares,
    statement_passages,
    statement_table,
)
from clinrag_core.pipeline.encode_work import embed_shards

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clinrag_core.encode.protocol import Passage
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline


class Embeddings(Record):
    """Which corpus has all its vectors in the cache of which encoder."""

    encoder: str
    corpus_digest: str
    passages: int
    shards: tuple[str, ...]
    """Digests of the shards of the corpus, the vectors of all of which were checked."""


class EmbeddingsMade(NamedTuple):
    """The stored record, and what it cost this time."""

    record: Embeddings
    cost: Embedded


def make_embeddings(
    pipeline: Pipeline,
    kind: DocumentKind,
    on_progress: Callable[[int, int], None] | None = None,
) -> EmbeddingsMade:
    """Encode the passages and statements of the stored corpus that the cache lacks.

    Every vector is checked.

    Raises:
        MissingInputError: the corpus or a partition's chunks are absent.
        IndexBuildError: a vector is missing, not finite or not of norm 1.
    """
    corpus = read_corpus(pipeline, kind)
    encoder = pipeline.models.encoder_fingerprint
    cost = Embedded(0, corpus.value.chunks, 0)

    def make() -> Embeddings:
        """Encode the missing passages, and check the vectors of partitions that were not before."""
        nonlocal cost
        done = _checked_before(pipeline, kind, encoder)
        wanted = [shard.digest for shard in corpus.value.shards if shard.digest not in done]
        gone = done.difference(shard.digest for shard in corpus.value.shards)
        known = _entries(pipeline, kind, gone) if wanted else frozenset[CorpusEntry]()
        costs = [Embedded(0, 0, 0)]
        if pipeline.settings.executor.kind != "local":
            passages = (_passages(pipeline, kind, digest, known) for digest in wanted)
            costs.append(embed_shards(pipeline, passages, on_progress))
        checked = 0
        for digest in wanted:
            passages = _passages(pipeline, kind, digest, known)
            checked += len(passages)
            if pipeline.settings.executor.kind == "local":
                costs.append(_embed(pipeline, passages, on_progress))
            _check(pipeline, kind, passages)
        costs.append(Embedded(0, corpus.value.passages - checked, 0))
        cost = Embedded(*map(sum, zip(*costs, strict=True)))
        return Embeddings(
            encoder=encoder,
            corpus_digest=corpus.value.digest,
            passages=corpus.value.passages,
            shards=tuple(shard.digest for shard in corpus.value.shards),
        )

    cached = (pipeline.workspace.vectors / encoder).is_dir()
    record = pipeline.embeddings(kind).keep((corpus,), encoder, make, reuse=cached)
    return EmbeddingsMade(record, cost)


def _checked_before(pipeline: Pipeline, kind: DocumentKind, encoder: str) -> frozenset[str]:
    """Return the shards whose vectors this encoder has put into the cache that is still there."""
    try:
        before = pipeline.embeddings(kind).read().value
    except MissingInputError:
        return frozenset()
    there = before.encoder == encoder and (pipeline.workspace.vectors / encoder).is_dir()
    return frozenset(before.shards if there else ())


def _entries(
    pipeline: Pipeline, kind: DocumentKind, shards: Iterable[str]
) -> frozenset[CorpusEntry]:
    """Return the partitions of some shards of an earlier corpus, as far as they are stored."""
    found: set[CorpusEntry] = set()
    for digest in shards:
        try:
            found.update(shard_entries(pipeline, kind, digest))
        except MissingInputError:
            continue  # its partitions are checked again
    return frozenset(found)


def _passages(
    pipeline: Pipeline, kind: DocumentKind, digest: str, known: Collection[CorpusEntry]
) -> list[Passage]:
    """Return what the encoder reads of the passages and statements of a shard.

    Partitions that are `known` are left out.
    """
    shares = shard_shares(pipeline, kind, digest, known)
    return passages_of(corpus_table(shares)) + statement_passages(statement_table(shares))


def _embed(
    pipeline: Pipeline,
    passages: Sequence[Passage],
    on_progress: Callable[[int, int], None] | None,
) -> Embedded:
    """Encode in this process what the cache lacks."""
    return embed_passages(passages, pipeline.vectors, lambda: pipeline.models.encoder, on_progress)


def _check(pipeline: Pipeline, kind: DocumentKind, passages: Sequence[Passage]) -> None:
    """Check that every passage has a sound vector."""
    try:
        vectors = pipeline.vectors.get([passage_key(passage) for passage in passages])
    except KeyError as error:
        name = pipeline.knowledge_base_name(kind)
        raise IndexBuildError(f"{name}: a passage has no vector") from error
    normalised = pipeline.settings.encoder.similarity == "cosine"
    check_vectors(vectors, len(passages), normalised=normalised)
