"""Finds the label that a query asks for and downloads it.

The document must be the listed label: its set id, document type and version are compared with the
listing.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from clinrag_core.acquire.dailymed import DailyMed
from clinrag_core.acquire.fetch import FetchedFile, StoredFiles, fetch_url
from clinrag_core.acquire.label_choice import choose_label
from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.openfda import OpenFda
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.errors import AcquireError, FetchError, NotListedError

if TYPE_CHECKING:
    from clinrag_core.acquire.entries import LabelEntry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.label_choice import SplSummary
    from clinrag_core.acquire.label_query import LabelQuery
    from clinrag_core.settings import AcquireSettings


def query_label(
    http: HttpClient, settings: AcquireSettings, stored: StoredFiles, entry: LabelEntry
) -> FetchedFile:
    """Return the label that an entry's query asks for; the stored file if it is still current.

    Raises:
        NotListedError: no label matches, or the pinned label is not listed any more.
        AcquireError: several labels match, or another document was received.
        FetchError: a service failed.
        ParseError: the document received is not a label.
    """
    if entry.query is None:
        raise AcquireError(f"{entry.where}: the entry has no query")
    if entry.format == "openfda":
        return _from_openfda(OpenFda(http, settings.openfda_url), entry, entry.query)
    service = DailyMed(http, settings.dailymed_url)
    chosen = _dailymed_choice(service, entry, entry.query)
    url, name = service.xml_url(chosen.set_id), f"{chosen.set_id}-v{chosen.version}.xml"
    record = stored.latest(entry.ledger_key, url)
    if record is not None and record.version == chosen.version:
        fetched = stored.reuse(record, name)
    else:
        fetched = fetch_url(http, stored, entry.ledger_key, url, name)
    version = _checked_version(fetched, chosen, entry.query)
    published = (chosen.published if version == chosen.version else None) or fetched.published
    return replace(fetched, version=version, set_id=chosen.set_id, published=published)


def _dailymed_choice(service: DailyMed, entry: LabelEntry, query: LabelQuery) -> SplSummary:
    if entry.set_id is None:
        return choose_label(entry.drug, query, service.spls(query))
    try:
        return service.newest(entry.set_id)
    except FetchError as error:
        if error.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            raise NotListedError(f"set id {entry.set_id} is not listed: {error}") from error
        raise


def _checked_version(fetched: FetchedFile, chosen: SplSummary, query: LabelQuery) -> int:
    """Check that the document is the chosen label, and return its version."""
    name = fetched.name
    header = read_spl_header(check_payload(fetched.data, "spl", name).data, name)
    if header.set_id != chosen.set_id:
        raise AcquireError(
            f"{name}: requested set id {chosen.set_id}, the document has {header.set_id}"
        )
    if header.type_code != query.doctype:
        raise AcquireError(
            f"{name}: requested document type {query.doctype}, the document has {header.type_code}"
        )
    if header.version is None or header.version < chosen.version:
        raise FetchError(
            f"{name}: version {chosen.version} is listed, version {header.version} is served",
            transient=True,
        )
    return header.version


def _from_openfda(service: OpenFda, entry: LabelEntry, query: LabelQuery) -> FetchedFile:
    """Return the label from the search results, which contain its full text."""
    if entry.set_id is not None:
        label = service.by_set_id(entry.set_id)
    else:
        labels = {label.summary: label for label in service.labels(query)}
        label = labels[choose_label(entry.drug, query, labels)]
    chosen = label.summary
    return FetchedFile(
        location=f"{service.url}#{chosen.set_id}",
        name=f"{chosen.set_id}-v{chosen.version}.json",
        data=label.file(),
        url=service.url,
        version=chosen.version,
        set_id=chosen.set_id,
    )
