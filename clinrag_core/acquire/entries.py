"""The entries of a `corpus.toml`, each validated by itself.

A guideline entry is one publication and one partition. Label entries are grouped into partitions
by drug.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import PurePosixPath
from typing import Annotated, ClassVar, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from clinrag_core.acquire.keys import MAX_KEY, partition_key
from clinrag_core.acquire.label_query import LabelQuery, SetId
from clinrag_core.acquire.urls import shown_url, url_problem
from clinrag_core.model.base import Record
from clinrag_core.model.source import GuidelineFormat, LabelFormat, Topic


def _checked_url(url: str) -> str:
    if problem := url_problem(url):
        raise ValueError(problem)
    return url


def checked_path(path: str) -> str:
    """Return a path of a manifest; raises ValueError if it is not relative to the folder."""
    pure = PurePosixPath(path)
    if "\\" in path or re.match(r"[A-Za-z]:", path) or "\0" in path:
        raise ValueError(f"{path!r} is not a path with '/' between its parts")
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise ValueError(f"{path!r} leaves the corpus folder; paths are relative to corpus.toml")
    return path


Slug = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", min_length=1, max_length=MAX_KEY)
]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Url = Annotated[str, AfterValidator(_checked_url)]
CorpusPath = Annotated[str, AfterValidator(checked_path)]


class _EntryBase(Record):
    """The origin of the file, common to guideline and label entries."""

    path: CorpusPath | None = Field(None, description="relative to the corpus folder")
    url: Url | None = None
    sha256: Sha256 | None = Field(None, description="of the file as stored there or served")
    notes: str | None = None

    def _check_one_origin(self, *names: str) -> None:
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            listed = " and ".join(given) or "none"
            raise ValueError(f"exactly one of {', '.join(names)} is needed; given: {listed}")


class GuidelineEntry(_EntryBase):
    """One publication of a corpus."""

    id: Slug = Field(description="stable; the partition key")
    title: Text
    organisation: Text | None = None
    year: int | None = Field(None, ge=1900, le=2100, description="None if none is printed")
    topics: tuple[Topic, ...] = Field((), description="'other' is kept out of the KB")
    format: GuidelineFormat | None = Field(None, description="None: recognised by content")
    licence: Text | None = None
    manual: bool = Field(False, description="not served to programs: a user saves it in drop/")
    landing: Url | None = Field(None, description="page where a reader finds the file")
    ocr: bool = Field(
        False,
        description="read pages without text by OCR; figures may be wrong, so passages are marked",
    )
    superseded_by: Slug | None = Field(None, description="id of the publication that replaced it")

    @field_validator("topics")
    @classmethod
    def _topics_differ(cls, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
        if len(set(topics)) != len(topics):
            raise ValueError("a topic is named twice")
        return topics

    @model_validator(mode="after")
    def _consistent(self) -> GuidelineEntry:
        self._check_one_origin("path", "url")
        if self.manual and self.url is None:
            raise ValueError("manual is for entries with a url; a path is in the folder already")
        if self.superseded_by is not None and self.topics != ("other",):
            raise ValueError(
                'a superseded publication is kept out of the knowledge base: topics = ["other"]'
            )
        return self

    @property
    def ledger_key(self) -> str:
        """First key of the entry's ledger records."""
        return f"guideline/{self.id}"

    @property
    def where(self) -> str:
        """Name of the entry in messages."""
        return f"guideline {self.id}"

    @property
    def drop_stem(self) -> str | None:
        """File name without suffix that identifies the entry in the drop folder."""
        return self.id

    @property
    def landing_page(self) -> str | None:
        """Page where a reader finds the file."""
        return self.landing or self.url


class LabelEntry(_EntryBase):
    """One label file of a drug, or a query that finds one."""

    drug: Text = Field(description="active ingredient or combination, as people write it")
    format: LabelFormat | None = Field(
        None, description="None: recognised by content; a query without it goes to DailyMed"
    )
    query: LabelQuery | None = Field(None, description="to DailyMed, or to openFDA by format")
    set_id: SetId | None = Field(None, description="the only label accepted; pins a query's choice")
    published: dt.date | None = Field(None, description="when this version was published, if known")
    pinned_version: int | None = Field(
        None, ge=1, description="the only version served, even if a newer one was accepted before"
    )
    manual: ClassVar[bool] = False

    @field_validator("drug")
    @classmethod
    def _drug_has_key(cls, drug: str) -> str:
        partition_key(drug)
        return drug

    @model_validator(mode="after")
    def _consistent(self) -> LabelEntry:
        self._check_one_origin("path", "url", "query")
        if self.query is not None:
            if self.sha256 is not None:
                raise ValueError("a query finds the current version, so it has no fixed sha256")
            if self.format == "pdf":
                raise ValueError("a query finds no PDF: give its path or url")
            if self.format == "openfda":
                self.query.check_openfda()
        return self

    @property
    def key(self) -> str:
        """Partition key of the drug."""
        return partition_key(self.drug)

    @property
    def ledger_key(self) -> str:
        """First key of the entry's ledger records."""
        return f"label/{self.key}"

    @property
    def where(self) -> str:
        """Name of the entry in messages."""
        query = self.query.model_dump(exclude_defaults=True) if self.query else {}
        query |= {"set_id": self.set_id} if self.set_id else {}
        listed = ", ".join(f"{name}={value}" for name, value in query.items())
        origin = self.path or (shown_url(self.url) if self.url else f"query {listed}")
        return f"label {self.drug} ({origin})"

    @property
    def drop_stem(self) -> str | None:
        """File name without suffix that identifies the entry in the drop folder."""
        return self.set_id

    @property
    def landing_page(self) -> str | None:
        """Page where a reader finds the file."""
        return self.url


CorpusEntry: TypeAlias = GuidelineEntry | LabelEntry
