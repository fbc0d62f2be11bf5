"""What is known of each partition without reading it, as long as its files are untouched.

Git's index: whatever was computed from a file holds while its inode, size and times are those that
were recorded. The time of change (ctime) is set by the kernel, not by a copy or an archive. A file
changed less than `SETTLED_S` before it was recorded is not trusted, because the next change might
get the same time ("racy git"). The ledger is a cache: without it everything is read and hashed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from clinrag_core.model.source import GuidelineFormat, LabelFormat
from clinrag_core.parse.registry import parser_version
from clinrag_core.pipeline.stages import CHUNKS
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline

FILE = "ledger.sqlite"
SETTLED_S = 2.0
"""The coarsest time that a file system keeps (FAT)."""
_SCHEMA = """
create table if not exists partition (
    token text, key text, files text, folder text, stored text, state text,
    primary key (token, key)
) without rowid
"""
_NS = 1_000_000_000


class PartitionState(NamedTuple):
    """What the corpus needs of a partition; see `ChunkedRecord`."""

    digest: str
    documents: int
    chunks: int
    statements: int
    words: int
    topics: Sequence[str]
    failures: Sequence[str]
    document_ids: Sequence[str]


class _Untouched(NamedTuple):
    """What is recorded of a partition that was up to date."""

    files: str
    """Its files in the corpus folder, and what the manifest says of them."""
    folder: str
    """Its folder in the workspace."""
    stored: str
    """Its files in the store: digests by commas."""
    state: str
    """A `PartitionState` as JSON."""


class PartitionLedger:
    """The partitions of one kind of a pipeline, checked by what their files look like."""

    def __init__(self, pipeline: Pipeline, kind: DocumentKind) -> None:
        self._pipeline = pipeline
        self._kind: DocumentKind = kind
        self._path = pipeline.workspace.cache / FILE
        self._files = str(pipeline.workspace.files)
        """As `FileStore` lays it out."""
        manifest = pipeline.manifest
        self._root = str(manifest.root)
        formats = get_args(LabelFormat if kind == "label" else GuidelineFormat)
        parsers = [parser_version(name) for name in formats]
        chunker = pipeline.models.chunker_fingerprint
        self._token = fingerprint(kind, manifest.name, self._root, parsers, chunker)

    def stale(self) -> list[str]:
        """Partitions some stage of which must run; those found up to date are recorded."""
        known, found, stale = self._rows(), dict[str, _Untouched](), list[str]()
        for key in self._pipeline.keys(self._kind):
            row = known.get(key)
            if row is not None and self._is_untouched(key, row):
                continue
            if not self._pipeline.is_fresh(self._kind, key):
                stale.append(key)
            elif (new := self._row(key)) is not None:
                found[key] = new
        self._record(found)
        return stale

    def states(self) -> Iterator[tuple[str, PartitionState]]:
        """Every partition of the manifest with its state, in order; what is new is recorded.

        Raises:
            MissingInputError: the chunks of a partition are absent.
        """
        known, found = self._rows(), dict[str, _Untouched]()
        for key in self._pipeline.keys(self._kind):
            row = known.get(key)
            if row is not None and row.folder == _signature(self._folder_stats(key)):
                yield key, PartitionState(*json.loads(row.state))
                continue
            yield key, self._read_state(key)
            fresh = self._pipeline.is_fresh(self._kind, key)
            if fresh and (new := self._row(key)) is not None:
                found[key] = new
        self._record(found)

    def _read_state(self, key: str) -> PartitionState:
        """Return the state of a partition from its record."""
        partition = self._pipeline.partition(self._kind, key)
        partition.require_chunks()
        record = partition.chunked()
        if record is None:
            raise partition.missing("chunks.json", CHUNKS[self._kind])
        return PartitionState(*(getattr(record, name) for name in PartitionState._fields))

    def _is_untouched(self, key: str, row: _Untouched) -> bool:
        files = self._files_stats(key)
        return (
            files is not None
            and row.files == _signature(files, self._said(key))
            and row.folder == _signature(self._folder_stats(key))
            and all(map(os.path.exists, map(self._stored_path, row.stored.split(","))))
        )

    def _row(self, key: str) -> _Untouched | None:
        """Return what to record of a partition that is up to date; None if it changed just now."""
        acquired = self._pipeline.partition(self._kind, key).acquired()
        files, folder = self._files_stats(key), self._folder_stats(key)
        if acquired is None or files is None:
            return None
        settled = time.time_ns() - int(SETTLED_S * _NS)
        if any(max(stat.st_mtime_ns, stat.st_ctime_ns) > settled for stat in (*files, *folder)):
            return None
        return _Untouched(
            _signature(files, self._said(key)),
            _signature(folder),
            ",".join(source.file.sha256 for source in acquired.sources),
            json.dumps(self._read_state(key)),
        )

    def _entries(self, key: str) -> Sequence[CorpusEntry]:
        manifest = self._pipeline.manifest
        return manifest.drugs[key] if self._kind == "label" else (manifest.guideline(key),)

    def _said(self, key: str) -> str:
        return str([tuple(vars(entry).values()) for entry in self._entries(key)])

    def _files_stats(self, key: str) -> list[os.stat_result] | None:
        """Return how the files of a partition look; None if one must be asked for or is gone."""
        found: list[os.stat_result] = []
        for entry in self._entries(key):
            if entry.path is None:
                return None
            try:
                found.append(os.stat(f"{self._root}/{entry.path}"))  # noqa: PTH116 - 50,000 times a run
            except OSError:
                return None
        return found

    def _folder_stats(self, key: str) -> list[os.stat_result]:
        """Return how a partition's folder and its documents look; nothing where one is gone."""
        folder = f"{self._pipeline.workspace.partitions}/{self._kind}/{key}"
        try:
            return [os.stat(folder), os.stat(f"{folder}/documents.json")]  # noqa: PTH116 - as above
        except OSError:
            return []

    def _stored_path(self, sha256: str) -> str:
        return f"{self._files}/{sha256[:2]}/{sha256}"

    def _rows(self) -> dict[str, _Untouched]:
        """Return what is recorded; nothing where the ledger cannot be read."""
        if not self._path.is_file():
            return {}
        try:
            with closing(sqlite3.connect(self._path)) as database:
                rows = database.execute(
                    "select key, files, folder, stored, state from partition where token = ?",
                    (self._token,),
                )
                return {key: _Untouched(*row) for key, *row in rows}
        except sqlite3.Error:
            self._path.unlink(missing_ok=True)
            return {}

    def _record(self, found: dict[str, _Untouched]) -> None:
        """Record partitions; what cannot be recorded is found again by reading."""
        if not found:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = [(self._token, key, *row) for key, row in found.items()]
        try:
            with closing(sqlite3.connect(self._path)) as database, database:
                database.execute(_SCHEMA)
                database.executemany("insert or replace into partition values (?,?,?,?,?,?)", rows)
        except sqlite3.Error:
            self._path.unlink(missing_ok=True)


def _signature(stats: Iterable[os.stat_result], said: str = "") -> str:
    """Return a digest of what files look like, and of something that is said of them."""
    look: list[Any] = [(s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in stats]
    return hashlib.blake2b(f"{look}{said}".encode(), digest_size=16).hexdigest()
