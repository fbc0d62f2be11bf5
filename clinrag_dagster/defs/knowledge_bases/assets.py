"""Per knowledge base: corpus, embeddings, candidate; from one factory.

The corpus digest is the data version: staleness over a per-document fan-in stops at 100 partitions
in Dagster, a digest does not. Only the checks and the evaluation read a candidate; the engine
reads releases.
"""

import logging

import dagster as dg

from clinrag_core.encode.torch_encoder import EncodingRun
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.candidates import candidate_directory, make_candidate
from clinrag_core.pipeline.corpus import Corpus, make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.stages import CHUNKS
from clinrag_dagster.metadata import OWNERS, counts, stored, table
from clinrag_dagster.partitions import PARTITIONS
from clinrag_dagster.profile import knowledge_base_names, stage_inputs
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
GROUP = "knowledge_bases"
GPU_POOL = "gpu"
NOT_ADMITTED = "is not admitted"


def _deps(name: str) -> list[dg.AssetDep]:
    """Return the inputs of a stage; all partitions of those that have any."""
    every = dg.AllPartitionMapping()
    return [
        dg.AssetDep(key, partition_mapping=every if key in CHUNKS.values() else None)
        for key in stage_inputs(name)
    ]


def _corpus_checks(corpus: Corpus) -> list[dg.AssetCheckResult]:
    """Return whether a corpus has passages, and whether a document is missing from it."""
    lost = {key: reason for key, reason in corpus.left_out.items() if NOT_ADMITTED not in reason}
    wanted = corpus.partitions + len(corpus.left_out)
    return [
        dg.AssetCheckResult(
            check_name="corpus_not_empty",
            passed=corpus.chunks > 0 or not (corpus.partitions or lost),
            description=f"{corpus.partitions} of {wanted} partitions, {corpus.chunks} chunks",
            metadata={"partitions": corpus.partitions, "left_out": len(corpus.left_out)},
        ),
        dg.AssetCheckResult(
            check_name="nothing_lost",
            passed=not lost and corpus.quarantined == 0,
            severity=dg.AssetCheckSeverity.WARN,
            description=f"{len(lost)} partition(s) without a document, "
            f"{corpus.quarantined} file(s) in quarantine",
            metadata={"lost": len(lost), "quarantined": corpus.quarantined},
        ),
    ]


def _corpus_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    """Return the asset that decides which partitions a knowledge base is built from."""
    name = f"{base}_corpus"

    @dg.asset(
        name=name,
        deps=_deps(name),
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
        """Store which partitions belong to the knowledge base."""
        pipeline = clinrag.pipeline()
        corpus = make_corpus(pipeline, kind)
        logger.info("%s: %d partitions, %d chunks", base, corpus.partitions, corpus.chunks)
        left_out = [{"partition": k, "reason": why} for k, why in sorted(corpus.left_out.items())]
        return stored(
            pipeline.corpus(kind).read().digest,
            {
                "dagster/row_count": corpus.chunks,
                "partitions": corpus.partitions,
                "documents": corpus.documents,
                **counts(words=corpus.words, corpus_digest=corpus.digest),
                "left_out": table(left_out),
            },
            check_results=_corpus_checks(corpus),
        )

    return corpus_asset


def _embeddings_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    """Return the asset that encodes the passages of a knowledge base."""
    name = f"{base}_embeddings"

    @dg.asset(
        name=name,
        deps=_deps(name),
        description=f"Vectors of every passage of {base}, in the content-addressed cache.",
        group_name=GROUP,
        kinds={"numpy", "pytorch"},
        owners=OWNERS,
        code_version="1",
        pool=GPU_POOL,
        tags={"clinrag/memory": "high"},
    )
    def embeddings_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        """Put the vectors that are missing into the cache."""
        pipeline = clinrag.pipeline()

        def report(done: int, total: int) -> None:
            logger.info("%s: embedded %d of %d passages and statements", base, done, total)

        record, cost = make_embeddings(pipeline, kind, report)
        logger.info("%s: %d embedded, %d reused", base, cost.encoded, cost.reused)
        return stored(
            pipeline.embeddings(kind).read().digest,
            {
                "dagster/row_count": record.passages,
                "embedded": cost.encoded,
                "reused": cost.reused,
                "truncated": cost.truncated,
                "encoder": pipeline.settings.encoder.name,
                "encoder_fingerprint": record.encoder,
                **_encoding(pipeline.models.last_run if cost.encoded else None),
            },
        )

    return embeddings_asset


def _encoding(run: EncodingRun | None) -> dict[str, str | float]:
    """Return where, how and how fast passages were encoded; nothing if none were."""
    if run is None:
        return {}
    return {
        "device": run.device,
        "precision": run.precision,
        "attention": run.attention,
        "passages_per_s": round(run.passages_per_s, 1),
    }


def _candidate_asset(kind: DocumentKind, base: str) -> dg.AssetsDefinition:
    """Return the asset that builds the indexes of a knowledge base."""
    name = f"{base}_candidate"

    @dg.asset(
        name=name,
        deps=_deps(name),
        description=f"{base} with its dense and BM25 indexes, built but not served.",
        group_name=GROUP,
        kinds={"faiss"},
        owners=OWNERS,
        code_version="1",
    )
    def candidate_asset(clinrag: ClinragResource) -> dg.MaterializeResult:
        """Build the indexes of the knowledge base."""
        pipeline = clinrag.pipeline()
        manifest = make_candidate(pipeline, kind)
        logger.info("%s: candidate %s with %d chunks", base, manifest.fingerprint, manifest.chunks)
        directory = candidate_directory(pipeline, manifest)
        size = sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
        return stored(
            pipeline.candidate(kind).read().digest,
            {
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
