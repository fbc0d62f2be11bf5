"""The candidate stage: a knowledge base with its indexes, built but not served."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.encode.onnx_query import export_problem, export_query_encoder
from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.encode.vector_cache import passage_key
from clinrag_core.errors import MissingInputError, StaleInputError
from clinrag_core.index.build import Recipe, join_shards
from clinrag_core.index.integrity import SeenFiles
from clinrag_core.index.knowledge_base import read_manifest
from clinrag_core.index.shard_files import ShardParts
from clinrag_core.index.sparse import SparseIndex
from clinrag_core.index.statements import StatementParts
from clinrag_core.lexicon.concepts.open import open_recogniser
from clinrag_core.pipeline.corpus import (
    corpus_table,
    passages_of,
    read_corpus,
    shard_shares,
    statement_passages,
    statement_table,
)
from clinrag_core.pipeline.scope import candidate_scope
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.pipeline.term_counts import passage_counts, statement_counts
from clinrag_core.retrieve.open import open_candidates

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.answer.thresholds import Calibration
    from clinrag_core.index.knowledge_base import KnowledgeBaseManifest
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.outputs import Given
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.retrieve.engine import SearchEngine


def make_candidate(pipeline: Pipeline, kind: DocumentKind) -> KnowledgeBaseManifest:
    """Build the knowledge base of the stored corpus from cached vectors, unless it exists.

    Raises:
        MissingInputError: the corpus, its chunks or its embeddings are absent.
        StaleInputError: the embeddings are of another corpus or encoder.
    """
    corpus, embeddings = read_corpus(pipeline, kind), pipeline.embeddings(kind).read()
    models = pipeline.models
    wanted = (models.encoder_fingerprint, corpus.value.digest)
    if (embeddings.value.encoder, embeddings.value.corpus_digest) != wanted:
        raise StaleInputError(
            f"the embeddings are of another corpus or encoder: materialize {embeddings.stage} first"
        )
    settings = pipeline.settings
    sparse = SpladeEncoder(settings.sparse) if settings.sparse.name else None
    concepts = settings.concepts
    recogniser = (
        open_recogniser(concepts.thesauri, pipeline.workspace.thesauri)
        if concepts.enabled
        else None
    )
    recipe = Recipe(
        kind=kind,
        encoder_name=settings.encoder.name,
        encoder=models.encoder_fingerprint,
        similarity=settings.encoder.similarity,
        chunker=models.chunker_fingerprint,
        corpus_digest=corpus.value.digest,
        bm25=settings.bm25,
        sparse=sparse.fingerprint if sparse is not None else None,
        concepts=recogniser,
    )
    folder = pipeline.workspace.knowledge_bases / recipe.name

    def make() -> KnowledgeBaseManifest:
        """Build the knowledge base; shards that are there already are taken."""
        shards = {
            recipe.shard_name(shard.digest): partial(_parts, pipeline, kind, shard.digest, sparse)
            for shard in corpus.value.shards
        }
        return read_manifest(join_shards(recipe, shards, folder))

    encoder = models.encoder_fingerprint
    # Hashing an export takes longer than all else of a run that finds nothing to do.
    seen = SeenFiles(pipeline.workspace.cache / "models" / f"{encoder}.json")
    if export_problem(pipeline.workspace.models / encoder, seen.digests) is not None:
        export_query_encoder(models.encoder, pipeline.workspace.models)
    return pipeline.candidate(kind).keep(
        (corpus, embeddings),
        recipe.fingerprint,
        make,
        reuse=(folder / recipe.fingerprint).is_dir(),
        lineage=False,
    )


def _parts(
    pipeline: Pipeline, kind: DocumentKind, digest: str, sparse: SpladeEncoder | None
) -> ShardParts:
    """Return what a shard is written from: its tables, their vectors and their term counts."""
    shares = shard_shares(pipeline, kind, digest)
    table, said = corpus_table(shares), statement_table(shares)
    keys = [passage_key(passage) for passage in passages_of(table)]
    said_keys = [passage_key(passage) for passage in statement_passages(said)]
    try:
        vectors, said_vectors = pipeline.vectors.get(keys), pipeline.vectors.get(said_keys)
    except KeyError as error:
        path = f"vectors/{pipeline.models.encoder_fingerprint}"
        stage = pipeline.embeddings(kind).stage
        raise MissingInputError(path, stage, "lacks a vector") from error
    return ShardParts(
        chunks=table,
        vectors=vectors,
        statements=StatementParts(said, said_vectors, statement_counts(shares, said_keys)),
        counts=passage_counts(shares, keys),
        sparse=partial(_sparse_index, table, sparse) if sparse is not None else None,
    )


def read_candidates(pipeline: Pipeline) -> list[Given[KnowledgeBaseManifest]]:
    """The stored candidates, guidelines first."""
    given = [pipeline.candidate(kind).read() for kind in KINDS]
    for candidate in given:
        manifest = candidate.value
        if not candidate_directory(pipeline, manifest).is_dir():
            path = f"knowledge_bases/{manifest.name}/{manifest.fingerprint}"
            raise MissingInputError(path, candidate.stage)
    return given


def candidate_directory(pipeline: Pipeline, manifest: KnowledgeBaseManifest) -> Path:
    """Directory of a knowledge base that was built."""
    return pipeline.workspace.knowledge_bases / manifest.name / manifest.fingerprint


def candidate_engine(
    pipeline: Pipeline, candidates: list[Given[KnowledgeBaseManifest]]
) -> SearchEngine:
    """Search engine over candidates, with their scope."""
    manifests = [candidate.value for candidate in candidates]
    directories = {m.name: candidate_directory(pipeline, m) for m in manifests}
    engine = open_candidates(pipeline.settings, directories)
    engine.scope = candidate_scope(pipeline, candidates, engine)
    return engine


def answer_engine(
    pipeline: Pipeline, candidates: list[Given[KnowledgeBaseManifest]], thresholds: Calibration
) -> AnswerEngine:
    """Answer engine over candidates with their thresholds."""
    search = candidate_engine(pipeline, candidates)
    return AnswerEngine(search, pipeline.settings.answer, thresholds)


def _sparse_index(table: pa.Table, encoder: SpladeEncoder) -> SparseIndex:
    vectors = encoder.encode_documents(passages_of(table))
    ids = table.column("id").to_pylist()
    return SparseIndex.build(vectors, ids, encoder.vocabulary_size, encoder.fingerprint)
