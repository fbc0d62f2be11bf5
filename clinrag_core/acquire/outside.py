"""Entries whose bytes are not in the corpus folder: the drop folder first, then the network.

What a person put into the drop folder is what is meant, so it goes before an address. Every
failure says how the file can be given by hand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.acquire.folder import SUFFIXES, drop_names, find_dropped
from clinrag_core.acquire.live_labels import query_label
from clinrag_core.acquire.obtain import Obtained, Shelf, from_drop_folder, from_url
from clinrag_core.acquire.urls import file_name
from clinrag_core.errors import AcquireError, FetchError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.manifest import Manifest
    from clinrag_core.model.source import Format
    from clinrag_core.settings import AcquireSettings


@dataclass(frozen=True, slots=True)
class _Wanted:
    where: str
    form: Format
    stem: str | None
    url: str | None
    page: str | None = None
    manual: bool = False


class Outside:
    """Gets live entries of one corpus.

    Args:
        manifest: the corpus; an address's file name counts in the drop folder only where no
            other entry shares it ('index.html').
        drop: the drop folder.
        settings: addresses of the label services.
        shelf: what is already here.
        http: None where the network is switched off.
    """

    def __init__(
        self,
        manifest: Manifest,
        drop: Path,
        settings: AcquireSettings,
        shelf: Shelf,
        http: HttpClient | None,
    ) -> None:
        self._drop = drop
        self._settings = settings
        self._shelf = shelf
        self._http = http
        entries = (*manifest.guidelines, *manifest.labels)
        self._names = Counter(file_name(e.url) for e in entries if e.url is not None)

    def guideline(self, entry: GuidelineEntry, key: str, where: str) -> Obtained:
        """Get a publication that has an address.

        Raises:
            AcquireError: it is walled and nobody dropped it, or the network is switched off.
            FetchError: it could not be fetched.
        """
        url = entry.url or ""
        name = f"{entry.id}{SUFFIXES[entry.format][0]}"
        wanted = _Wanted(where, entry.format, entry.id, url, entry.landing or url, entry.manual)
        return self._get(wanted, lambda http: from_url(http, self._shelf, key, url, name))

    def label(self, entry: LabelEntry, key: str, where: str) -> Obtained:
        """Get a label that has an address or a query.

        Raises:
            AcquireError: the network is switched off, no label fits the query, or several do.
            FetchError: it could not be fetched.
        """
        wanted = _Wanted(where, entry.format, entry.set_id, entry.url, entry.url)
        if entry.url is None:
            return self._get(
                wanted,
                lambda http: query_label(http, self._settings, self._shelf, entry, key),
            )
        url = entry.url
        name = file_name(url) or f"{entry.key}{SUFFIXES[entry.format][0]}"
        return self._get(wanted, lambda http: from_url(http, self._shelf, key, url, name))

    def _get(self, wanted: _Wanted, fetch: Callable[[HttpClient], Obtained]) -> Obtained:
        names = self._drop_names(wanted)
        dropped = find_dropped(self._drop, names, wanted.where)
        if dropped is not None:
            return from_drop_folder(dropped, wanted.page, wanted.where)
        hint = f"fetch it by hand and save it as $CLINRAG_HOME/drop/{names[0]}" if names else ""
        if wanted.manual:
            raise AcquireError(f"{wanted.where}: not served to programs; {hint}; see {wanted.page}")
        if self._http is None:
            tail = f", or {hint}" if hint else ""
            raise AcquireError(f"{wanted.where}: needs the network, which is switched off{tail}")
        try:
            return fetch(self._http)
        except FetchError as error:
            tail = f"; or {hint}" if hint and not error.transient else ""
            raise FetchError(
                f"{wanted.where}: {error}{tail}", transient=error.transient, status=error.status
            ) from error

    def _drop_names(self, wanted: _Wanted) -> tuple[str, ...]:
        published = file_name(wanted.url) if wanted.url else ""
        known = published if self._names[published] == 1 else None
        if wanted.stem is not None:
            return drop_names(wanted.stem, wanted.form, known)
        return (known,) if known else ()
