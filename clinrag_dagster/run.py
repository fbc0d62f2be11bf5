"""`make run`: the whole chain of a profile through Dagster, in this process, with progress.

Only partitions with something to do are run; the release job then skips what is unchanged. Ends
with the evaluation tables and the next steps.
"""

import logging
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from filelock import FileLock, Timeout
from rich.console import Console

from clinrag_core.errors import ClinragError
from clinrag_core.garbage import search_seldom
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.settings import load_settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.defs.documents.jobs import DOCUMENT_JOBS
from clinrag_dagster.defs.release.jobs import RELEASE_JOB
from clinrag_dagster.instance import open_instance
from clinrag_dagster.partitions import partition_name, range_tags, ranges, sync_partitions
from clinrag_dagster.runs import MAKE_RUN, ChainFailedError, execute, recover
from clinrag_dagster.summary import print_stopped, print_summary


@contextmanager
def _timed(console: Console, what: str) -> Generator[None]:
    started = time.perf_counter()
    yield
    console.print(f"[bold]{what}[/bold]: {time.perf_counter() - started:.1f} s")


@contextmanager
def _alone(home: Path) -> Generator[None]:
    """Lock the workspace against a second run; the lock of a killed process is released."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "run.lock", timeout=0):
            yield
    except Timeout as error:
        raise ChainFailedError(f"another `make run` is in progress in {home}") from error


def run_documents(defs: dg.Definitions, instance: dg.DagsterInstance, pipeline: Pipeline) -> int:
    """Run every partition that has something to do; returns how many."""
    count = 0
    for kind in KINDS:
        stale = pipeline.stale(kind)
        count += len(stale)
        stored = instance.get_dynamic_partitions(partition_name(kind))
        for start, end in ranges(stored, stale):
            execute(defs, instance, DOCUMENT_JOBS[kind], range_tags(start, end) | MAKE_RUN)
    return count


def run_chain(console: Console) -> None:
    """Run everything from files to release.

    Raises:
        ClinragError: the profile or the corpus cannot be used, or a blocking check failed.
    """
    pipeline = Pipeline(load_settings())
    settings = pipeline.settings
    manifest = pipeline.manifest
    console.print(
        f"profile [bold]{settings.profile}[/bold], corpus [bold]{manifest.name}[/bold]: "
        f"{len(pipeline.keys('guideline'))} guidelines, {len(pipeline.keys('label'))} drugs"
    )
    # A missing model would otherwise show only after every file was fetched.
    console.print(f"encoder {settings.encoder.name} {pipeline.models.encoder_fingerprint}")
    defs = build_defs(settings)
    with (
        _alone(settings.home),
        open_instance(settings) as instance,
        _timed(console, "the whole chain"),
    ):
        if dead := recover(instance):
            console.print(f"recovered from {len(dead)} killed run(s)")
        pipeline.workspace.clean()
        changes = sync_partitions(instance, pipeline)
        for kind, keys in changes.retired.items():
            if keys:
                console.print(f"retired {kind}s: {', '.join(keys)}")
        with _timed(console, "documents"):
            done = run_documents(defs, instance, pipeline)
        if done == 0:
            console.print("no document has changed: 0 parsed")
        with _timed(console, "knowledge bases, evaluation, release"):
            try:
                execute(defs, instance, RELEASE_JOB, MAKE_RUN)
            except ChainFailedError:
                print_stopped(pipeline, console)
                raise
    print_summary(pipeline, console)


def main() -> int:
    """Process entry: 0 when released, 1 when the chain stopped, with the reason."""
    search_seldom()
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    for name in ("clinrag_core", "clinrag_dagster"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
    try:
        run_chain(console)
    except ClinragError as error:
        console.print("stopped:", error, style="red", highlight=False, markup=False)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
