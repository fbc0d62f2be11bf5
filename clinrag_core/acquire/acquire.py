"""From a manifest entry to a checked, stored file with its source.

A file comes from the corpus folder. Entries with an address or a query come from the drop folder if
a user saved a file there, else from the network. The same bytes give the same `DocumentSource` in
every run; only the ledger has the time of retrieval.
"""

from __future__ import annotations

import datetime as dt
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
from clinrag_core.acquire.fetch import FetchedFile, StoredFiles, fetch_url
from clinrag_core.acquire.folder import DropFolder, read_corpus_file, suffixes
from clinrag_core.acquire.ledger import Ledger, LedgerRecord
from clinrag_core.acquire.live_labels import query_label
from clinrag_core.acquire.magic import Payload, check_payload, openfda_file
from clinrag_core.acquire.partial import Validators
from clinrag_core.acquire.records import Acquired, AcquiredFile, AcquireFailure
from clinrag_core.acquire.sources import document_source, entry_format
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.acquire.store import FileStore
from clinrag_core.acquire.urls import file_name
from clinrag_core.errors import AcquireError, ChecksumError, ClinragError, FetchError
from clinrag_core.model.source import SourceFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clinrag_core.acquire.entries import CorpusEntry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.manifest import Manifest
    from clinrag_core.model.source import DocumentSource, Format
    from clinrag_core.settings import AcquireSettings
    from clinrag_core.workspace import Workspace


class Acquirer:
    """Fetches, checks and stores the files of one corpus.

    The caller closes `http`; without it, entries that need the network fail. `clock` gives seconds
    since the epoch, for the ledger.
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
        ledger = Ledger(workspace.files / "ledger.jsonl")
        self._stored = StoredFiles(FileStore(workspace.files), ledger)
        self._drop = DropFolder(workspace.drop, manifest)
        self._settings = settings
        self._http = http

    def acquire(self, entry: CorpusEntry) -> AcquiredFile:
        """Fetch an entry, check it, store it and record its origin in the ledger.

        Raises:
            AcquireError: the file is missing, not served to programs or could not be fetched
                (`FetchError.transient` says whether to try again), or its sha256 differs from
                the manifest's (`ChecksumError`).
            ParseError: the bytes are not in the entry's format.
        """
        fetched = self._fetch(entry)
        form = entry_format(entry, fetched.data, fetched.name)
        payload = _checked(fetched, entry, form)
        data = payload.data
        file = SourceFile(
            name=fetched.name, sha256=sha256_hex(data), size=len(data), url=fetched.url
        )
        if isinstance(entry, LabelEntry):
            _check_set_id(payload, fetched.name, entry, form)
        source = document_source(entry, file, form, fetched.published)
        path = self._stored.store.put(data)
        notes = tuple(dict.fromkeys((*fetched.notes, *payload.notes)))
        if fetched.stored is None:
            self._stored.ledger.append(self._record(source, fetched, entry.ledger_key, notes))
        return AcquiredFile(source, path, notes)

    def files(self, entries: Iterable[CorpusEntry]) -> Acquired:
        """Return the files of some entries; two entries with the same bytes give one file."""
        files: dict[str, AcquiredFile] = {}
        failures: list[AcquireFailure] = []
        for entry in entries:
            try:
                file = self.acquire(entry)
            except ClinragError as error:
                failures.append(AcquireFailure(entry.where, error))
            else:
                files.setdefault(file.source.file.sha256, file)
        return Acquired(tuple(files.values()), tuple(failures))

    def _fetch(self, entry: CorpusEntry) -> FetchedFile:
        """Return the file from the corpus folder, the drop folder or the network.

        Errors name the file that a user can save in the drop folder instead.
        """
        if entry.path is not None:
            return FetchedFile(
                location=entry.path,
                name=PurePosixPath(entry.path).name,
                data=read_corpus_file(self._manifest.root, entry.path, entry.where),
                url=entry.landing_page,
            )
        dropped = self._drop.find(entry)
        if dropped is not None:
            return dropped
        advice = self._drop.advice(entry)
        if entry.manual:
            raise AcquireError(
                f"{entry.where}: not served to programs; {advice}; see {entry.landing_page}"
            )
        alternative = f"; or {advice}" if advice else ""
        if self._http is None:
            raise AcquireError(f"{entry.where}: the network is disabled{alternative}")
        try:
            return self._download(self._http, entry)
        except FetchError as error:
            tail = "" if error.transient else alternative
            raise FetchError(
                f"{entry.where}: {error}{tail}", transient=error.transient, status=error.status
            ) from error

    def _download(self, http: HttpClient, entry: CorpusEntry) -> FetchedFile:
        suffix = suffixes(entry)[0]
        if isinstance(entry, GuidelineEntry):
            name = f"{entry.id}{suffix}"
        elif entry.url is None:
            return query_label(http, self._settings, self._stored, entry)
        else:
            name = file_name(entry.url) or f"{entry.key}{suffix}"
        return fetch_url(http, self._stored, entry.ledger_key, entry.url or "", name)

    def _record(
        self, source: DocumentSource, fetched: FetchedFile, key: str, notes: tuple[str, ...]
    ) -> LedgerRecord:
        """Return the ledger record of a file that was retrieved now."""
        validators = fetched.validators or Validators()
        moment = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        return LedgerRecord(
            key=key,
            location=fetched.location,
            sha256=source.file.sha256,
            size=source.file.size,
            source_sha256=fetched.source_sha256,
            final_url=fetched.final_url,
            etag=validators.etag,
            last_modified=validators.last_modified,
            version=fetched.version,
            set_id=fetched.set_id,
            published=source.published,
            notes=notes,
            retrieved=moment.isoformat(timespec="seconds"),
        )


def _checked(fetched: FetchedFile, entry: CorpusEntry, form: Format) -> Payload:
    """Check the sha256 of the bytes as served, then unpack them and check their format."""
    digest = fetched.source_sha256
    if entry.sha256 is not None and digest != entry.sha256:
        raise ChecksumError(
            f"{entry.where}: {fetched.location}: expected sha256 {entry.sha256}, got {digest}; "
            "if the new file is correct, review it and put its sha256 into the manifest"
        )
    return check_payload(fetched.data, form, fetched.name)


def _check_set_id(payload: Payload, name: str, entry: LabelEntry, form: Format) -> None:
    if entry.set_id is None:
        return
    if form == "spl":
        actual = read_spl_header(payload.data, name).set_id
    else:
        actual = openfda_file(payload.data, name).results[0].get("set_id")
    if not isinstance(actual, str) or actual.lower() != entry.set_id:
        raise AcquireError(
            f"{entry.where}: expected set id {entry.set_id}, the document has {actual}"
        )
