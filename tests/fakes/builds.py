"""Stages of the tiny corpus run one after the other, without orchestration."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.partition_work import (
    PartitionKey,
    acquire_partition,
    chunk_partition,
    parse_partition,
)
from clinrag_core.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clinrag_core.model.source import DocumentKind
    from clinrag_core.settings import Settings

LABELS = ["isoniazid", "pyrazinamide"]
"""Partition keys of the labels of the tiny corpus."""


def chunk_documents(pipeline: Pipeline, kind: DocumentKind, keys: Iterable[str]) -> None:
    """Acquire, parse and chunk some partitions."""
    for key in keys:
        for work in (acquire_partition, parse_partition, chunk_partition):
            work(pipeline, PartitionKey(kind, key))


def build_labels(settings: Settings) -> Pipeline:
    """Process the stale labels and encode them."""
    pipeline = Pipeline(settings)
    chunk_documents(pipeline, "label", pipeline.stale("label"))
    make_corpus(pipeline, "label")
    make_embeddings(pipeline, "label")
    return pipeline


def candidate_bytes(pipeline: Pipeline) -> dict[str, bytes]:
    """Return every file of the candidate of the labels, which is built anew, with its shards."""
    folder = pipeline.workspace.knowledge_bases
    shutil.rmtree(folder, ignore_errors=True)
    make_candidate(pipeline, "label")
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def stored_bytes(home: Path) -> dict[str, bytes]:
    """Return the files of a workspace that do not depend on where the work was done."""
    folders = ("partitions", "outputs", "vectors", "knowledge_bases")
    found = (file for name in folders for file in (home / name).rglob("*") if file.is_file())
    read = {str(file.relative_to(home)): file.read_bytes() for file in found}
    # The journal's first line is random, and its names are in the order of the work.
    written = read.pop("partitions/written").splitlines()[1:]
    return read | {"partitions/written": b"\n".join(sorted(set(written)))}
