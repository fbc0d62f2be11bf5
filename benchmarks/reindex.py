#!/usr/bin/env python3
"""Time to re-index after some labels changed, compared with a full build of the same corpus.

Labels are generated from the real ones of `--corpus` (see `generated_labels.py`), with ten to
twenty passages each, so that 5,000 are feasible. A corpus is built once and then again after 0, 1,
10 and 100 labels changed, each time with a new `Pipeline` and stage by stage like Dagster's assets.
Libraries are imported before; evaluation and release are not included. Next to the seconds of the
clock are those of the processor, which a busy machine does not change, of this process and of the
children that parse, and the load of the machine, which lengthens the former.

With `--made` only so many labels are made; the others are copies of their outputs under other ids
(see `copied_labels.py`), so that 50,000 are feasible. Their first build takes vectors and counts of
terms from those made, so it is not a full build. A folder of `--work`
that is there is used again, without its build.

The encoder has MiniLM's architecture with random weights and, so that 5,000 labels are feasible,
only `--layers` of its 6 layers. Encoding costs a fixed time per new passage and is cached, so a
real encoder adds that time per changed passage to `embed`, and per passage to a full build.

    python benchmarks/reindex.py --corpus ../shared/corpus --plot reindex.png
    python benchmarks/reindex.py --corpus ../shared/corpus --labels 1000 50000 --made 1000
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from copied_labels import copy_labels
from generated_labels import LabelCorpus, templates, write_random_encoder
from rich.console import Console
from rich.table import Table

from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings, data_folder

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

STAGES: tuple[str, ...] = (
    "manifest",
    "stale",
    "acquire",
    "parse",
    "chunk",
    "corpus",
    "embed",
    "candidate",
)
CHANGED = (0, 0, 1, 1, 10, 100)
"""Numbers of changed labels, one run after the other; the first run after a build records it."""
USER_TIME, CHILDREN_TIME = 11, 13
"""Fields of /proc/PID/stat after the name: the first of its own times, the first of children's."""
SETTLED_S = 3.0
"""A file changed less than two seconds before it is seen is read again at the next run."""


class Measurement(NamedTuple):
    """One run over a corpus; `changed` is None for a full build."""

    labels: int
    changed: int | None
    passages: int
    encoded: int
    seconds: dict[str, float]
    cpu: dict[str, float]
    """Processor seconds of the stages."""
    load: float
    """Processes that ran or waited in the minute before the end, this one included."""

    @property
    def total(self) -> float:
        """Seconds of all stages together."""
        return sum(self.seconds.values())

    @property
    def cpu_total(self) -> float:
        """Processor seconds of all stages together."""
        return sum(self.cpu.values())


class Stopwatch:
    """Adds up the seconds of each stage, which may run several times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(STAGES, 0.0)
        self.cpu: dict[str, float] = dict.fromkeys(STAGES, 0.0)

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Add the time of the block to a stage."""
        start, cpu = time.perf_counter(), processor_seconds()
        yield
        self.seconds[name] += time.perf_counter() - start
        self.cpu[name] += processor_seconds() - cpu


