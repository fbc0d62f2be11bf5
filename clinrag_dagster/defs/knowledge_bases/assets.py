"""Per knowledge base: corpus, embeddings, candidate; from one factory.

The corpus digest is the DataVersion: staleness over a per-document fan-in stops at 100 partitions
in Dagster, a digest does not. A candidate is only ever read by its checks and by the evaluation;
the engine reads releases.
"""

import logging

import dagster as dg

from clinrag_core.index.knowledge_base import read_manifest
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_dagster.defs.documents.assets import NAMES
from clinrag_dagster.metadata import OWNERS, table
from clinrag_dagster.partitions import PARTITIONS
from clinrag_dagster.profile import knowledge_base_names
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "knowledge_bases"
GPU_POOL = "gpu"


def _corpus_check(pipeline: Pipeline, kind: DocumentKind) -> dg.AssetCheckResult:
    corpus = pipeline.corpus(kind)
    wanted = len(pipeline.keys(kind))
    admissible = wanted - sum("is not admitted" in reason for reason in corpus.left_out.values())
    passed = corpus.chunks > 0 or admissible == 0
    return dg.AssetCheckResult(
        check_name="corpus_not_empty",
        passed=passed,
        description=f"{len(corpus.entries)} of {wanted} partitions, {corpus.chunks} chunks",
        metadata={"partitions": len(corpus.entries), "left_out": len(corpus.left_out)},
    )


def _quarantine_check(pipeline: Pipeline, kind: DocumentKind) -> dg.AssetCheckResult:
    corpus = pipeline.corpus(kind)
    lost = {k: r for k, r in corpus.left_out.items() if "is not admitted" not in r}
    held = sum(entry.quarantined for entry in corpus.entries)
    rows = [{"partition": key, "reason": reason} for key, reason in sorted(lost.items())]
    return dg.AssetCheckResult(
        check_name="nothing_lost",
        passed=not lost and held == 0,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{len(lost)} partition(s) without a document, {held} file(s) in quarantine",
        metadata={"lost": len(lost), "quarantined": held, "left_out": table(rows)},
    )


def _corpus_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    name = f"{base}_corpus"
    chunks = NAMES[kind][2]

    @dg.asset(
        name=name,
        deps=[dg.AssetDep(chunks, partition_mapping=dg.AllPartitionMapping())],
        description=f"Which {PARTITIONS[kind].name} partitions {base} is built from.",
        group_name=GROUP,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[
            dg.AssetCheckSpec("corpus_not_empty", asset=name, blocking=True),
            dg.AssetCheckSpec("nothing_lost", asset=name),
        ],
    )
    def corpus_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        pipeline = clinrag.pipeline()
        corpus = pipeline.corpus(kind)
        logger.info("%s: %d partitions, %d chunks", base, len(corpus.entries), corpus.chunks)
        rows = [{"partition": key, "reason": why} for key, why in sorted(corpus.left_out.items())]
        return dg.MaterializeResult(
            data_version=dg.DataVersion(corpus.digest),
            metadata={
                "partitions": len(corpus.entries),
                "documents": sum(entry.documents for entry in corpus.entries),
                "chunks": corpus.chunks,
                "words": sum(entry.words for entry in corpus.entries),
                "corpus_digest": corpus.digest,
                "left_out": table(rows),
            },
            check_results=[_corpus_check(pipeline, kind), _quarantine_check(pipeline, kind)],
        )

    return corpus_asset


def _embeddings_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    name = f"{base}_embeddings"

    @dg.asset(
        name=name,
        deps=[f"{base}_corpus"],
        description=f"Vectors of every passage of {base}, in the content-addressed cache.",
        group_name=GROUP,
        kinds={"numpy", "pytorch"},
        owners=OWNERS,
        code_version="1",
        pool=GPU_POOL,
        tags={"clinrag/memory": "high"},
        check_specs=[dg.AssetCheckSpec("vectors_sound", asset=name, blocking=True)],
    )
    def embeddings_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        pipeline = clinrag.pipeline()

        def report(done: int, total: int) -> None:
            logger.info("%s: embedded %d of %d chunks", base, done, total)

        embedded = pipeline.embed(kind, report)
        logger.info("%s: %d embedded, %d reused", base, embedded.encoded, embedded.reused)
        problem = pipeline.vector_problem(kind)
        return dg.MaterializeResult(
            data_version=dg.DataVersion(
                f"{pipeline.encoder_fingerprint}-{pipeline.corpus(kind).digest}"
            ),
            metadata={
                "embedded": embedded.encoded,
                "reused": embedded.reused,
                "truncated": embedded.truncated,
                "encoder": pipeline.settings.encoder.name,
                "encoder_fingerprint": pipeline.encoder_fingerprint,
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="vectors_sound",
                    passed=problem is None,
                    description=problem or "one finite vector of norm 1 per passage",
                )
            ],
        )

    return embeddings_asset


def _candidate_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=f"{base}_candidate",
        deps=[f"{base}_embeddings"],
        description=f"{base} with its FAISS and BM25 indexes, built aside; not served.",
        group_name=GROUP,
        kinds={"faiss"},
        owners=OWNERS,
        code_version="1",
    )
    def candidate_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        directory = clinrag.pipeline().candidate(kind)
        manifest = read_manifest(directory)
        logger.info("%s: candidate %s with %d chunks", base, manifest.fingerprint, manifest.chunks)
        size = sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
        return dg.MaterializeResult(
            data_version=dg.DataVersion(manifest.fingerprint),
            metadata={
                "dagster/row_count": manifest.chunks,
                "documents": manifest.documents,
                "bytes": size,
                "fingerprint": manifest.fingerprint,
                "corpus_digest": manifest.corpus_digest,
                "encoder_fingerprint": manifest.encoder,
                "chunker_fingerprint": manifest.chunker,
            },
        )

    return candidate_asset


@dg.definitions
def knowledge_bases() -> dg.Definitions:
    """Return the three assets of each knowledge base of the profile."""
    return dg.Definitions(
        assets=[
            make(kind, base)
            for kind, base in knowledge_base_names().items()
            for make in (_corpus_asset, _embeddings_asset, _candidate_asset)
        ]
    )
