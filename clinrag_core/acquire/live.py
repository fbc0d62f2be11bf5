"""Entries with an address or a query: the drop folder first, then the network.

A file in the drop folder was chosen by a user, so it takes precedence over the address. Error
messages name the file that a user can save there instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.acquire.entries import GuidelineEntry
from clinrag_core.acquire.fetch import FetchedFile, StoredFiles, fetch_url
from clinrag_core.acquire.folder import SUFFIXES, DropFolder
from clinrag_core.acquire.live_labels import query_label
from clinrag_core.acquire.urls import file_name
from clinrag_core.errors import AcquireError, FetchError

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.acquire.entries import Entry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.manifest import Manifest
    from clinrag_core.settings import AcquireSettings


class LiveEntries:
    """Fetches the entries of one corpus that are not files of its folder.

    Args:
        manifest: the corpus.
        drop: the drop folder.
        settings: addresses of the label services.
        stored: files of earlier runs.
        http: the client, None if the network is disabled.
    """

    def __init__(
        self,
        manifest: Manifest,
        drop: Path,
        settings: AcquireSettings,
        stored: StoredFiles,
        http: HttpClient | None,
    ) -> None:
        self._drop = DropFolder(drop, manifest)
        self._settings = settings
        self._stored = stored
        self._http = http

    def fetch(self, entry: Entry) -> FetchedFile:
        """Return the file of an entry that has an address or a query.

        Raises:
            AcquireError: the site blocks programs and the drop folder has no file, the network
                is disabled, no label matches the query, or several do.
            FetchError: the download failed.
        """
        dropped = self._drop.find(entry)
        if dropped is not None:
            return dropped
        names = self._drop.names(entry)
        advice = (
            f"download it yourself and save it as $CLINRAG_HOME/drop/{names[0]}" if names else ""
        )
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

    def _download(self, http: HttpClient, entry: Entry) -> FetchedFile:
        suffix = SUFFIXES[entry.format][0]
        if isinstance(entry, GuidelineEntry):
            name = f"{entry.id}{suffix}"
        elif entry.url is None:
            return query_label(http, self._settings, self._stored, entry)
        else:
            name = file_name(entry.url) or f"{entry.key}{suffix}"
        return fetch_url(http, self._stored, entry.ledger_key, entry.url or "", name)
