"""openFDA's drug label search.

Its labels are flat section texts derived from SPL. Half of all labels have no `openfda` block and
are not found by name; those are asked for by set id.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinrag_core.acquire.label_choice import SplSummary
from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import AcquireError, FetchError

if TYPE_CHECKING:
    from clinrag_core.acquire.http import HttpClient
    from clinrag_core.acquire.label_query import LabelQuery

PAGE_SIZE = 100
MAX_SKIP = 25_000
"""Furthest a search can be paged by `skip`."""
_OK = 200
_NOT_FOUND = 404


class _Names(BaseModel):
    model_config = ConfigDict(extra="ignore")
    brand_name: tuple[str, ...] = ()
    generic_name: tuple[str, ...] = ()
    manufacturer_name: tuple[str, ...] = ()
    is_original_packager: tuple[bool, ...] = ()


class _Head(BaseModel):
    model_config = ConfigDict(extra="ignore")
    set_id: str = Field(min_length=1)
    version: int = Field(ge=0)
    effective_time: str = Field(pattern=r"^\d{8}$")
    openfda: _Names = _Names()


class OpenFdaLabel(BaseModel):
    """A label as the search returns it."""

    model_config = ConfigDict(frozen=True)

    summary: SplSummary
    body: dict[str, object]

    def file(self) -> bytes:
        """The label as an answer of one result, without what changes from day to day."""
        meta = {"results": {"limit": 1, "skip": 0, "total": 1}}
        value = {"meta": meta, "results": [self.body]}
        return (json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


class OpenFda:
    """Client of one server.

    Args:
        http: how requests are made.
        url: of the label search, e.g. `https://api.fda.gov/drug/label.json`.
    """

    def __init__(self, http: HttpClient, url: str) -> None:
        self._http = http
        self.url = url

    def by_set_id(self, set_id: str) -> OpenFdaLabel:
        """The label of a set id.

        Raises:
            AcquireError: there is none.
            FetchError: the service failed or answered in an unknown shape.
        """
        for label in self._search(f'set_id:"{_quoted(set_id)}"'):
            if label.summary.set_id == set_id.lower():
                return label
        raise AcquireError(f"openFDA has no label of set id {set_id}")

    def labels(self, query: LabelQuery) -> tuple[OpenFdaLabel, ...]:
        """All prescription labels that pass the query's filters, in order of set id.

        Raises:
            FetchError: the service failed or answered in an unknown shape.
            AcquireError: the query matches more than can be paged.
        """
        name = "brand_name" if query.name_type == "brand" else "generic_name"
        terms = {
            f"openfda.{name}": query.drug_name,
            "openfda.product_type": "HUMAN PRESCRIPTION DRUG",
            "openfda.application_number": query.application_number,
            "openfda.manufacturer_name": query.labeler,
        }
        search = " AND ".join(f'{k}:"{_quoted(v)}"' for k, v in terms.items() if v is not None)
        found: dict[str, OpenFdaLabel] = {}
        for label in self._search(search):
            held = found.get(label.summary.set_id)
            if held is None or held.summary.version < label.summary.version:
                found[label.summary.set_id] = label
        return tuple(found[key] for key in sorted(found))

    def _search(self, search: str) -> list[OpenFdaLabel]:
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
        params = {"search": search, "limit": str(PAGE_SIZE), "skip": str(skip)}
        reply = self._http.get(
            self.url, params, accept="application/json", statuses=(_OK, _NOT_FOUND)
        )
        answer = _object(reply.content, self.url)
        if reply.status == _NOT_FOUND:
            error = answer.get("error")
            if isinstance(error, dict) and cast("dict[str, object]", error).get("code") == (
                "NOT_FOUND"
            ):
                return [], 0
            raise FetchError(f"{shown_url(self.url)}: HTTP 404 Not Found", status=_NOT_FOUND)
        results = answer.get("results")
        total = _total(answer)
        if not isinstance(results, list) or total is None:
            raise FetchError(f"{shown_url(self.url)}: no list of results with a total")
        return [_label(row, self.url) for row in cast("list[object]", results)], total


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _object(content: bytes, url: str) -> dict[str, object]:
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FetchError(f"{shown_url(url)}: the answer is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise FetchError(f"{shown_url(url)}: the answer is no JSON object")
    return cast("dict[str, object]", value)


def _total(answer: dict[str, object]) -> int | None:
    meta = answer.get("meta")
    counts = cast("dict[str, object]", meta).get("results") if isinstance(meta, dict) else None
    total = cast("dict[str, object]", counts).get("total") if isinstance(counts, dict) else None
    return total if isinstance(total, int) else None


def _label(row: object, url: str) -> OpenFdaLabel:
    try:
        head = _Head.model_validate(row)
        effective = dt.datetime.strptime(head.effective_time, "%Y%m%d").replace(tzinfo=dt.UTC)
    except ValueError as error:
        detail = error.errors()[0]["loc"] if isinstance(error, ValidationError) else error
        raise FetchError(f"{shown_url(url)}: a result is no label: {detail}") from error
    names = head.openfda
    title = (
        f"{', '.join(names.brand_name)} ({' AND '.join(names.generic_name)}) "
        f"[{', '.join(names.manufacturer_name)}]"
    )
    return OpenFdaLabel(
        summary=SplSummary(
            set_id=head.set_id.lower(),
            version=head.version,
            title=title,
            published=effective.date(),
            original=any(names.is_original_packager) if names.is_original_packager else None,
        ),
        body=cast("dict[str, object]", row),
    )
