"""Work whose process dies while it is done, as that of a worker that is killed does."""

import os
import signal
import time
from pathlib import Path

from clinrag_core.pipeline.encode_work import EncodedWindow, encode_window
from clinrag_core.pipeline.partition_work import PartitionKey, PartitionWork, parse_partition
from clinrag_core.pipeline.pipeline import Pipeline

DEATHS = "DEATHS_FOLDER"


def die_once(name: str) -> None:
    """Kill this process the first time that it is asked to with a name."""
    place = Path(os.environ[DEATHS]) / name
    if not place.exists():
        place.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)


def parse_and_die(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Parse a partition; the first worker dies before, the second one when it has written."""
    die_once(f"before-{given.key}")
    work = parse_partition(pipeline, given)
    die_once(f"after-{given.key}")
    return work


def whose(pipeline: Pipeline, given: PartitionKey) -> int:
    """Return the process that works, after long enough that one does not do all."""
    del pipeline, given
    time.sleep(0.3)
    return os.getpid()


def die(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Die each time."""
    del pipeline, given
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def refuse(pipeline: Pipeline, given: PartitionKey) -> PartitionWork:
    """Fail as a stage does whose input is absent."""
    raise pipeline.partition(*given).missing("acquired.json", "label_files")


def encode_and_die(pipeline: Pipeline, passages) -> EncodedWindow:
    """Encode a window; the first worker dies with its vectors."""
    made = encode_window(pipeline, passages)
    die_once(f"window-{len(passages)}")
    return made
