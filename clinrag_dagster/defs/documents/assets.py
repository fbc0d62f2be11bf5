"""Files, sections and chunks of documents: one partition per guideline or drug.

A run processes one partition or a range of them. What a partition's file is, how it is parsed and
when work is skipped is decided in `clinrag_core.pipeline`; one bad document never stops the others.
"""

import logging
from collections.abc import Callable, Iterable

import dagster as dg

from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.executor import Executor, LocalExecutor
from clinrag_core.pipeline.partition import StageOutcome
from clinrag_core.pipeline.partition_work import (
    PartitionKey,
    PartitionWork,
    acquire_partition,
    chunk_partition,
    parse_partition,
)
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import CHUNKS, FILES, SECTIONS
from clinrag_dagster.metadata import OWNERS, table
from clinrag_dagster.partition_events import PartitionResult, materialize_result
from clinrag_dagster.partitions import PARTITIONS
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)

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
    executor: Executor,
    kind: DocumentKind,
    verb: str,
    work: Callable[[Pipeline, PartitionKey], PartitionWork],
) -> list[PartitionWork]:
    """Return what a stage made of each partition of the run, logging progress.

    Args:
        context: of the step.
        executor: does the work.
        kind: guideline or label.
        verb: what the stage does, in the past tense.
        work: the stage.
    """
    keys = context.partition_keys
    given = (PartitionKey(kind, key) for key in keys)
    done: list[PartitionWork] = []
    for number, made in enumerate(executor.map(work, given), start=1):
        done.append(made)
        logger.info(
            "%s %d of %d, %s: %s", kind, number, len(keys), made.key, _what(verb, made.outcome)
        )
    return done


def _what(verb: str, outcome: StageOutcome) -> str:
    return verb if outcome.changed else f"not {verb}: {outcome.reason}"


def _results(verb: str, done: Iterable[PartitionWork]) -> list[PartitionResult]:
    """Return the figures of each partition for its page."""
    return [
        PartitionResult(
            one.key,
            one.digest,
            {
                "dagster/partition_row_count": one.rows,
                **one.figures,
                "digest": one.digest[:DIGEST_SHOWN],
                "work": _what(verb, one.outcome),
            },
        )
        for one in done
    ]


def _quarantine_check(name: str, done: Iterable[PartitionWork]) -> dg.AssetCheckResult:
    """Return a check that warns of every file that cannot be used now."""
    files = [
        {"partition": one.key, "file": f.file, "code": f.code, "reason": f.reason}
        for one in done
        for f in one.failures
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
        # Servers are asked by one process.
        executor = LocalExecutor(clinrag.pipeline(), processes=1)
        done = _each(context, executor, kind, "acquired", acquire_partition)
        failures = [failure for one in done for failure in one.failures]
        nothing = not any(one.rows for one in done)
        if failures and nothing and all(failure.transient for failure in failures):
            # Success here would give a green run in which no stage has done anything.
            if context.retry_number < RETRIES:
                raise dg.RetryRequested(RETRIES, RETRY_AFTER_S * 2**context.retry_number)
            raise dg.Failure(f"not one of {len(done)} {UNITS[kind]}(s) could be fetched now")
        check = _quarantine_check("files_acquired", done)
        return materialize_result(context, _results("acquired", done), [check])

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
        done = _each(context, clinrag.pipeline().executor, kind, "parsed", parse_partition)
        check = _quarantine_check("nothing_quarantined", done)
        return materialize_result(context, _results("parsed", done), [check])

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
        check_specs=[
            dg.AssetCheckSpec("chunks_sound", asset=name, blocking=True),
            dg.AssetCheckSpec("nothing_uncut", asset=name),
        ],
    )
    def chunks(context: dg.AssetExecutionContext, clinrag: ClinragResource) -> dg.MaterializeResult:
        """Chunk the documents of each partition and check every chunk."""
        done = _each(context, clinrag.pipeline().executor, kind, "chunked", chunk_partition)
        problems = [f"{one.key}: {problem}" for one in done for problem in one.problems]
        sound = "spans exact, sections covered, no chunk over the encoder's limit, ids unique"
        check = dg.AssetCheckResult(
            check_name="chunks_sound",
            passed=not problems,
            description="; ".join(problems[:5]) or sound,
            metadata={"problems": len(problems)},
        )
        uncut = _quarantine_check("nothing_uncut", done)
        return materialize_result(context, _results("chunked", done), [check, uncut])

    return chunks


DOCUMENT_ASSETS = [
    make(kind) for kind in GROUPS for make in (_files_asset, _sections_asset, _chunks_asset)
]
