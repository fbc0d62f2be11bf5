"""Client of DailyMed's web services, version 2: label listings and the newest version of a label.

The services write the string "null" for null, numbers sometimes as numbers and sometimes as
strings, and dates as 'Aug 09, 2023'. They serve labels as XML only.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasPath, BeforeValidator, Field

from clinrag_core.acquire.api import ApiRecord, read_reply
from clinrag_core.acquire.label_choice import SplSummary, newest_versions
from clinrag_core.acquire.label_query import SET_ID, SetId
from clinrag_core.errors import AcquireError, FetchError

if TYPE_CHECKING:
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.label_query import LabelQuery

PAGE_SIZE = 100
"""Largest page that the service returns (DailyMed web services v2, `pagesize`)."""
MAX_PAGES = 50
"""A query with more pages does not name a drug: the whole listing had 1,465 in August 2023."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_date(text: str) -> dt.date:
    """Return the date in a text such as 'Aug 09, 2023', independent of the locale.

    Raises:
        ValueError: the text has another form.
    """
    match = re.match(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})\b", text.strip())
    if match is None or match[1].lower() not in _MONTHS:
        raise ValueError(f"{text!r} is not a date like 'Aug 09, 2023'")
    return dt.date(int(match[3]), _MONTHS.index(match[1].lower()) + 1, int(match[2]))


def _date(value: object) -> object:
    if not isinstance(value, str):
        return value
    return None if value.strip().lower() in {"null", ""} else parse_date(value)


_Date = Annotated[dt.date | None, BeforeValidator(_date)]


class _Version(ApiRecord):
    """One version of a label."""

    spl_version: int = Field(ge=0)
    published_date: _Date = None


class _Titled(ApiRecord):
    """Identity of a label."""

    title: str
    setid: SetId


class _ListedLabel(_Titled, _Version):
    """One label of a listing, in its newest version."""


class _Metadata(ApiRecord):
    """Size of a listing and time of the database; equal on all pages of one listing."""

    total_elements: int = Field(ge=0)
    total_pages: int = Field(ge=0)
    db_published_date: str | None = None


class _ListingPage(ApiRecord):
    """One page of a listing."""

    data: tuple[_ListedLabel, ...]
    metadata: _Metadata


class _History(ApiRecord):
    """A label with its versions."""

    spl: _Titled = Field(validation_alias=AliasPath("data", "spl"))
    history: tuple[_Version, ...] = Field(
        min_length=1, validation_alias=AliasPath("data", "history")
    )


class DailyMed:
    """Client of one server, e.g. `https://dailymed.nlm.nih.gov/dailymed/services/v2`."""

    def __init__(self, http: HttpClient, base_url: str) -> None:
        self._http = http
        self._base = base_url.rstrip("/")

    def spls(self, query: LabelQuery) -> tuple[SplSummary, ...]:
        """Return all labels that match the query's server-side filters, in order of set id.

        Raises:
            FetchError: the service failed (`status` is set for 404, 415, 429 and 5xx), its reply
                has an unknown structure, or the listing changed between pages (transient).
            AcquireError: the query matches more than `MAX_PAGES` pages.
        """
        url = f"{self._base}/spls.json"
        first = self._page(url, query, 1)
        metadata, rows = first.metadata, list(first.data)
        if metadata.total_pages > MAX_PAGES:
            raise AcquireError(
                f"{metadata.total_elements} labels match {query.drug_name!r}; narrow the query"
            )
        for number in range(2, metadata.total_pages + 1):
            page = self._page(url, query, number)
            if page.metadata != metadata:
                raise FetchError(f"{url}: the listing changed while it was read", transient=True)
            rows += page.data
        if len(rows) != metadata.total_elements:
            raise FetchError(
                f"{url}: {len(rows)} labels listed, {metadata.total_elements} announced",
                transient=True,
            )
        return newest_versions(_summary(row, row) for row in rows)

    def newest(self, set_id: str) -> SplSummary:
        """Return the newest version of a label, from its history.

        Raises:
            FetchError: as for `spls`; `status` is 404 if there is no such label.
        """
        url = f"{self._spl_url(set_id)}/history.json"
        reply = read_reply(_History, self._get(url, {}), url)
        if reply.spl.setid != set_id.lower():
            raise FetchError(f"{url}: received the history of another label, {reply.spl.setid}")
        return _summary(reply.spl, max(reply.history, key=lambda version: version.spl_version))

    def xml_url(self, set_id: str) -> str:
        """Return the address of a label's XML."""
        return f"{self._spl_url(set_id)}.xml"

    def _spl_url(self, set_id: str) -> str:
        if not re.fullmatch(SET_ID, set_id):
            raise AcquireError(f"{set_id!r} is not a set id")
        return f"{self._base}/spls/{set_id.lower()}"

    def _page(self, url: str, query: LabelQuery, number: int) -> _ListingPage:
        paging = {"pagesize": str(PAGE_SIZE), "page": str(number)}
        return read_reply(_ListingPage, self._get(url, query.filters() | paging), url)

    def _get(self, url: str, params: dict[str, str]) -> bytes:
        return self._http.get(url, params, accept="application/json").content


def _summary(spl: _Titled, version: _Version) -> SplSummary:
    return SplSummary(
        set_id=spl.setid,
        version=version.spl_version,
        title=spl.title,
        published=version.published_date,
    )
