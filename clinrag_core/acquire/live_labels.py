"""Labels that a query finds: which one, and its bytes.

The bytes must be the label the listing spoke of: set id, document type and version are compared
with what the document says of itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.acquire.dailymed import DailyMed
from clinrag_core.acquire.label_choice import LabelChoice, choose_label
from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.obtain import Obtained, Shelf, from_url
from clinrag_core.acquire.openfda import OpenFda
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.errors import AcquireError, FetchError, NotListedError

if TYPE_CHECKING:
    from clinrag_core.acquire.entries import LabelEntry
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.label_query import LabelQuery
    from clinrag_core.settings import AcquireSettings

GONE = (404, 410)


def query_label(
    http: HttpClient, settings: AcquireSettings, shelf: Shelf, entry: LabelEntry, key: str
) -> Obtained:
    """Find and fetch the label an entry's query asks for.

    Args:
        http: how requests are made.
        settings: addresses of the services.
        shelf: what is already here.
        entry: a label entry with a query.
        key: ledger key of the entry.

    Raises:
        NotListedError: no label fits, or none is listed any more.
        AcquireError: several fit, or another came than was chosen.
        FetchError: a service failed.
        ParseError: what came is no label.
    """
    if entry.query is None:
        raise AcquireError(f"label {entry.drug}: no query to ask")
    if entry.format == "openfda":
        return _from_openfda(OpenFda(http, settings.openfda_url), entry, entry.query)
    daily = DailyMed(http, settings.dailymed_url)
    choice = _dailymed_choice(daily, entry, entry.query)
    address = daily.spl_address(choice.chosen.set_id)
    got = _current(shelf, key, address, choice) or from_url(http, shelf, key, address, "")
    name = f"{choice.chosen.set_id}-v{choice.chosen.version}.xml"
    got = replace(got, name=name, choice=choice, set_id=choice.chosen.set_id)
    return _verified(got, choice, entry.query)


def _dailymed_choice(daily: DailyMed, entry: LabelEntry, query: LabelQuery) -> LabelChoice:
    if entry.set_id is None:
        return choose_label(entry.drug, query, daily.spls(query))
    try:
        return LabelChoice(chosen=daily.history(entry.set_id).newest)
    except FetchError as error:
        if error.status in GONE:
            raise NotListedError(f"set id {entry.set_id} is not listed: {error}") from error
        raise


def _current(shelf: Shelf, key: str, address: str, choice: LabelChoice) -> Obtained | None:
    """The stored bytes, if they are of the version that is listed."""
    held = shelf.held(key, address)
    if held is None or held.version != choice.chosen.version:
        return None
    return Obtained(address, "", shelf.store.read(held.sha256), url=address, held=held)


def _verified(got: Obtained, choice: LabelChoice, query: LabelQuery) -> Obtained:
    header = read_spl_header(check_payload(got.data, "spl", got.name).data, got.name)
    chosen = choice.chosen
    if header.set_id != chosen.set_id:
        raise AcquireError(
            f"{got.name}: asked for set id {chosen.set_id}, the document says {header.set_id}"
        )
    if header.type_code != query.doctype:
        raise AcquireError(
            f"{got.name}: document type {header.type_code}, asked for {query.doctype}"
        )
    if header.version is None or header.version < chosen.version:
        raise FetchError(
            f"{got.name}: version {chosen.version} is listed, version {header.version} is served",
            transient=True,
        )
    published = chosen.published if header.version == chosen.version else None
    return replace(got, version=header.version, published=published)


def _from_openfda(service: OpenFda, entry: LabelEntry, query: LabelQuery) -> Obtained:
    if entry.set_id is not None:
        label = service.by_set_id(entry.set_id)
        choice = LabelChoice(chosen=label.summary)
    else:
        labels = {label.summary: label for label in service.labels(query)}
        choice = choose_label(entry.drug, query, labels)
        label = labels[choice.chosen]
    set_id = choice.chosen.set_id
    return Obtained(
        location=f"{service.url}#{set_id}",
        name=f"{set_id}-v{choice.chosen.version}.json",
        data=label.file(),
        url=service.url,
        version=choice.chosen.version,
        set_id=set_id,
        choice=choice,
    )
