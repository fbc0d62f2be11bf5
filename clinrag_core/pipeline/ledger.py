"""Records of partitions that are reused without reading them while their files are untouched.

Git's index: whatever was computed from a file holds while its inode, size and times are those that
were recorded. The time of change (ctime) is set by the kernel, not by a copy or an archive. A file
changed less than `SETTLED_NS` before it was recorded is not trusted, because the next change might
get the same time ("racy git"). The ledger is a cache: without it everything is read and hashed.

Files of the corpus, which people edit, are checked in every run. Only stages write the folders of
partitions, and their journal names each one they write; the other folders are checked once a day
(ADR 0059).
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

from pydantic import TypeAdapter

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
from clinrag_core.acquire.manifest import manifest_file
from clinrag_core.errors import AcquireError
from clinrag_core.index.integrity import EVERY_FILE_S, SETTLED_NS
from clinrag_core.kept import read_values, write_values
from clinrag_core.model.source import GuidelineFormat, LabelFormat
from clinrag_core.parse.registry import parser_version
from clinrag_core.pipeline.journal import NOWHERE, JournalPlace
from clinrag_core.pipeline.partition import DOCUMENTS, partition_name, written_journal
from clinrag_core.pipeline.stages import CHUNKS
from clinrag_core.workspace import file_digest, fingerprint

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.pipeline import Pipeline

FOLDER = "ledger"
FORMAT = "ledger/4"
_STAT_FIELDS = 4
"""Fields of `stat` that are recorded of a file: inode, size, time of the bytes, time of change."""
_BYTES_TIME = 2
FEW = 1_000
"""One partition in so many is read again in the next run: 1 ms each, where recording takes 4 µs for
each of all."""
_NEVER = (0.0, 0)
NO_FOLDER = -1
"""A descriptor that nothing can be read from."""
_entries: dict[str, TypeAdapter[tuple[GuidelineEntry, ...]] | TypeAdapter[tuple[LabelEntry, ...]]]
_entries = {
    "guideline": TypeAdapter(tuple[GuidelineEntry, ...]),
    "label": TypeAdapter(tuple[LabelEntry, ...]),
}


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


_Untouched: TypeAlias = tuple[
    tuple[str, ...], tuple[int, ...], tuple[int, ...], tuple[str, ...], str
]
"""What is recorded of a partition that was up to date:

