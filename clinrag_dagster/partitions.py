"""Documents are partitions: one guideline, one drug.

Keys follow the corpus manifest. `sync_partitions` is the only place that adds or retires them;
assets never do, so that a run cannot change what the next one means.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import dagster as dg

from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import KINDS

guideline_partitions = dg.DynamicPartitionsDefinition(name="guideline")
drug_partitions = dg.DynamicPartitionsDefinition(name="drug")

PARTITIONS: Mapping[DocumentKind, dg.DynamicPartitionsDefinition] = {
    "guideline": guideline_partitions,
    "label": drug_partitions,
}

RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"


def range_tags(start: str, end: str) -> dict[str, str]:
    """Return the run tags that select a range of partitions, both ends included."""
    return {RANGE_START_TAG: start, RANGE_END_TAG: end}


class PartitionChanges(NamedTuple):
    """Keys to add and to retire, per kind."""

    added: dict[DocumentKind, list[str]]
    retired: dict[DocumentKind, list[str]]


def partition_name(kind: DocumentKind) -> str:
    """Return the name of the dynamic partitions of a kind."""
    name = PARTITIONS[kind].name
    assert name is not None  # noqa: S101 - both are named above
    return name


def partition_changes(instance: dg.DagsterInstance, pipeline: Pipeline) -> PartitionChanges:
    """Return how the instance's partitions differ from the manifest."""
    changes = PartitionChanges({}, {})
    for kind in KINDS:
        wanted = pipeline.keys(kind)
        have = set(instance.get_dynamic_partitions(partition_name(kind)))
        changes.added[kind] = [key for key in wanted if key not in have]
        changes.retired[kind] = sorted(have - set(wanted))
    return changes


def sync_partitions(instance: dg.DagsterInstance, pipeline: Pipeline) -> PartitionChanges:
    """Make the instance's partitions those of the manifest.

    A retired partition keeps its files; it only leaves the corpus.
    """
    changes = partition_changes(instance, pipeline)
    for kind in KINDS:
        if changes.added[kind]:
            instance.add_dynamic_partitions(partition_name(kind), changes.added[kind])
        for key in changes.retired[kind]:
            instance.delete_dynamic_partition(partition_name(kind), key)
    return changes


def ranges(keys: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the wanted keys as contiguous ranges of all keys, first and last included.

    One run over a range costs a tenth of one run per partition.
    """
    groups = [list(group) for chosen, group in groupby(keys, set(wanted).__contains__) if chosen]
    return [(group[0], group[-1]) for group in groups]
