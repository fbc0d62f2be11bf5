"""A file and its manifest entry."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from clinrag_core.model.base import Record

GuidelineFormat = Literal["pdf", "html", "text", "markdown"]
LabelFormat = Literal["spl", "openfda", "pdf"]
Format = GuidelineFormat | LabelFormat

DocumentKind = Literal["guideline", "label"]

Topic = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^\w+(-\w+)*$", max_length=40),
]
"""Any word, in lower case, e.g. 'tb', 'cap', 'hiv'. 'other' marks test material, not indexed."""


class SourceFile(Record):
    """The bytes a document was read from."""

    name: str = Field(description="file name without any folder")
    sha256: str = Field(min_length=64, max_length=64)
    size: int = Field(ge=0, description="bytes")
    url: str | None = None


class DocumentSource(Record):
    """Facts of the manifest about a document before it is parsed."""

    kind: DocumentKind
    format: Format
    file: SourceFile
    id: str | None = Field(default=None, description="of a guideline; a label's id is its set id")
    title: str | None = None
    organisation: str | None = None
    year: int | None = Field(default=None, ge=1900, le=2100)
    topics: tuple[Topic, ...] = ()
    licence: str | None = None
    drug: str | None = Field(default=None, description="partition key of a label")
    published: dt.date | None = Field(
        default=None,
        description="when a label's version was published, which its file does not state",
    )
    pinned_version: int | None = Field(
        default=None, description="the only version of a label that is accepted from this file"
    )
    ocr: bool = Field(default=False, description="read pages without text by OCR")
