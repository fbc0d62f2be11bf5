"""Getting an entry's bytes: from the corpus folder, the drop folder or an address.

Nothing is judged here; `Acquirer` checks what was obtained before anything is stored.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.acquire.label_choice import LabelChoice
from clinrag_core.acquire.ledger import Ledger, LedgerRecord
from clinrag_core.acquire.partial import Validators
from clinrag_core.acquire.store import FileStore
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import AcquireError

if TYPE_CHECKING:
    from clinrag_core.acquire.http import HttpClient


NO_VALIDATORS = Validators()


@dataclass(frozen=True, slots=True)
class Obtained:
    """The bytes of an entry and where they come from."""

    location: str
    """Address, or path in the corpus or drop folder: the ledger's second key."""
    name: str
    data: bytes
    """As served; as stored where `held` is set."""
    url: str | None = None
    held: LedgerRecord | None = None
    """The record of the stored bytes, where the source says they are still current."""
    final_url: str | None = None
    validators: Validators = NO_VALIDATORS
    version: int | None = None
    set_id: str | None = None
    published: dt.date | None = None
    choice: LabelChoice | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is already here: the store and its ledger."""

    store: FileStore
    ledger: Ledger

    def held(self, key: str, location: str) -> LedgerRecord | None:
        """The newest record of an entry at a place, if its bytes still are in the store."""
        record = self.ledger.latest(key, location)
        return record if record is not None and self.store.has(record.sha256) else None


def from_drop_folder(path: Path, url: str | None, where: str) -> Obtained:
    """Read a file a person put into the drop folder.

    Raises:
        AcquireError: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AcquireError(f"{where}: drop/{path.name} cannot be read: {error.strerror}") from error
    return Obtained(
        location=f"drop/{path.name}",
        name=path.name,
        data=data,
        url=url,
        notes=("from_drop_folder",),
    )


def from_url(http: HttpClient, shelf: Shelf, key: str, url: str, name: str) -> Obtained:
    """Fetch an address, unless the copy held is still current.

    Raises:
        FetchError: it could not be had.
    """
    location = shown_url(url)
    held = shelf.held(key, location)
    known = None
    if held is not None and (held.etag is not None or held.last_modified is not None):
        known = Validators(etag=held.etag, last_modified=held.last_modified)
    got = http.download(url, validators=known)
    if got.content is None and held is not None:
        return Obtained(location, name, shelf.store.read(held.sha256), url=location, held=held)
    return Obtained(
        location,
        name,
        got.content or b"",
        url=location,
        final_url=shown_url(got.final_url) if got.final_url != got.url else None,
        validators=got.validators,
    )