def processor_seconds() -> float:
    """Return the seconds of this process, of its children that ended and of those that run."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    for child in Path("/proc/self/task", str(os.getpid()), "children").read_text().split():
        fields = Path("/proc", child, "stat").read_text().rpartition(")")[2].split()
        seconds += sum(map(int, fields[USER_TIME:CHILDREN_TIME])) / os.sysconf("SC_CLK_TCK")
    return seconds


def run(settings: Settings, labels: int, changed: int | None) -> Measurement:
    """Run every stage once, for the partitions that need it, and return the times."""
    watch = Stopwatch()
    with watch.stage("manifest"):
        pipeline = Pipeline(settings)
        pipeline.keys("label")
    with watch.stage("stale"):
        stale = pipeline.stale("label")
    if len(stale) != (labels if changed is None else changed):
        raise SystemExit(f"{len(stale)} stale labels, {changed} were changed")
    for key in stale:
        partition = pipeline.partition("label", key)
        with watch.stage("acquire"):
            partition.record_acquired(pipeline.acquire("label", key))
        with watch.stage("parse"):
            partition.parse()
        with watch.stage("chunk"):
            partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    with watch.stage("corpus"):
        passages = make_corpus(pipeline, "label").chunks
    with watch.stage("embed"):
        encoded = make_embeddings(pipeline, "label").cost.encoded
    with watch.stage("candidate"):
        make_candidate(pipeline, "label")
    load = os.getloadavg()[0]
    return Measurement(labels, changed, passages, encoded, watch.seconds, watch.cpu, load)


def measure(
    folder: Path, corpus: LabelCorpus, labels: int, model: Path, made: int
) -> Iterator[Measurement]:
    """Yield the full build, then one run per number of changed labels."""
    encoder = {"name": "random", "model": str(model), "max_tokens": 256, "pooling": "mean"}
    settings = Settings.model_validate(
        {
            "profile": "reindex",
            "home": folder / "home",
            "corpus": {"manifest": corpus.folder},
            "encoder": encoder,
        }
    )
    load_encoder(settings.encoder).encode_passages([Passage("", "warm up")], lambda *_: None)
    there = settings.home.is_dir()
    if not there:
        full = run(settings, corpus.count, None)
        if made < labels:
            copy_labels(Pipeline(settings), corpus, made, labels)
            run(settings, labels, 0)
        else:
            yield full
    for changed in (count for count in CHANGED if count <= labels):
        corpus.change(changed)
        time.sleep(SETTLED_S)
        yield run(settings, labels, changed)


def show(rows: list[Measurement]) -> None:
    """Print the table."""
    table = Table(title="CPU seconds to re-index by stage; total: of the clock")
    for name in ("labels", "passages", "changed", "encoded", *STAGES, "CPU", "total", "load"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            f"{row.labels:,}",
            f"{row.passages:,}",
            "all (full)" if row.changed is None else str(row.changed),
            f"{row.encoded:,}",
            *(f"{row.cpu[name]:.2f}" for name in STAGES),
            f"{row.cpu_total:.2f}",
            f"{row.total:.2f}",
            f"{row.load:.1f}",
            end_section=row.changed == CHANGED[-1],
        )
    Console(width=160).print(table)


def plot(rows: list[Measurement], path: Path) -> None:
    """Plot seconds against changed labels, one line per corpus size, full builds dashed."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for colour, labels in enumerate(sorted({row.labels for row in rows})):
        own = [row for row in rows if row.labels == labels]
        seconds = {str(row.changed): row.total for row in own if row.changed is not None}
        axes.plot(
            *zip(*seconds.items(), strict=True), "o-", color=f"C{colour}", label=f"{labels:,}"
        )
        for full in (row for row in own if row.changed is None):
            axes.axhline(full.total, linestyle="--", linewidth=1, color=f"C{colour}")
    axes.set(xlabel="changed labels", ylabel="seconds", yscale="log")
    axes.set_title("Re-indexing (solid) and a full build (dashed)", fontsize="medium")
    axes.legend(title="labels")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure every size."""
    sample = data_folder() / "corpora" / "sample"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=sample, help="folder of real SPL labels")
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 1_000, 5_000])
    parser.add_argument("--layers", type=int, default=0, help="of the random encoder")
    parser.add_argument("--made", type=int, help="labels that are no copies; default: all")
    parser.add_argument("--work", type=Path, help="keep corpora and workspaces here")
    parser.add_argument("--plot", type=Path, help="write a PNG here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work: Path = args.work or Path(temporary)
        if not (work / "model").is_dir():
            write_random_encoder(work / "model", args.layers)
        label_templates = templates(args.corpus)
        print(f"{len(label_templates)} real labels as templates")
        rows: list[Measurement] = []
        for labels in args.labels:
            folder = work / str(labels)
            made = min(args.made or labels, labels)
            corpus = LabelCorpus(folder / "corpus", label_templates, made)
            for row in measure(folder, corpus, labels, work / "model", made):
                rows.append(row)
                print(
                    f"{row.labels} labels, {row.changed} changed: {row.total:.2f} s, "
                    f"CPU {row.cpu_total:.2f} s, load {row.load:.1f}",
                    flush=True,
                )
        show(rows)
        if args.plot is not None:
            plot(rows, args.plot)


if __name__ == "__main__":
    main()
