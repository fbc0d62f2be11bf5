#!/usr/bin/env python3
"""Time to re-index after some labels changed, compared with a full build of the same corpus.

Labels are generated from the real ones of `--corpus` (see `generated_labels.py`), with ten to
twenty passages each, so that 5,000 are feasible. A corpus is built once and then again after 0, 1,
10 and 100 labels changed, each time with a new `Pipeline` and stage by stage like Dagster's assets.
Libraries are imported before; evaluation and release are not included. Next to the seconds of the
clock are those of the processor, which a busy machine does not change; the children that parse are
not in them.

The encoder has MiniLM's architecture with random weights and, so that 5,000 labels are feasible,
only `--layers` of its 6 layers. Encoding costs a fixed time per new passage and is cached, so a
real encoder adds that time per changed passage to `embed`, and per passage to a full build.

    python benchmarks/reindex.py --corpus ../shared/corpus --plot reindex.png
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
CHANGED = (0, 1, 10, 100)


class Measurement(NamedTuple):
    """One run over a corpus; `changed` is None for a full build."""

    labels: int
    changed: int | None
    passages: int
    encoded: int
    seconds: dict[str, float]
    cpu: float
    """Processor seconds of this process."""

    @property
    def total(self) -> float:
        """Seconds of all stages together."""
        return sum(self.seconds.values())


class Stopwatch:
    """Adds up the seconds of each stage, which may run several times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(STAGES, 0.0)

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Add the time of the block to a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - start


def run(settings: Settings, labels: int, changed: int | None) -> Measurement:
    """Run every stage once, for the partitions that need it, and return the times."""
    watch, started = Stopwatch(), time.process_time()
    with watch.stage("manifest"):
        pipeline = Pipeline(settings)
        _ = pipeline.manifest, pipeline.models.chunker, pipeline.models.chunker_fingerprint
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
    cpu = time.process_time() - started
    return Measurement(labels, changed, passages, encoded, watch.seconds, cpu)


def measure(folder: Path, corpus: LabelCorpus, labels: int, model: Path) -> Iterator[Measurement]:
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
    yield run(settings, labels, None)
    for changed in (count for count in CHANGED if count <= labels):
        corpus.change(changed)
        yield run(settings, labels, changed)


def show(rows: list[Measurement]) -> None:
    """Print the table."""
    table = Table(title="Seconds to re-index")
    for name in ("labels", "passages", "changed", "encoded", *STAGES, "total", "CPU", "of full"):
        table.add_column(name, justify="right")
    full = 0.0
    for row in rows:
        full = row.total if row.changed is None else full
        table.add_row(
            f"{row.labels:,}",
            f"{row.passages:,}",
            "all (full)" if row.changed is None else str(row.changed),
            f"{row.encoded:,}",
            *(f"{row.seconds[name]:.2f}" for name in STAGES),
            f"{row.total:.2f}",
            f"{row.cpu:.2f}",
            f"{row.total / full:.2%}",
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
        full, *again = [row for row in rows if row.labels == labels]
        names = [str(row.changed) for row in again]
        axes.plot(names, [r.total for r in again], "o-", color=f"C{colour}", label=f"{labels:,}")
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
    parser.add_argument("--work", type=Path, help="keep corpora and workspaces here")
    parser.add_argument("--plot", type=Path, help="write a PNG here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work: Path = args.work or Path(temporary)
        write_random_encoder(work / "model", args.layers)
        label_templates = templates(args.corpus)
        print(f"{len(label_templates)} real labels as templates")
        rows: list[Measurement] = []
        for labels in args.labels:
            folder = work / str(labels)
            corpus = LabelCorpus(folder / "corpus", label_templates, labels)
            for row in measure(folder, corpus, labels, work / "model"):
                rows.append(row)
                print(
                    f"{row.labels} labels, {row.changed} changed: {row.total:.2f} s, "
                    f"CPU {row.cpu:.2f} s",
                    flush=True,
                )
        show(rows)
        if args.plot is not None:
            plot(rows, args.plot)


if __name__ == "__main__":
    main()
