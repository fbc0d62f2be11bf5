"""Materialisations of single partitions in a run over a range of them.

Dagster writes one event per partition of a range, all with the metadata and the data version of the
whole step. A partition page must show its own figures, and a partition must only be out of date
when its own input changed, so these events are written here, one per partition.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import dagster as dg
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    NULL_EVENT_POINTER,
    extract_data_version_from_entry,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from dagster._core.definitions.source_asset import SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION

NO_EVENTS_OF_THE_STEP = {SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION: True}
"""Metadata that makes Dagster write no event for a step's output, as for observations that were
logged in the step. `test_partitions` fails if a version of Dagster stops
doing so."""


class PartitionResult(NamedTuple):
    """What a stage made of one partition."""

    key: str
    digest: str
    """Data version of the partition."""
    metadata: Mapping[str, int | str]


def materialize_result(
    context: dg.AssetExecutionContext,
    results: Sequence[PartitionResult],
    check_results: Sequence[dg.AssetCheckResult],
) -> dg.MaterializeResult:
    """Log one materialisation per partition and return the step's result.

    Args:
        context: of the step.
        results: one per partition of the run.
        check_results: of the step.
    """
    key = context.asset_key
    code_version = context.assets_def.specs_by_key[key].code_version
    for result in results:
        tags = {DATA_VERSION_TAG: result.digest, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
        if code_version is not None:
            tags[CODE_VERSION_TAG] = code_version
        for upstream in context.assets_def.asset_deps[key]:
            tags |= _input_tags(context.instance, upstream, result.key)
        context.log_event(
            dg.AssetMaterialization(
                key, partition=result.key, metadata=dict(result.metadata), tags=tags
            )
        )
    return dg.MaterializeResult(metadata=NO_EVENTS_OF_THE_STEP, check_results=check_results)


def _input_tags(
    instance: dg.DagsterInstance, upstream: dg.AssetKey, partition: str
) -> dict[str, str]:
    """Return the tags that name the upstream event a partition was made from."""
    record = instance.get_latest_data_version_record(upstream, partition_key=partition)
    if record is None:
        return {get_input_event_pointer_tag(upstream): NULL_EVENT_POINTER}
    version = extract_data_version_from_entry(record.event_log_entry)
    return {
        get_input_event_pointer_tag(upstream): str(record.storage_id),
        get_input_data_version_tag(upstream): version.value if version else "",
    }
