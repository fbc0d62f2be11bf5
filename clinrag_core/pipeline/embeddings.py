"""The embeddings stage: vectors of every passage and statement of a corpus in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.encode.embed import Embedded, embed_passages
from clinrag_core.encode.vector_cache import passage_key
from clinrag_core.errors import IndexBuildError
from clinrag_core.index.dense import check_vectors
from clinrag_core.model.base import Record
from clinrag_core.pipeline.corpus import (
    corpus_shares,
    corpus_table,
    passages_of,
    read_corpus,
    statement_passages,
    statement_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline


class Embeddings(Record):
    """Which corpus has all its vectors in the cache of which encoder."""

    encoder: str
    corpus_digest: str
    passages: int


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
        """Encode the missing passages and check the vectors of all."""
        nonlocal cost
        shares = corpus_shares(pipeline, corpus.value)
        passages = passages_of(corpus_table(shares))
        passages += statement_passages(statement_table(shares))
        cache = pipeline.vectors
        cost = embed_passages(passages, cache, lambda: pipeline.models.encoder, on_progress)
        try:
            vectors = cache.get([passage_key(passage) for passage in passages])
        except KeyError as error:
            name = pipeline.knowledge_base_name(kind)
            raise IndexBuildError(f"{name}: a passage has no vector") from error
        normalised = pipeline.settings.encoder.similarity == "cosine"
        check_vectors(vectors, len(passages), normalised=normalised)
        return Embeddings(
            encoder=encoder, corpus_digest=corpus.value.digest, passages=len(passages)
        )

    record = pipeline.embeddings(kind).keep((corpus,), encoder, make)
    return EmbeddingsMade(record, cost)
