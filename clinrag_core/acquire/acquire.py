"""From a manifest entry to a checked, stored file with its source.

The same bytes give the same `DocumentSource` in every run; when they were retrieved stands in the
ledger only. A file of a drug that cannot be had is reported beside those that could.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import TYPE_CHECKING

from clinrag_core.acquire.folder import read_corpus_file
from clinrag_core.acquire.ledger import Ledger, LedgerRecord
from clinrag_core.acquire.magic import Payload, check_payload
from clinrag_core.acquire.obtain import Obtained, Shelf
from clinrag_core.acquire.outside import Outside
from clinrag_core.acquire.records import Acquired, AcquiredFile, AcquireFailure
from clinrag_core.acquire.sources import file_name, guideline_source, label_source
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import AcquireError, ChecksumError, ClinragError
from clinrag_core.model.source import SourceFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.manifest import Manifest
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.settings import AcquireSettings
    from clinrag_core.workspace import Workspace


class Acquirer:
    """Gets the files of one corpus.

    Args:
        manifest: the corpus.
        workspace: where files, the ledger and the drop folder are.
        settings: addresses of the label services.
        http: the client for live entries; the caller closes it. Where None, entries that need the
            network fail and say so.
        clock: seconds since the epoch, for the ledger.
    """

    def __init__(
        self,
        manifest: Manifest,
        workspace: Workspace,
        settings: AcquireSettings,
        http: HttpClient | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._manifest = manifest
        self._clock = clock
        self._shelf = Shelf(FileStore(workspace.files), Ledger(workspace.files / "ledger.jsonl"))
        self._outside = Outside(manifest, workspace.drop, settings, self._shelf, http)

    def guideline(self, entry: GuidelineEntry) -> AcquiredFile:
        """Get the file of a publication.

        Raises:
            AcquireError: it is missing, walled or could not be fetched (`FetchError.transient`
                says whether to try again), or has another sha256 than stated (`ChecksumError`).
            ParseError: the bytes are not of the entry's format.
        """
        where, key = f"guideline {entry.id}", f"guideline/{entry.id}"
        if entry.path is not None:
            got = self._from_corpus(entry.path, entry.landing, where)
        else:
            got = self._outside.guideline(entry, key, where)
        payload = _checked(got, entry, where)
        return self._stored(guideline_source(entry, _file(got, payload)), got, payload, key)

    def drug(self, key: str) -> Acquired:
        """Get the label files of a drug's partition, in the order of the manifest.

        Two entries that lead to the same bytes give one file.

        Raises:
            AcquireError: the corpus has no such drug.
        """
        entries = self._manifest.drugs.get(key)
        if entries is None:
            raise AcquireError(f"corpus {self._manifest.name!r} has no drug {key!r}")
        files: dict[str, AcquiredFile] = {}
        failures: list[AcquireFailure] = []
        for entry in entries:
            where = f"label {entry.drug} ({entry.place})"
            try:
                file = self._label(entry, where)
            except ClinragError as error:
                failures.append(AcquireFailure(where, error))
            else:
                files.setdefault(file.source.file.sha256, file)
        return Acquired(tuple(files.values()), tuple(failures))

    def _label(self, entry: LabelEntry, where: str) -> AcquiredFile:
        key = f"label/{entry.key}"
        if entry.path is not None:
            got = self._from_corpus(entry.path, None, where)
        else:
            got = self._outside.label(entry, key, where)
        payload = _checked(got, entry, where)
        _check_set_id(payload, got.name, entry, where)
        source = label_source(entry, _file(got, payload), _published(got))
        return self._stored(source, got, payload, key)

    def _from_corpus(self, path: str, url: str | None, where: str) -> Obtained:
        data = read_corpus_file(self._manifest.root, path, where)
        return Obtained(location=path, name=file_name(path), data=data, url=url)

    def _stored(
        self, source: DocumentSource, got: Obtained, payload: Payload, key: str
    ) -> AcquiredFile:
        path = self._shelf.store.put(payload.data)
        earlier = got.held.notes if got.held is not None else got.notes
        notes = tuple(dict.fromkeys((*earlier, *payload.notes)))
        if got.held is None:
            self._shelf.ledger.append(self._record(source, got, key, notes))
        return AcquiredFile(source, path, notes, got.choice)

    def _record(
        self, source: DocumentSource, got: Obtained, key: str, notes: tuple[str, ...]
    ) -> LedgerRecord:
        moment = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        return LedgerRecord(
            key=key,
            location=got.location,
            sha256=source.file.sha256,
            size=source.file.size,
            source_sha256=sha256_hex(got.data),
            final_url=got.final_url,
            etag=got.validators.etag,
            last_modified=got.validators.last_modified,
            version=got.version,
            set_id=got.set_id,
            published=source.published,
            notes=notes,
            retrieved=moment.isoformat(timespec="seconds"),
        )


def _checked(got: Obtained, entry: GuidelineEntry | LabelEntry, where: str) -> Payload:
    """The checksum is of the file as served, before anything is unpacked."""
    digest = got.held.source_sha256 if got.held is not None else sha256_hex(got.data)
    if entry.sha256 is not None and digest != entry.sha256:
        raise ChecksumError(
            f"{where}: {got.location}: expected sha256 {entry.sha256}, got {digest}; if the new "
            "file is the right one, review it and put its sha256 into the manifest"
        )
    return check_payload(got.data, entry.format, got.name)


def _published(got: Obtained) -> dt.date | None:
    if got.published is None and got.held is not None:
        return got.held.published
    return got.published


def _file(got: Obtained, payload: Payload) -> SourceFile:
    return SourceFile(
        name=got.name, sha256=sha256_hex(payload.data), size=len(payload.data), url=got.url
    )


def _check_set_id(payload: Payload, name: str, entry: LabelEntry, where: str) -> None:
    if entry.set_id is None:
        return
    if entry.format == "spl":
        found = read_spl_header(payload.data, name).set_id
    else:
        found = json.loads(payload.data)["results"][0].get("set_id")
    if not isinstance(found, str) or found.lower() != entry.set_id:
        raise AcquireError(f"{where}: expected set id {entry.set_id}, the document says {found}")
