"""Fills a workspace with copies of labels that were acquired, parsed and cut, so that it has many.

A copy has files of its own: a source, records, documents and tables with other ids of documents,
passages and statements. Its texts are those of the original, so its vectors and counts of terms are
known. Its source is short; it is not parsed unless the label changes, and then it gets a label of
its own (`LabelCorpus.change`).
"""

from __future__ import annotations

import os
import re
import uuid
from typing import TYPE_CHECKING, NamedTuple

from generated_labels import drug_name

from clinrag_core.acquire.keys import partition_key
from clinrag_core.acquire.ledger import LedgerRecord
from clinrag_core.acquire.store import FileStore
from clinrag_core.model.source import SourceFile
from clinrag_core.pipeline.cut import COUNTS, STATEMENTS, TABLE
from clinrag_core.pipeline.partition import files_digest, parse_input
from clinrag_core.workspace import fingerprint, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from generated_labels import LabelCorpus

    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.pipeline.records import AcquiredRecord, ChunkedRecord

NAMESPACE = uuid.UUID("0b7c6a54-7f0e-4f43-8d0c-0c1d2b7f9a10")
LINKED = (f"{COUNTS}/passages", f"{COUNTS}/statements")
"""Nothing compares the times of these, which a hard link changes."""
COPIED = (TABLE, STATEMENTS, "documents.json")


class _Original(NamedTuple):
    """A label as it is copied."""

    folder: Path
    acquired: AcquiredRecord
    chunked: ChunkedRecord
    files: dict[str, bytes]
    ids: re.Pattern[bytes]
    """Matches every id of a document, passage or statement in the files."""


def copy_labels(pipeline: Pipeline, corpus: LabelCorpus, made: int, count: int) -> None:
    """Give every label from `made` to `count` the outputs of one of the first `made`.

    Args:
        pipeline: of a workspace where the first labels have a candidate.
        corpus: its folder gets the sources of the copies and a manifest of all.
        made: labels that are there.
        count: labels that there will be.
    """
    originals = [_original(pipeline, partition_key(drug_name(number))) for number in range(made)]
    files = [_copy(pipeline, corpus, originals[n % made], n) for n in range(made, count)]
    corpus.list(count)
    ledger = pipeline.workspace.files / "ledger.jsonl"
    lines = [record.model_dump_json(exclude_none=True) + "\n" for record in map(_retrieved, files)]
    ledger.write_text(ledger.read_text() + "".join(lines))


def _retrieved(given: tuple[str, SourceFile]) -> LedgerRecord:
    """Return the ledger record of a copy's source."""
    key, file = given
    return LedgerRecord(
        key=f"label/{key}",
        location=file.name,
        sha256=file.sha256,
        size=file.size,
        source_sha256=file.sha256,
        final_url=None,
        version=None,
        published=None,
        retrieved="2026-01-01T00:00:00+00:00",
    )


def _original(pipeline: Pipeline, key: str) -> _Original:
    """Read a label."""
    partition = pipeline.partition("label", key)
    chunked = partition.chunked()
    if chunked is None:
        raise SystemExit(f"{key} was not cut")
    chunks, statements = partition.chunks(), partition.statements()
    ids = [*chunks.column("id").to_pylist(), *statements.column("id").to_pylist()]
    pattern = "|".join(map(re.escape, (*ids, *chunked.document_ids)))
    files = {name: (partition.folder / name).read_bytes() for name in COPIED}
    return _Original(
        partition.folder,
        partition.need_acquired(),
        chunked,
        files,
        re.compile(pattern.encode()),
    )


def _copy(
    pipeline: Pipeline, corpus: LabelCorpus, original: _Original, number: int
) -> tuple[str, SourceFile]:
    """Write the files of a copy; returns its key and its source."""
    drug = partition_key(drug_name(number))
    folder = original.folder.with_name(drug)
    (folder / COUNTS).mkdir(parents=True)
    for file in LINKED:
        os.link(original.folder / file, folder / file)
    new: dict[bytes, bytes] = {}

    def other(match: re.Match[bytes]) -> bytes:
        """Return another id of the same length, always the same for the same id."""
        old = match.group()
        if old not in new:
            made = str(uuid.uuid5(NAMESPACE, f"{number} {old.decode()}"))
            new[old] = (made if b"-" in old else made.replace("-", "")[: len(old)]).encode()
        return new[old]

    for name, data in original.files.items():
        (folder / name).write_bytes(original.ids.sub(other, data))
    source = f"<document><!-- a copy: {number} --></document>".encode()
    path = corpus.path(number)
    path.write_bytes(source)
    stored = FileStore(pipeline.workspace.files).path(sha256_hex(source))
    stored.parent.mkdir(parents=True, exist_ok=True)
    os.link(path, stored)
    file = SourceFile(name=path.name, sha256=stored.name, size=len(source))
    _write_records(original, folder, file)
    return drug, file


def _write_records(original: _Original, folder: Path, file: SourceFile) -> None:
    """Write the records of a copy, as its stages would have."""
    (source,) = original.acquired.sources
    sources = (source.model_copy(update={"drug": folder.name, "file": file}),)
    acquired = original.acquired.model_copy(
        update={"sources": sources, "digest": files_digest(sources)}
    )
    chunked = original.chunked.model_copy(
        update={
            "parse_input": parse_input(acquired),
            "document_ids": tuple(_documents(folder)),
            "digest": fingerprint(original.chunked.digest, folder.name),
        }
    )
    (folder / "acquired.json").write_text(acquired.model_dump_json())
    (folder / "chunks.json").write_text(chunked.model_dump_json())


def _documents(folder: Path) -> Sequence[str]:
    """Return the ids of the documents of a copy."""
    from clinrag_core.index.chunk_table import read_table

    return list(dict.fromkeys(read_table(folder / TABLE).column("document_id").to_pylist()))
