"""Files, sections and chunks of documents: one partition per guideline or drug.

A run processes one partition or a range of them. What a partition's file is, how it is parsed and
when work is skipped is decided in `clinrag_core.pipeline`; one bad document never stops the others.
"""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

import dagster as dg

from clinrag_core.model.source import DocumentKind, DocumentSource
from clinrag_core.pipeline.partition import Partition, StageOutcome
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.records import Failure
from clinrag_core.pipeline.stages import CHUNKS, FILES, SECTIONS
from clinrag_dagster.metadata import OWNERS, table
from clinrag_dagster.partition_events import PartitionResult, materialize_result
from clinrag_dagster.partitions import PARTITIONS
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
R = TypeVar("R")

GROUPS: dict[DocumentKind, str] = {"guideline": "guidelines", "label": "labels"}
UNITS: dict[DocumentKind, str] = {"guideline": "guideline", "label": "drug"}
DIGEST_SHOWN = 16
"""Characters of a digest that fit on a partition page; its tag has all of them."""
NETWORK_POOL = "network"
RETRIES = 2
RETRY_AFTER_S = 60.0
"""Wait before the first retry; doubles. Only a server that is down is retried: a broken document, a
full disk or a defect fails at once."""


def _each(
    context: dg.AssetExecutionContext,
    pipeline: Pipeline,
    kind: DocumentKind,
    verb: str,
    work: Callable[[Partition], tuple[StageOutcome, PartitionResult]],
) -> list[PartitionResult]:
    """Return what a stage made of each partition of the run, logging progress.

    Args:
        context: of the step.
        pipeline: of the profile.
        kind: guideline or label.
        verb: what the stage does, in the past tense.
        work: the stage.
    """
    keys = context.partition_keys
    results: list[PartitionResult] = []
    for number, key in enumerate(keys, start=1):
        outcome, result = work(pipeline.partition(kind, key))
        what = verb if outcome.changed else f"not {verb}: {outcome.reason}"
        results.append(result._replace(metadata={**result.metadata, "work": what}))
        logger.info("%s %d of %d, %s: %s", kind, number, len(keys), key, what)
    return results


def _stored(record: R | None, partition: Partition) -> R:
    """Return the record that a stage has just stored.

    Raises:
        Failure: the file has been deleted meanwhile.
    """
    if record is None:
        raise dg.Failure(f"{partition.kind} {partition.key}: a stored output has been deleted")
    return record


def _quarantine_check(name: str, failures: Iterable[tuple[str, Failure]]) -> dg.AssetCheckResult:
    """Return a check that warns of every file that cannot be used now."""
    files = [
        {"partition": key, "file": f.file, "code": f.code, "reason": f.reason}
        for key, f in failures
    ]
    return dg.AssetCheckResult(
        check_name=name,
        passed=not files,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{len(files)} file(s) in quarantine" if files else "nothing in quarantine",
        metadata={"quarantined": len(files), "files": table(files)},
    )


def _files_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    """Return the asset that fetches the files of a kind of document."""
    name = FILES[kind]

    @dg.asset(
        name=name,
        description=f"The source files of one {UNITS[kind]}, kept by sha256.",
        group_name=GROUPS[kind],
        partitions_def=PARTITIONS[kind],
        backfill_policy=dg.BackfillPolicy.single_run(),
        kinds={"file"},
        owners=OWNERS,
        code_version="1",
        pool=NETWORK_POOL,
        check_specs=[dg.AssetCheckSpec("files_acquired", asset=name)],
    )
    def files(context: dg.AssetExecutionContext, clinrag: ClinragResource) -> dg.MaterializeResult:
        """Fetch the files of each partition and report what could not be fetched."""
        pipeline = clinrag.pipeline()
        failures: list[tuple[str, Failure]] = []
        sources: list[DocumentSource] = []

        def work(partition: Partition) -> tuple[StageOutcome, PartitionResult]:
            """Return the outcome and the figures of one partition."""
            outcome = partition.record_acquired(pipeline.acquire(kind, partition.key))
            record = _stored(partition.acquired(), partition)
            failures.extend((partition.key, failure) for failure in record.failures)
            sources.extend(record.sources)
            metadata = {
                "dagster/partition_row_count": len(record.sources),
                "bytes": sum(source.file.size for source in record.sources),
                "failures": len(record.failures),
                "digest": record.digest[:DIGEST_SHOWN],
            }
            return outcome, PartitionResult(partition.key, record.digest, metadata)

        results = _each(context, pipeline, kind, "acquired", work)
        if failures and not sources and all(failure.transient for _, failure in failures):
            # Success here would give a green run in which no stage has done anything.
            if context.retry_number < RETRIES:
                raise dg.RetryRequested(RETRIES, RETRY_AFTER_S * 2**context.retry_number)
            raise dg.Failure(f"not one of {len(results)} {UNITS[kind]}(s) could be fetched now")
        check = _quarantine_check("files_acquired", failures)
        return materialize_result(context, results, [check])

    return files


