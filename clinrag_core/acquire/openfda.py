"""Client of openFDA's drug label search.

Its labels are flat section texts derived from SPL. Half of all labels have no `openfda` block; a
search by name does not find them, a search by set id does.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasPath, BeforeValidator, Field

from clinrag_core.acquire.api import ApiRecord, read_reply
from clinrag_core.acquire.label_choice import SplSummary, newest_versions
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import AcquireError, FetchError

if TYPE_CHECKING:
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.label_query import LabelQuery

PAGE_SIZE = 100
"""Labels per request; the service gives at most 1,000 (open.fda.gov/apis/paging)."""
MAX_SKIP = 25_000
"""Largest `skip` that the service accepts (open.fda.gov/apis/paging)."""


def _date(value: object) -> object:
    if not (isinstance(value, str) and re.fullmatch(r"\d{8}", value)):
        raise ValueError("not a date like 20230208")
    return dt.date.fromisoformat(value)


class _LabelNames(ApiRecord):
    """Harmonised names of a label, each listed once per product."""

    brand_name: tuple[str, ...] = ()
    generic_name: tuple[str, ...] = ()
    manufacturer_name: tuple[str, ...] = ()
    is_original_packager: tuple[bool, ...] = ()


class _Label(ApiRecord):
    """Identity of a label."""

    set_id: str = Field(min_length=1)
    version: int = Field(ge=0)
    effective_time: Annotated[dt.date, BeforeValidator(_date)]
    openfda: _LabelNames = _LabelNames()


class _ResultPage(ApiRecord):
    """One page of results; `total` counts those of all pages."""

    total: int = Field(validation_alias=AliasPath("meta", "results", "total"))
    results: tuple[dict[str, object], ...]


class _Failure(ApiRecord):
    """Reply with status 404; `code` is `NOT_FOUND` if a search has no results."""

    code: str = Field("", validation_alias=AliasPath("error", "code"))


@dataclass(frozen=True, slots=True)
class OpenFdaLabel:
    """A label as the search returns it."""

    summary: SplSummary
    body: dict[str, object]

    def file(self) -> bytes:
        """Return the label as a reply of one result, without the parts that change every day."""
        meta = {"results": {"limit": 1, "skip": 0, "total": 1}}
        value = {"meta": meta, "results": [self.body]}
        return (json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


class OpenFda:
    """Client of one label search, e.g. `https://api.fda.gov/drug/label.json`."""

    def __init__(self, http: HttpClient, url: str) -> None:
        self._http = http
        self.url = url

    def by_set_id(self, set_id: str) -> OpenFdaLabel:
        """Return the label of a set id.

        Raises:
            AcquireError: there is no such label.
            FetchError: the service failed, or its reply has an unknown structure.
        """
        for label in self._search(f'set_id:"{_quoted(set_id)}"'):
            if label.summary.set_id == set_id.lower():
                return label
        raise AcquireError(f"openFDA has no label of set id {set_id}")

    def labels(self, query: LabelQuery) -> tuple[OpenFdaLabel, ...]:
        """Return all prescription labels that match the query's filters, in order of set id.

        Raises:
            FetchError: the service failed, or its reply has an unknown structure.
            AcquireError: the query has more results than the service can page through.
        """
        name = "brand_name" if query.name_type == "brand" else "generic_name"
        terms = {
            f"openfda.{name}": query.drug_name,
            "openfda.product_type": "HUMAN PRESCRIPTION DRUG",
            "openfda.application_number": query.application_number,
            "openfda.manufacturer_name": query.labeler,
        }
        search = " AND ".join(f'{k}:"{_quoted(v)}"' for k, v in terms.items() if v is not None)
        labels = {label.summary: label for label in self._search(search)}
        return tuple(labels[summary] for summary in newest_versions(labels))

    def _search(self, search: str) -> list[OpenFdaLabel]:
        """Return the results of all pages."""
        labels: list[OpenFdaLabel] = []
        while True:
            page, total = self._page(search, len(labels))
            labels.extend(page)
            if len(labels) >= total:
                return labels
            if not page:
                raise FetchError(
                    f"{self.url}: {len(labels)} of {total} labels listed", transient=True
                )
            if len(labels) > MAX_SKIP:
                raise AcquireError(f"{total} labels match {search}; narrow the query")

    def _page(self, search: str, skip: int) -> tuple[list[OpenFdaLabel], int]:
        """Return one page and the number of all results; no results come as status 404."""
        params = {"search": search, "limit": str(PAGE_SIZE), "skip": str(skip)}
        statuses = (HTTPStatus.OK, HTTPStatus.NOT_FOUND)
        reply = self._http.get(self.url, params, accept="application/json", statuses=statuses)
        if reply.status == HTTPStatus.NOT_FOUND:
            if read_reply(_Failure, reply.content, self.url).code == "NOT_FOUND":
                return [], 0
            raise FetchError(f"{shown_url(self.url)}: HTTP 404 Not Found", status=reply.status)
        page = read_reply(_ResultPage, reply.content, self.url)
        return [_label(row, self.url) for row in page.results], page.total


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _label(row: dict[str, object], url: str) -> OpenFdaLabel:
    """Return a result as a label whose summary has a title in DailyMed's form."""
    label = read_reply(_Label, row, url)
    names = label.openfda
    title = (
        f"{', '.join(names.brand_name)} ({' AND '.join(names.generic_name)}) "
        f"[{', '.join(names.manufacturer_name)}]"
    )
    summary = SplSummary(
        set_id=label.set_id.lower(),
        version=label.version,
        title=title,
        published=label.effective_time,
        original=any(names.is_original_packager) if names.is_original_packager else None,
    )
    return OpenFdaLabel(summary, row)
