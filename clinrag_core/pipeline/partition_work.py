"""The stages of one partition as an executor does them, with the figures for the record.

What is returned is small and can be pickled: the documents themselves are in the workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.pipeline.stages import CHUNKS

if TYPE_CHECKING:
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.partition import StageOutcome
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.pipeline.records import Failure


class PartitionKey(NamedTuple):
    """Which partition."""

    kind: DocumentKind
    key: str


class PartitionWork(NamedTuple):
    """What a stage made of a partition."""

    key: str
    outcome: StageOutcome
    digest: str
    rows: int
    """Files, sections or chunks."""
    figures: dict[str, int]
    failures: tuple[Failure, ...] = ()
    """Files that cannot be used."""
    problems: tuple[str, ...] = ()
    """Broken invariants of the chunks that were made."""


def acquire_partition(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Fetch the files of a partition; what cannot be fetched is among the failures."""
    partition = pipeline.partition(*given)
    outcome = partition.record_acquired(pipeline.acquire(*given))
    record = partition.need_acquired()
    size = sum(source.file.size for source in record.sources)
    figures = {"bytes": size, "failures": len(record.failures)}
    return PartitionWork(
        given.key, outcome, record.digest, len(record.sources), figures, failures=record.failures
    )


def parse_partition(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Parse the files of a partition unless all is as before.

    Raises:
        MissingInputError: its files were not acquired.
    """
    partition = pipeline.partition(*given)
    outcome = partition.parse()
    record = partition.need_parsed()
    figures = {
        "documents": len(record.documents),
        "words": sum(d.words for d in record.documents),
        "equivalents": len(record.equivalents),
        "quarantined": len(record.failures),
        "warnings": sum(len(d.warnings) for d in record.documents),
    }
    sections = sum(len(d.sections) for d in record.documents)
    return PartitionWork(
        given.key, outcome, record.digest, sections, figures, failures=record.failures
    )


def chunk_partition(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Cut the documents of a partition unless all is as before, and check what was cut.

    Raises:
        MissingInputError: it was not parsed.
    """
    partition = pipeline.partition(*given)
    outcome = partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    record = partition.chunked()
    if record is None:
        raise partition.missing("chunks.json", CHUNKS[given.kind])
    figures = {
        "documents": record.documents,
        "tokens": record.tokens,
        "quarantined": len(record.uncut),
    }
    return PartitionWork(
        given.key, outcome, record.digest, record.chunks, figures, record.uncut, record.problems
    )
