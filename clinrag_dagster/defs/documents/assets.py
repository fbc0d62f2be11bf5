"""Files, sections and chunks of documents: one partition per guideline or drug.

A run holds one partition or a range of them. What a partition's file is, how it is parsed and when
work is skipped is decided in `clinrag_core.pipeline`; one bad document never stops the others.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import dagster as dg

from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.partition import Outcome, Partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.records import Failure
from clinrag_dagster.metadata import OWNERS, Cell, table
from clinrag_dagster.partitions import PARTITIONS
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)

GROUPS: dict[DocumentKind, str] = {"guideline": "guidelines", "label": "labels"}
NAMES: dict[DocumentKind, tuple[str, str, str]] = {
    "guideline": ("guideline_file", "guideline_sections", "guideline_chunks"),
    "label": ("label_files", "label_sections", "label_chunks"),
}
UNITS: dict[DocumentKind, str] = {"guideline": "guideline", "label": "drug"}
NETWORK_POOL = "network"
RETRIES = 2
RETRY_AFTER_S = 60.0
"""Wait before the first retry; doubles. Only a server that is down for now is tried again: a broken
document, a full disk or a defect fails at once."""


class _Done(NamedTuple):
    key: str
    outcome: Outcome
    row: dict[str, Cell]


def _each(
    context: dg.AssetExecutionContext,
    pipeline: Pipeline,
    kind: DocumentKind,
    verb: str,
    work: Callable[[Partition], tuple[Outcome, dict[str, Cell]]],
) -> list[_Done]:
    keys = context.partition_keys
    done: list[_Done] = []
    for number, key in enumerate(keys, start=1):
        outcome, row = work(pipeline.partition(kind, key))
        done.append(_Done(key, outcome, row))
        what = verb if outcome.changed else f"not {verb}: {outcome.reason}"
        logger.info("%s %d of %d, %s: %s", kind, number, len(keys), key, what)
    return done


def _metadata(verb: str, done: Sequence[_Done]) -> dict[str, dg.MetadataValue]:
    totals: dict[str, int] = {}
    for item in done:
        for name, value in item.row.items():
            if isinstance(value, int):
                totals[name] = totals.get(name, 0) + value
    rows = [{"partition": item.key, verb: item.outcome.reason, **item.row} for item in done]
    return {
        "partitions": dg.MetadataValue.int(len(done)),
        verb: dg.MetadataValue.int(sum(item.outcome.changed for item in done)),
        **{name: dg.MetadataValue.int(value) for name, value in totals.items()},
        "documents_table": table(rows),
    }


def _files(done: Sequence[_Done]) -> int:
    return sum(int(item.row["files"] or 0) for item in done)


def _quarantine_check(name: str, failures: Iterable[tuple[str, Failure]]) -> dg.AssetCheckResult:
    found = [
        {"partition": key, "file": f.file, "code": f.code, "reason": f.reason}
        for key, f in failures
    ]
    return dg.AssetCheckResult(
        check_name=name,
        passed=not found,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{len(found)} file(s) in quarantine" if found else "nothing in quarantine",
        metadata={"quarantined": len(found), "files": table(found)},
    )


def _files_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    name = NAMES[kind][0]

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
        pipeline = clinrag.pipeline()
        failures: list[tuple[str, Failure]] = []

        def work(partition: Partition) -> tuple[Outcome, dict[str, Cell]]:
            acquired = pipeline.acquire(kind, partition.key)
            outcome = partition.record_acquired(acquired)
            record = partition.acquired()
            found = record.failures if record else ()
            failures.extend((partition.key, failure) for failure in found)
            size = sum(f.source.file.size for f in acquired.files)
            return outcome, {
                "files": len(acquired.files),
                "bytes": size,
                "failures": len(found),
            }

        done = _each(context, pipeline, kind, "acquired", work)
        if failures and all(failure.transient for _, failure in failures) and not _files(done):
            # Succeeding here would leave every stage after it quiet, with a green run to say so.
            if context.retry_number < RETRIES:
                raise dg.RetryRequested(RETRIES, RETRY_AFTER_S * 2**context.retry_number)
            raise dg.Failure(f"not one of {len(done)} {UNITS[kind]}(s) could be fetched now")
        return dg.MaterializeResult(
            metadata=_metadata("acquired", done),
            check_results=[_quarantine_check("files_acquired", failures)],
        )

    return files


def _sections_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    files, name, _ = NAMES[kind]

    @dg.asset(
        name=name,
        deps=[files],
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
        failures: list[tuple[str, Failure]] = []

        def work(partition: Partition) -> tuple[Outcome, dict[str, Cell]]:
            outcome = partition.parse()
            parsed = partition.parsed()
            if parsed is None:
                return outcome, {}
            failures.extend((partition.key, failure) for failure in parsed.failures)
            return outcome, {
                "documents": len(parsed.documents),
                "sections": sum(len(d.sections) for d in parsed.documents),
                "words": sum(d.words for d in parsed.documents),
                "equivalents": len(parsed.equivalents),
                "quarantined": len(parsed.failures),
                "warnings": sum(len(d.warnings) for d in parsed.documents),
            }

        done = _each(context, clinrag.pipeline(), kind, "parsed", work)
        return dg.MaterializeResult(
            metadata=_metadata("parsed", done),
            check_results=[_quarantine_check("nothing_quarantined", failures)],
        )

    return sections


def _chunks_asset(kind: DocumentKind) -> dg.AssetsDefinition:
    _, sections, name = NAMES[kind]

    @dg.asset(
        name=name,
        deps=[sections],
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
        pipeline = clinrag.pipeline()
        problems: list[str] = []

        def work(partition: Partition) -> tuple[Outcome, dict[str, Cell]]:
            outcome = partition.chunk(pipeline.chunker, pipeline.chunker_fingerprint)
            if outcome.changed:
                problems.extend(f"{partition.key}: {p}" for p in pipeline.chunk_problems(partition))
            record = partition.chunked()
            return outcome, {
                "chunks": record.chunks if record else 0,
                "tokens": record.tokens if record else 0,
            }

        done = _each(context, pipeline, kind, "chunked", work)
        sound = "spans exact, sections covered, no chunk over the encoder's limit, ids unique"
        return dg.MaterializeResult(
            metadata=_metadata("chunked", done),
            check_results=[
                dg.AssetCheckResult(
                    check_name="chunks_sound",
                    passed=not problems,
                    description="; ".join(problems[:5]) or sound,
                    metadata={"problems": len(problems)},
                )
            ],
        )

    return chunks


DOCUMENT_ASSETS = [
    make(kind) for kind in GROUPS for make in (_files_asset, _sections_asset, _chunks_asset)
]
