"""Bytes of a manifest entry, with everything known about their origin, before any check.

`Acquirer` checks a `FetchedFile` before it stores anything.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.acquire.ledger import Ledger, LedgerRecord
from clinrag_core.acquire.partial import Validators
from clinrag_core.acquire.store import FileStore
from clinrag_core.acquire.urls import shown_url
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.acquire.http import HttpClient


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """The bytes of an entry and their origin."""

    location: str
    """Address, or path in the corpus or drop folder: the second key of the ledger."""
    name: str
    data: bytes
    """The bytes as served, or the stored bytes if `stored` is set."""
    url: str | None = None
    stored: LedgerRecord | None = None
    """Ledger record of the stored bytes, if the source confirmed that they are current."""
    final_url: str | None = None
    validators: Validators | None = None
    version: int | None = None
    set_id: str | None = None
    published: dt.date | None = None
    notes: tuple[str, ...] = ()

    @property
    def source_sha256(self) -> str:
        """sha256 of the bytes as served, before anything was unpacked."""
        return self.stored.source_sha256 if self.stored else sha256_hex(self.data)


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Finds the files of earlier runs by ledger key and location."""

    store: FileStore
    ledger: Ledger

    def latest(self, key: str, location: str) -> LedgerRecord | None:
        """Return the newest record of an entry and location, None if its bytes are lost."""
        record = self.ledger.latest(key, location)
        return record if record is not None and self.store.has(record.sha256) else None

    def reuse(self, record: LedgerRecord, name: str) -> FetchedFile:
        """Return the stored bytes of a record whose source reports no change."""
        return FetchedFile(
            record.location,
            name,
            self.store.read(record.sha256),
            url=record.location,
            stored=record,
            published=record.published,
            notes=record.notes,
        )


def fetch_url(http: HttpClient, stored: StoredFiles, key: str, url: str, name: str) -> FetchedFile:
    """Download an address, or reuse the stored file if the server reports that it is unchanged.

    `key` is the ledger key of the entry, `name` the file name to record.

    Raises:
        FetchError: the download failed.
    """
    location = shown_url(url)
    record = stored.latest(key, location)
    known = record and Validators(etag=record.etag, last_modified=record.last_modified)
    download = http.download(url, validators=known)
    if download.content is None and record is not None:
        return stored.reuse(record, name)
    return FetchedFile(
        location,
        name,
        download.content or b"",
        url=location,
        final_url=shown_url(download.final_url) if download.final_url != url else None,
        validators=download.validators,
    )
