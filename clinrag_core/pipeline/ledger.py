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
import time
from array import array
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, get_args

from clinrag_core.acquire.manifest import manifest_file
from clinrag_core.index.integrity import file_digest
from clinrag_core.kept import read_values, write_values
from clinrag_core.model.source import GuidelineFormat, LabelFormat
from clinrag_core.parse.registry import parser_version
from clinrag_core.pipeline.stages import CHUNKS
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline

FOLDER = "ledger"
FORMAT = "ledger/2"
SETTLED_S = 2.0
"""The coarsest time that a file system keeps (FAT)."""
_NS = 1_000_000_000
_NUMBER = "q"
_LOOK = 32
"""Bytes of what a file looks like: four numbers."""


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

    paths: tuple[str, ...]
    """Its files, relative to the corpus folder."""
    said: str
    """Digest of what the manifest says of them."""
    look: bytes
    """What its files, its documents and its folder in the workspace look like."""
    stored: tuple[str, ...]
    """Digests of its files in the store."""
    state: str
    """A `PartitionState` as JSON."""


class PartitionLedger:
    """The partitions of one kind of a pipeline, checked by what their files look like.

    Keys and paths are recorded with the digest of the manifest's bytes: one that is unchanged is
    not parsed to see that nothing is to be done.
    """

    def __init__(self, pipeline: Pipeline, kind: DocumentKind) -> None:
        self._pipeline = pipeline
        self._kind: DocumentKind = kind
        workspace = pipeline.workspace
        self._manifest = manifest_file(pipeline.settings.corpus.manifest)
        self._root = str(self._manifest.absolute().parent)
        self._folders = f"{workspace.partitions}/{kind}"
        self._store = workspace.files
        """As `FileStore` lays it out."""
        name = f"{kind}-{fingerprint(str(self._manifest.absolute()))}.bin"
        self._path = workspace.cache / FOLDER / name
        self._digest = self._manifest_digest()
        self._recorded = read_values(self._path, FORMAT) or ("", "", (), "", {})

    def _manifest_digest(self) -> str:
        """Digest of the manifest's bytes; where it cannot be read, reading it says why."""
        try:
            return file_digest(self._manifest)
        except OSError:
            return ""

    @cached_property
    def _token(self) -> str:
        """Fingerprint of what decides, besides its files, whether a partition is up to date."""
        formats = get_args(LabelFormat if self._kind == "label" else GuidelineFormat)
        parsers = [parser_version(name) for name in formats]
        chunker = self._pipeline.models.chunker_fingerprint
        return fingerprint(self._kind, self._root, parsers, chunker)

    @cached_property
    def _same_manifest(self) -> bool:
        return bool(self._digest) and self._recorded[0] == self._digest

    @cached_property
    def keys(self) -> list[str]:
        """Partition keys of the manifest, sorted."""
        if self._same_manifest:
            return list(self._recorded[2])
        manifest = self._pipeline.manifest
        if self._kind == "guideline":
            return sorted(entry.id for entry in manifest.guidelines)
        return list(manifest.drugs)

    @cached_property
    def _rows(self) -> dict[str, _Untouched]:
        _, name, _, token, rows = self._recorded
        if not self._same_manifest and name != self._pipeline.manifest.name:
            return {}
        if token != self._token:
            return {}
        return {key: _Untouched._make(row) for key, row in rows.items()}

    def stale(self) -> list[str]:
        """Partitions some stage of which must run; those found up to date are recorded."""
        rows, found, stale = self._rows, dict[str, _Untouched](), list[str]()
        stored = self._stored()
        for key in self.keys:
            row = rows.get(key)
            if row is not None and self._is_untouched(key, row, stored):
                continue
            if not self._pipeline.is_fresh(self._kind, key):
                stale.append(key)
            elif (new := self._row(key)) is not None:
                found[key] = new
        self._record(found)
        return stale

    def states(self) -> Iterator[tuple[str, PartitionState]]:
        """Every partition of the manifest with its state, in order; what is new is recorded.

        A state is read from a file that is replaced, never edited, which changes the folder.

        Raises:
            MissingInputError: the chunks of a partition are absent.
        """
        found: dict[str, _Untouched] = {}
        for key in self.keys:
            row = self._rows.get(key)
            if row is not None and row.look[-_LOOK:] == _look([f"{self._folders}/{key}"]):
                yield key, PartitionState(*json.loads(row.state))
                continue
            yield key, self._read_state(key)
            fresh = self._pipeline.is_fresh(self._kind, key)
            if fresh and (new := self._row(key)) is not None:
                found[key] = new
        self._record(found)

    def states_digest(self) -> str | None:
        """Digest of the keys and states of all partitions; None if the state of one is not known.

        Equal digests spare `states`.
        """
        digest = hashlib.blake2b(digest_size=16)
        for key in self.keys:
            row = self._rows.get(key)
            if row is None or row.look[-_LOOK:] != _look([f"{self._folders}/{key}"]):
                return None
            digest.update(f"{key}\n{row.state}\n".encode())
        return digest.hexdigest()

    def without_chunks(self) -> Iterator[str]:
        """Partitions that may lack a file of the last stage.

        A file that is put into a folder, or removed from it, changes the folder.
        """
        for key in self.keys:
            row = self._rows.get(key)
            if row is None or row.look[-_LOOK:] != _look([f"{self._folders}/{key}"]):
                yield key

    def _read_state(self, key: str) -> PartitionState:
        """Return the state of a partition from its record."""
        partition = self._pipeline.partition(self._kind, key)
        partition.require_chunks()
        record = partition.chunked()
        if record is None:
            raise partition.missing("chunks.json", CHUNKS[self._kind])
        return PartitionState(*(getattr(record, name) for name in PartitionState._fields))

    def _is_untouched(self, key: str, row: _Untouched, stored: set[str]) -> bool:
        if not self._same_manifest and (row.paths, row.said) != self._given(key):
            return False
        files = [f"{self._root}/{path}" for path in row.paths]
        return row.look == _look(files + self._own(key)) and stored.issuperset(row.stored)

    def _row(self, key: str) -> _Untouched | None:
        """Return what to record of a partition that is up to date; None if it changed just now."""
        acquired = self._pipeline.partition(self._kind, key).acquired()
        given = self._given(key)
        if acquired is None or given is None:
            return None
        look = _look([*(f"{self._root}/{path}" for path in given[0]), *self._own(key)])
        settled = time.time_ns() - int(SETTLED_S * _NS)
        if look is None:
            return None
        numbers = array(_NUMBER, look)
        if max(*numbers[2::4], *numbers[3::4]) > settled:
            return None
        stored = tuple(source.file.sha256 for source in acquired.sources)
        return _Untouched(*given, look, stored, json.dumps(self._read_state(key)))

    def _given(self, key: str) -> tuple[tuple[str, ...], str] | None:
        """Return paths and what is said of them; None if a file must be asked for."""
        manifest = self._pipeline.manifest
        entries: Sequence[CorpusEntry] = (
            manifest.drugs[key] if self._kind == "label" else (manifest.guideline(key),)
        )
        paths = tuple(entry.path for entry in entries if entry.path is not None)
        if len(paths) != len(entries):
            return None
        said = str([tuple(vars(entry).values()) for entry in entries])
        return paths, hashlib.blake2b(said.encode(), digest_size=16).hexdigest()

    def _own(self, key: str) -> list[str]:
        """Documents and folder of a partition."""
        folder = f"{self._folders}/{key}"
        return [f"{folder}/documents.json", folder]

    def _stored(self) -> set[str]:
        """Return the names of all files in the store."""
        found: set[str] = set()
        if self._store.is_dir():
            for shard in os.scandir(self._store):
                if shard.is_dir():
                    found.update(entry.name for entry in os.scandir(shard))
        return found

    def _record(self, found: dict[str, _Untouched]) -> None:
        """Record partitions; what cannot be recorded is found again by reading."""
        if not found and (self._same_manifest or not self._rows):
            return
        self._rows.update(found)
        rows = {key: tuple(self._rows[key]) for key in self.keys if key in self._rows}
        name = self._pipeline.manifest.name
        recorded = (self._digest, name, tuple(self.keys), self._token, rows)
        write_values(self._path, FORMAT, recorded)


def _look(paths: Iterable[str]) -> bytes | None:
    """Return inode, size and times of each file; None where one is gone."""
    look: list[int] = []
    try:
        for path in paths:
            stat = os.stat(path)  # noqa: PTH116 - 150,000 times a run
            look += (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    except OSError:
        return None
    return array(_NUMBER, look).tobytes()
