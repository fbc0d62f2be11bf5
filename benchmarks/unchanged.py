#!/usr/bin/env python3
"""Time to find what changed among many labels, nothing or one, and to list the shards of all.

One label is acquired, parsed and cut. The others are copies of its files under other names, each
with records of its own; nothing reads what is in them, so that tens of thousands are feasible.
Measured is what every run does for every label: manifest, stale, corpus, and the check that chunks
are there. Then one label is changed: it is found, parsed and cut, and the corpus made again. What
its shard adds does not depend on the others: see `reindex.py`.

    python benchmarks/unchanged.py --corpus ../shared/corpus --labels 1000 50000
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from generated_labels import LabelCorpus, drug_name, templates, write_random_encoder
from rich.console import Console
from rich.table import Table

from clinrag_core.acquire.keys import partition_key
from clinrag_core.pipeline.corpus import make_corpus, read_corpus
from clinrag_core.pipeline.partition import files_digest, parse_input
from clinrag_core.pipeline.partition_work import (
    PartitionKey,
    acquire_partition,
    chunk_partition,
    parse_partition,
)
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings, data_folder
from clinrag_core.workspace import fingerprint

STAGES = ("manifest", "stale", "work", "corpus", "read")
CHANGED = 7
"""Number of the label that is changed."""
LINKED = ("documents.json", "chunks.arrow", "statements.arrow")


def copy_partition(pipeline: Pipeline, first: str, number: int) -> None:
    """Give a label the files of the first one, and records that name it."""
    name = drug_name(number)
    original = pipeline.partition("label", first)
    folder = original.folder.with_name(partition_key(name))
    folder.mkdir()
    for file in LINKED:
        os.link(original.folder / file, folder / file)
    source = pipeline.manifest.root / f"{number:05}.xml"
    os.link(pipeline.manifest.root / "00000.xml", source)
    acquired = original.need_acquired()
    sources = tuple(
        one.model_copy(
            update={
                "drug": folder.name,
                "file": one.file.model_copy(update={"name": source.name}),
            }
        )
        for one in acquired.sources
    )
    acquired = acquired.model_copy(update={"sources": sources, "digest": files_digest(sources)})
    chunked = original.chunked()
    if chunked is None:
        raise SystemExit("the first label was not cut")
    update = {"parse_input": parse_input(acquired), "document_ids": (name,)}
    update["digest"] = fingerprint(chunked.digest, name)
    (folder / "acquired.json").write_text(acquired.model_dump_json())
    (folder / "chunks.json").write_text(chunked.model_copy(update=update).model_dump_json())


def build(folder: Path, corpus: Path, model: Path, labels: int) -> Settings:
    """Return settings over a workspace with many labels that are up to date."""
    made = LabelCorpus(folder / "corpus", templates(corpus), 1)
    encoder = {"name": "random", "model": str(model), "max_tokens": 256, "pooling": "mean"}
    settings = Settings.model_validate(
        {
            "profile": "unchanged",
            "home": folder / "home",
            "corpus": {"manifest": made.folder},
            "encoder": encoder,
        }
    )
    pipeline = Pipeline(settings)
    (key,) = pipeline.keys("label")
    first = pipeline.partition("label", key)
    first.record_acquired(pipeline.acquire("label", key))
    first.parse()
    first.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    entries = ['[corpus]\nname = "generated"\n']
    for number in range(labels):
        entry = {"drug": drug_name(number), "format": "spl", "path": f"{number:05}.xml"}
        lines = (f"{name} = {json.dumps(value)}" for name, value in entry.items())
        entries.append("\n[[label]]\n" + "\n".join(lines) + "\n")
        if number:
            copy_partition(pipeline, key, number)
    (made.folder / "corpus.toml").write_text("".join(entries))
    return settings


def change(settings: Settings) -> None:
    """Give one label another text: its file, which others share, is replaced."""
    file = Pipeline(settings).manifest.root / f"{CHANGED:05}.xml"
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data.replace(b" the ", b" this ", 3))


def measure(settings: Settings, changed: int) -> dict[str, float]:
    """Return the seconds of each stage of one run, with a new pipeline."""
    pipeline, seconds = Pipeline(settings), dict[str, float]()
    stale: list[str] = []

    def work() -> None:
        """Parse and cut what has changed."""
        for key in stale:
            given = PartitionKey("label", key)
            for stage in (acquire_partition, parse_partition, chunk_partition):
                stage(pipeline, given)

    actions = (
        lambda: (pipeline.keys("label"), pipeline.models.chunker_fingerprint),
        lambda: stale.extend(pipeline.stale("label")),
        work,
        lambda: make_corpus(pipeline, "label"),
        lambda: read_corpus(pipeline, "label"),
    )
    for name, action in zip(STAGES, actions, strict=True):
        start, cpu = time.perf_counter(), time.process_time()
        action()
        seconds[name] = time.perf_counter() - start
        seconds[f"{name} CPU"] = time.process_time() - cpu
        if name == "stale" and len(stale) != changed:
            raise SystemExit(f"{len(stale)} labels are stale, {changed} changed")
    return seconds


def main() -> None:
    """Measure every size: the first run, which reads everything, and those after it."""
    parser = argparse.ArgumentParser(description=__doc__)
    sample = data_folder() / "corpora" / "sample"
    parser.add_argument("--corpus", type=Path, default=sample, help="folder of real SPL labels")
    parser.add_argument("--labels", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    args = parser.parse_args()
    names = [name for stage in STAGES for name in (stage, f"{stage} CPU")]
    table = Table("labels", "run", *names, title="Seconds where nothing changed")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        write_random_encoder(work / "model", 0)
        for labels in args.labels:
            settings = build(work / str(labels), args.corpus, work / "model", labels)
            for run in ("first", "next", "next", "changed", "changed"):
                if run == "changed":
                    change(settings)
                seconds = measure(settings, int(run == "changed"))
                table.add_row(f"{labels:,}", run, *(f"{seconds[name]:.2f}" for name in names))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
