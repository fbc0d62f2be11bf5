"""Work on partitions whose process matters: which one it is, or that it dies."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.pipeline.partition_work import PartitionKey, PartitionWork, chunk_partition

if TYPE_CHECKING:
    from clinrag_core.pipeline.pipeline import Pipeline


class Given(NamedTuple):
    """A partition, and the only process that survives it; None: all do."""

    partition: PartitionKey
    survivor: int | None


def whose(pipeline: Pipeline, number: int) -> tuple[int, int]:
    """Return a number, and the process that got it."""
    del pipeline
    return number, os.getpid()


def chunk_and_die(pipeline: Pipeline, given: Given) -> PartitionWork:
    """Chunk a partition; a process that does not survive it dies when it has written."""
    work = chunk_partition(pipeline, given.partition)
    if given.survivor not in (None, os.getpid()):
        os.kill(os.getpid(), signal.SIGKILL)
    return work
