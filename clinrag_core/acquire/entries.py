"""The entries of a `corpus.toml`, each checked by itself.

One guideline is one publication and one partition; labels are grouped into partitions by drug.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from clinrag_core.acquire.keys import drug_key
from clinrag_core.acquire.label_query import LabelQuery, SetId
from clinrag_core.acquire.urls import shown_url, url_problem
from clinrag_core.model.base import Record
from clinrag_core.model.source import Topic


def _checked_url(url: str) -> str:
    if problem := url_problem(url):
        raise ValueError(problem)
    return url


def _checked_path(path: str) -> str:
    pure = PurePosixPath(path)
    if "\\" in path or re.match(r"[A-Za-z]:", path) or "\0" in path:
        raise ValueError(f"{path!r} is not a path with '/' between its parts")
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise ValueError(f"{path!r} leaves the corpus folder; paths are relative to corpus.toml")
    return path


Slug = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", min_length=1, max_length=63)
]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Url = Annotated[str, AfterValidator(_checked_url)]
CorpusPath = Annotated[str, AfterValidator(_checked_path)]


def _exactly_one(entry: Record, *names: str) -> None:
    given = [name for name in names if getattr(entry, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) if given else "none"
        raise ValueError(f"exactly one of {', '.join(names)} is needed; given: {found}")


class GuidelineEntry(Record):
    """One publication."""

    id: Slug = Field(description="stable; the partition key")
    title: Text
    organisation: Text
    year: int | None = Field(None, ge=1900, le=2100, description="None where none is printed")
    topics: tuple[Topic, ...] = Field(min_length=1, description="'other' is kept out of the KB")
    format: Literal["pdf", "html", "text", "markdown"]
    licence: Text
    path: CorpusPath | None = Field(None, description="relative to the corpus folder")
    url: Url | None = None
    sha256: Sha256 | None = Field(None, description="of the file as it lies there or is served")
    manual: bool = Field(False, description="walled: a person puts the file in the drop folder")
    landing: Url | None = Field(None, description="page a person can read or fetch it from")
    ocr: bool = Field(
        False,
        description="read pages without text by OCR; numbers may be wrong, so each says so",
    )
    superseded_by: Slug | None = Field(None, description="id of the publication that replaced it")
    notes: str | None = None

    @field_validator("topics")
    @classmethod
    def _topics_differ(cls, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
        if len(set(topics)) != len(topics):
            raise ValueError("a topic is named twice")
        return topics

    @model_validator(mode="after")
    def _consistent(self) -> GuidelineEntry:
        _exactly_one(self, "path", "url")
        if self.manual and self.url is None:
            raise ValueError("manual is for entries with a url; a path is in the folder already")
        if self.superseded_by is not None and self.topics != ("other",):
            raise ValueError(
                'a superseded publication is kept out of the knowledge base: topics = ["other"]'
            )
        return self


class LabelEntry(Record):
    """One label file of a drug, or a query that finds one."""

    drug: Text = Field(description="active ingredient or combination, as people write it")
    format: Literal["spl", "openfda"] = "spl"
    path: CorpusPath | None = None
    url: Url | None = None
    query: LabelQuery | None = Field(None, description="against DailyMed, or openFDA by format")
    set_id: SetId | None = Field(None, description="the one label meant; pins a query's choice")
    sha256: Sha256 | None = None
    published: dt.date | None = Field(None, description="when this version came out, if known")
    notes: str | None = None

    @field_validator("drug")
    @classmethod
    def _drug_has_key(cls, drug: str) -> str:
        drug_key(drug)
        return drug

    @model_validator(mode="after")
    def _consistent(self) -> LabelEntry:
        _exactly_one(self, "path", "url", "query")
        if self.query is not None:
            if self.sha256 is not None:
                raise ValueError("a query finds the current version, so it has no fixed sha256")
            if self.format == "openfda":
                self.query.check_openfda()
        return self

    @property
    def key(self) -> str:
        """Partition key."""
        return drug_key(self.drug)

    @property
    def place(self) -> str:
        """Where the label comes from, for messages."""
        return self.path or (shown_url(self.url) if self.url else f"query {self._asked()}")

    def _asked(self) -> str:
        asked = self.query.model_dump(exclude_defaults=True) if self.query else {}
        pairs = asked | ({"set_id": self.set_id} if self.set_id else {})
        return ", ".join(f"{name}={value}" for name, value in pairs.items())