def _sections_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    """Return the asset that parses the files of a kind of document."""
    name = SECTIONS[kind]

    @dg.asset(
        name=name,
        deps=[FILES[kind]],
        description=f"The parsed sections of one {UNITS[kind]}.",
        group_name=GROUPS[kind],
        partitions_def=PARTITIONS[kind],
        backfill_policy=dg.BackfillPolicy.single_run(),
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[dg.AssetCheckSpec("nothing_quarantined", asset=name)],
    )
    def sections(
        context: dg.AssetExecutionContext, clinrag: ClinragResource
    ) -> dg.MaterializeResult:
        """Parse the files of each partition and report what is quarantined."""
        failures: list[tuple[str, Failure]] = []

        def work(partition: Partition) -> tuple[StageOutcome, PartitionResult]:
            """Return the outcome and the figures of one partition."""
            outcome = partition.parse()
            record = _stored(partition.parsed(), partition)
            failures.extend((partition.key, failure) for failure in record.failures)
            metadata = {
                "dagster/partition_row_count": sum(len(d.sections) for d in record.documents),
                "documents": len(record.documents),
                "words": sum(d.words for d in record.documents),
                "equivalents": len(record.equivalents),
                "quarantined": len(record.failures),
                "warnings": sum(len(d.warnings) for d in record.documents),
                "digest": record.digest[:DIGEST_SHOWN],
            }
            return outcome, PartitionResult(partition.key, record.digest, metadata)

        results = _each(context, clinrag.pipeline(), kind, "parsed", work)
        check = _quarantine_check("nothing_quarantined", failures)
        return materialize_result(context, results, [check])

    return sections


def _chunks_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    """Return the asset that chunks the documents of a kind."""
    name = CHUNKS[kind]

    @dg.asset(
        name=name,
        deps=[SECTIONS[kind]],
        description=f"The passages of one {UNITS[kind]}.",
        group_name=GROUPS[kind],
        partitions_def=PARTITIONS[kind],
        backfill_policy=dg.BackfillPolicy.single_run(),
        kinds={"arrow"},
        owners=OWNERS,
        code_version="1",
        check_specs=[dg.AssetCheckSpec("chunks_sound", asset=name, blocking=True)],
    )
    def chunks(context: dg.AssetExecutionContext, clinrag: ClinragResource) -> dg.MaterializeResult:
        """Chunk the documents of each partition and check every chunk."""
        pipeline = clinrag.pipeline()
        problems: list[str] = []

        def work(partition: Partition) -> tuple[StageOutcome, PartitionResult]:
            """Return the outcome and the figures of one partition."""
            outcome = partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
            if outcome.changed:
                problems.extend(f"{partition.key}: {p}" for p in pipeline.chunk_problems(partition))
            record = _stored(partition.chunked(), partition)
            metadata = {
                "dagster/partition_row_count": record.chunks,
                "documents": record.documents,
                "tokens": record.tokens,
                "digest": record.digest[:DIGEST_SHOWN],
            }
            return outcome, PartitionResult(partition.key, record.digest, metadata)

        results = _each(context, pipeline, kind, "chunked", work)
        sound = "spans exact, sections covered, no chunk over the encoder's limit, ids unique"
        check = dg.AssetCheckResult(
            check_name="chunks_sound",
            passed=not problems,
            description="; ".join(problems[:5]) or sound,
            metadata={"problems": len(problems)},
        )
        return materialize_result(context, results, [check])

    return chunks


DOCUMENT_ASSETS = [
    make(kind) for kind in GROUPS for make in (_files_asset, _sections_asset, _chunks_asset)
]