- its files, relative to the corpus folder;
- their `stat` fields;
- the `stat` fields of its documents and of its folder in the workspace, the folder last;
- the digests of its files in the store;
- its `PartitionState` as JSON.
"""


class PartitionLedger:
    """The partitions of one kind of a pipeline, checked by the `stat` fields of their files.

    What the manifest says of each is recorded with the digest of its bytes: an unchanged manifest
    is not parsed, neither to see that nothing is to be done nor to work on what has changed.
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
        recorded = read_values(self._path, FORMAT)
        self._recorded: tuple[Any, ...] = recorded or ("", "", {}, "", {}, _NEVER, NOWHERE)
        self._journal = written_journal(workspace)
        self._checked: tuple[float, int] = self._recorded[5]
        """When all partitions were checked, and when one had last been added or removed by then."""
        self._place = JournalPlace(*self._recorded[6])

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
    def _said(self) -> dict[str, str]:
        """What the manifest says of each partition, as JSON, in order of the keys."""
        if self._same_manifest:
            return self._recorded[2]
        manifest = self._pipeline.manifest
        entries: Mapping[str, Sequence[CorpusEntry]] = manifest.drugs
        if self._kind == "guideline":
            of_id = {entry.id: (entry,) for entry in manifest.guidelines}
            entries = {key: of_id[key] for key in sorted(of_id)}
        return {
            key: json.dumps([one.model_dump(mode="json", exclude_defaults=True) for one in of_key])
            for key, of_key in entries.items()
        }

    @cached_property
    def keys(self) -> list[str]:
        """Partition keys of the manifest, sorted."""
        return list(self._said)

    @property
    def corpus_name(self) -> str | None:
        """Name of the corpus; None if the manifest must be read for it."""
        return self._recorded[1] if self._same_manifest else None

    def entries(self, key: str) -> Sequence[CorpusEntry]:
        """What the manifest says of a partition.

        Raises:
            AcquireError: nothing.
        """
        if (said := self._said.get(key)) is None:
            raise AcquireError(f"the corpus {self._root} has no {self._kind} {key!r}")
        return _entries[self._kind].validate_json(said)

    @cached_property
    def _rows(self) -> dict[str, _Untouched]:
        """What is recorded, as far as the manifest still says the same of it."""
        _, name, said, token, rows, *_ = self._recorded
        if not self._same_manifest and name != self._pipeline.manifest.name:
            return {}
        if token != self._token:
            return {}
        if not self._same_manifest:
            rows = {key: row for key, row in rows.items() if said[key] == self._said.get(key)}
        return rows

    def _others_are_known(self) -> bool:
        """Forget the partitions that a stage has written since they were recorded.

        Returns:
            True if the others need no check: the journal is complete, all partitions were checked
            within a day, and none was added or removed since.
        """
        self._place, written = self._journal.since(self._place)
        if written is None:
            self._checked = _NEVER
        for name in written or ():
            self._rows.pop(name.removeprefix(partition_name(self._kind, "")), None)
        at, changed = self._checked
        return 0 <= time.time() - at < EVERY_FILE_S and changed == self._changed()

    def _changed(self) -> int:
        """When a partition was last added or removed; 0 if there is none."""
        try:
            return os.stat(self._folders).st_ctime_ns  # noqa: PTH116 - as for each partition
        except FileNotFoundError:
            return 0

    def stale(self) -> list[str]:
        """Partitions some stage of which must run; those found up to date are recorded."""
        rows, found, stale = self._rows, dict[str, _Untouched](), list[str]()
        stored, known = self._stored(), self._others_are_known()
        now = time.time(), self._changed()
        with _opened(self._root) as root, _opened(self._folders) as folders:
            for key in self.keys:
                if (row := rows.get(key)) is not None:
                    paths, files, own, of_store, _ = row
                    if (
                        files == _stat_fields(root, paths)
                        and (known or own == _stat_fields(folders, _own(key)))
                        and stored.issuperset(of_store)
                    ):
                        continue
                    del rows[key]
                if not self._pipeline.is_fresh(self._kind, key):
                    stale.append(key)
                elif (new := self._row(key)) is not None:
                    found[key] = new
        if not known:
            self._checked = now
        self._record(found, checked=not known)
        return stale

    def states(self) -> list[str]:
        """Return the `PartitionState` of every partition as JSON, in order of the keys.

        A state is read from a file that is replaced, never edited, which changes the folder.

        Raises:
            MissingInputError: the chunks of a partition are absent.
        """
        found: dict[str, _Untouched] = {}
        states: list[str] = []
        for key, row in self._with_rows():
            if row is not None:
                states.append(row[-1])
                continue
            states.append(self._read_state(key))
            fresh = self._pipeline.is_fresh(self._kind, key)
            if fresh and (new := self._row(key)) is not None:
                found[key] = new
        self._record(found)
        return states

    def without_chunks(self) -> Iterator[str]:
        """Partitions that may lack a file of the last stage.

        A file that is put into a folder, or removed from it, changes the folder.
        """
        return (key for key, row in self._with_rows() if row is None)

    def _with_rows(self) -> Iterator[tuple[str, _Untouched | None]]:
        """Yield every key with what is recorded of it; None where its folder may have changed."""
        rows, stat = self._rows, os.stat
        if self._others_are_known():
            yield from ((key, rows.get(key)) for key in self.keys)
            return
        with _opened(self._folders) as folders:
            for key in self.keys:
                row = rows.get(key)
                try:
                    # The time of change alone: whatever else changes, changes it.
                    changed = None if row is None else stat(key, dir_fd=folders).st_ctime_ns
                    same = row is not None and changed == row[2][-1]
                except OSError:
                    same = False
                yield key, row if same else None

    def _read_state(self, key: str) -> str:
        """Return the state of a partition from its record."""
        partition = self._pipeline.partition(self._kind, key)
        partition.require_chunks()
        record = partition.chunked()
        if record is None:
            raise partition.missing("chunks.json", CHUNKS[self._kind])
        return json.dumps([getattr(record, name) for name in PartitionState._fields])

    def _row(self, key: str) -> _Untouched | None:
        """Return what to record of a partition that is up to date; None if it changed just now."""
        acquired = self._pipeline.partition(self._kind, key).acquired()
        entries = self.entries(key)
        paths = tuple(entry.path for entry in entries if entry.path is not None)
        if acquired is None or len(paths) != len(entries):
            return None  # a file that must be asked for is never known to be up to date
        with _opened(self._root) as root, _opened(self._folders) as folders:
            files, own = _stat_fields(root, paths), _stat_fields(folders, _own(key))
        if files is None or own is None:
            return None
        times = (*files, *own)
        settled = time.time_ns() - SETTLED_NS
        if (
            max(*times[_BYTES_TIME::_STAT_FIELDS], *times[_STAT_FIELDS - 1 :: _STAT_FIELDS])
            > settled
        ):
            return None
        stored = tuple(source.file.sha256 for source in acquired.sources)
        return paths, files, own, stored, self._read_state(key)

    def _stored(self) -> set[str]:
        """Return the names of all files in the store."""
        found: set[str] = set()
        if self._store.is_dir():
            for shard in os.scandir(self._store):
                if shard.is_dir():
                    found.update(os.listdir(shard))  # noqa: PTH208 - names only, of every file
        return found

    def _record(self, found: Mapping[str, _Untouched], *, checked: bool = False) -> None:
        """Record partitions, unless they are so few that reading them again costs less.

        What is not recorded is found again: the journal names what a stage wrote, and a file that
        changed has other `stat` fields than are recorded.

        Args:
            found: partitions that were up to date.
            checked: if the folders of all partitions were checked.
        """
        rows = self._rows
        rows.update(found)
        few = len(found) * FEW < len(rows)
        if not rows or (few and self._same_manifest and not checked):
            return
        name = self.corpus_name or self._pipeline.manifest.name
        recorded = (self._digest, name, self._said, self._token, rows)
        write_values(self._path, FORMAT, (*recorded, self._checked, tuple(self._place)))


@contextmanager
def _opened(folder: str) -> Generator[int]:
    """Give a descriptor of a folder, from which paths are a third faster; none where it is gone."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        yield NO_FOLDER
        return
    try:
        yield opened
    finally:
        os.close(opened)


def _own(key: str) -> tuple[str, str]:
    """Return the paths of a partition that are checked, relative to the folder of its kind."""
    return f"{key}/{DOCUMENTS}", key


def _stat_fields(folder: int, paths: Iterable[str]) -> tuple[int, ...] | None:
    """Return the `stat` fields of some files, one after the other; None if one is gone.

    Args:
        folder: descriptor of the folder that `paths` are relative to.
        paths: files, or folders.
    """
    fields: list[int] = []
    stat = os.stat
    try:
        for path in paths:
            seen = stat(path, dir_fd=folder)
            fields += (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    except OSError:
        return None
    return tuple(fields)
