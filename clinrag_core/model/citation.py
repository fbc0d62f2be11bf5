"""The place of a claim in its source."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from clinrag_core.model.base import Record


class Citation(Record):
    """The place of a sentence, precise enough for a reader to check it."""

    chunk_id: str
    document_id: str
    document_title: str
    section_path: tuple[str, ...]
    start: int = Field(description="span of the snippet in the section's text")
    end: int
    snippet: str = Field(description="verbatim")
    page: int | None = None
    boxes: tuple[tuple[int, float, float, float, float], ...] = Field(
        default=(), description="page, x0, y0, x1, y1 of each place where the snippet is printed"
    )
    page_label: str | None = None
    loinc: str | None = None
    label_version: int | None = None
    effective: dt.date | None = None
