"""A passage: what is indexed, retrieved and cited."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.model.section import Audience, TextPlace, TextSource
from clinrag_core.model.source import DocumentKind


class Chunk(Record):
    """A passage: what is indexed, retrieved and cited.

    `text` is verbatim, `section.text[start:end]`. `embed_title` and `embed_text` are what encoders
    and BM25 see.
    """

    id: str = Field(min_length=16)
    document_id: str
    document_title: str
    kind: DocumentKind
    section_ordinal: int
    section_path: tuple[str, ...]
    ordinal: int = Field(ge=0, description="position among the chunks of one section path")
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = Field(min_length=1)
    embed_title: str
    embed_text: str
    tokens: int = Field(ge=1, description="of embed_text, by the encoder's tokenizer, no specials")
    file_sha256: str
    organisation: str | None = None
    year: int | None = None
    topics: tuple[str, ...] = ()
    page: int | None = None
    page_label: str | None = None
    boxes: tuple[tuple[int, float, float, float, float], ...] = Field(
        default=(), description="page, x0, y0, x1, y1 of each of its places"
    )
    xml_id: str | None = None
    loinc: str | None = None
    group: str | None = None
    audience: Audience = "clinician"
    has_table: bool = False
    text_source: TextSource = "text_layer"
    drug: str | None = None
    drug_names: tuple[str, ...] = ()
    set_id: str | None = None
    label_version: int | None = None
    effective: dt.date | None = None
    table_html: str | None = Field(
        default=None, description="its rows of tables with their headers, for display; escaped"
    )
    places: tuple[TextPlace, ...] = Field(
        default=(), description="page and box of each row, column or block the chunk touches"
    )
