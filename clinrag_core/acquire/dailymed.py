"""DailyMed's services, version 2: listings, histories and labels.

The service writes the string "null" for null, numbers now as numbers and now as strings, and
dates as 'Aug 09, 2023'. A label itself comes as XML only.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from clinrag_core.acquire.label_choice import SplSummary
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import AcquireError, FetchError
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from clinrag_core.acquire.http import Download, HttpClient
    from clinrag_core.acquire.label_query import LabelQuery
    from clinrag_core.acquire.partial import Validators

PAGE_SIZE = 100
"""Largest page the service gives."""
MAX_PAGES = 50
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SET_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_Answer = TypeVar("_Answer", bound=BaseModel)


def parse_date(text: str) -> dt.date:
    """A date as the service writes it, e.g. 'Aug 09, 2023', whatever the locale.

    Raises:
        ValueError: it is written otherwise.
    """
    match = re.match(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})\b", text.strip())
    if match is None or match[1].lower() not in _MONTHS:
        raise ValueError(f"{text!r} is not a date like 'Aug 09, 2023'")
    return dt.date(int(match[3]), _MONTHS.index(match[1].lower()) + 1, int(match[2]))


def _null(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() in {"null", ""} else value


def _date(value: object) -> object:
    value = _null(value)
    return parse_date(value) if isinstance(value, str) else value


def _set_id(value: object) -> object:
    if not (isinstance(value, str) and _SET_ID.fullmatch(value.strip())):
        raise ValueError("not a set id")
    return value.strip().lower()


_Date = Annotated[dt.date | None, BeforeValidator(_date)]
_SetId = Annotated[str, BeforeValidator(_set_id)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Row(_Shape):
    setid: _SetId
    spl_version: int = Field(ge=0)
    title: str
    published_date: _Date = None


class _Metadata(_Shape):
    total_elements: int = Field(ge=0)
    total_pages: int = Field(ge=0)
    current_page: Annotated[int | None, BeforeValidator(_null)] = None
    db_published_date: str | None = None


class _Page(_Shape):
    data: tuple[_Row, ...]
    metadata: _Metadata


class _Version(_Shape):
    spl_version: int = Field(ge=0)
    published_date: _Date = None


class _Titled(_Shape):
    title: str
    setid: _SetId


class _HistoryData(_Shape):
    spl: _Titled
    history: tuple[_Version, ...] = Field(min_length=1)


class _History(_Shape):
    data: _HistoryData


class SplVersion(Record):
    """One version of a label; numbers may have gaps."""

    version: int
    published: dt.date | None


class SplHistory(Record):
    """All versions of a label, newest first."""

    set_id: str
    title: str
    versions: tuple[SplVersion, ...]

    @property
    def newest(self) -> SplSummary:
        """The current version as a listing shows it."""
        top = self.versions[0]
        return SplSummary(
            set_id=self.set_id, version=top.version, title=self.title, published=top.published
        )


def _shaped(model: type[_Answer], content: bytes, url: str) -> _Answer:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        raise FetchError(
            f"{shown_url(url)}: unexpected answer at {place}: {first['msg']}"
        ) from error


class DailyMed:
    """Client of one server.

    Args:
        http: how requests are made.
        base_url: e.g. `https://dailymed.nlm.nih.gov/dailymed/services/v2`.
    """

    def __init__(self, http: HttpClient, base_url: str) -> None:
        self._http = http
        self._base = base_url.rstrip("/")

    def spls(self, query: LabelQuery) -> tuple[SplSummary, ...]:
        """All labels that pass the query's server-side filters, in order of set id.

        Raises:
            FetchError: the service failed (404, 415, 429, 5xx carry their `status`), answered in
                an unknown shape, or changed while its pages were read (transient).
            AcquireError: the query matches more than `MAX_PAGES` pages.
        """
        url = f"{self._base}/spls.json"
        found: dict[str, SplSummary] = {}
        rows, number, first = 0, 1, None
        while True:
            page = self._page(url, query, number)
            first = first or page.metadata
            if page.metadata.total_pages > MAX_PAGES:
                raise AcquireError(
                    f"{page.metadata.total_elements} labels match {query.drug_name!r}; narrow the "
                    "query"
                )
            if page.metadata != first.model_copy(
                update={"current_page": page.metadata.current_page}
            ):
                raise FetchError(f"{url}: the listing changed while it was read", transient=True)
            rows += len(page.data)
            for row in page.data:
                _keep_newest(found, row)
            if number >= page.metadata.total_pages:
                break
            number += 1
        if rows != first.total_elements:
            raise FetchError(
                f"{url}: {rows} labels listed where {first.total_elements} are announced",
                transient=True,
            )
        return tuple(found[key] for key in sorted(found))

    def history(self, set_id: str) -> SplHistory:
        """All versions of a label.

        Raises:
            FetchError: as for `spls`; `status` 404 where there is no such label.
        """
        url = f"{self._spl_url(set_id)}/history.json"
        data = _shaped(_History, self._get(url, {}), url).data
        if data.spl.setid != set_id.lower():
            raise FetchError(f"{url}: the history of another label, {data.spl.setid}")
        versions = {v.spl_version: v.published_date for v in data.history}
        return SplHistory(
            set_id=data.spl.setid,
            title=data.spl.title,
            versions=tuple(
                SplVersion(version=v, published=versions[v]) for v in sorted(versions, reverse=True)
            ),
        )

    def spl_xml(self, set_id: str, validators: Validators | None = None) -> Download:
        """The current version of a label.

        Raises:
            FetchError: as for `spls`; `status` 404 where there is no such label.
        """
        return self._http.download(self.spl_address(set_id), validators=validators)

    def spl_address(self, set_id: str) -> str:
        """Where a label's XML is served."""
        return f"{self._spl_url(set_id)}.xml"

    def _spl_url(self, set_id: str) -> str:
        if not _SET_ID.fullmatch(set_id):
            raise AcquireError(f"{set_id!r} is not a set id")
        return f"{self._base}/spls/{set_id.lower()}"

    def _page(self, url: str, query: LabelQuery, number: int) -> _Page:
        paging = {"pagesize": str(PAGE_SIZE), "page": str(number)}
        return _shaped(_Page, self._get(url, query.filters() | paging), url)

    def _get(self, url: str, params: dict[str, str]) -> bytes:
        return self._http.get(url, params, accept="application/json").content


def _keep_newest(found: dict[str, SplSummary], row: _Row) -> None:
    held = found.get(row.setid)
    if held is None or held.version < row.spl_version:
        found[row.setid] = SplSummary(
            set_id=row.setid,
            version=row.spl_version,
            title=row.title,
            published=row.published_date,
        )
