"""A statement: the smallest piece of a document that can be quoted, with what it needs for that."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import Field, model_validator

from clinrag_core.model.base import Record
from clinrag_core.model.section import Audience
from clinrag_core.model.source import DocumentKind

StatementKind = Literal[
    "sentence",
    "item",  # of a list, with its lead-in
    "row",  # of a table, with its headings
    "recommendation",  # formal recommendation of a guideline
    "note",  # footnote or caption: searchable, quoted with its table only
    "lead_in",  # introduces what comes after it, says nothing alone
]

PartKind = Literal["run_in", "lead_in", "caption", "row_group", "heading", "antecedent", "note"]

Unfit = Literal[
    "furniture",  # navigation, copyright, names of people: no medical content
    "apparatus",  # methods of the guideline: GRADE, PICO, search strategies
    "narrative",  # what a study did or found
    "incomplete",  # ends before it says anything
    "unsure_binding",  # a row whose headings are unknown or ambiguous
]


class FramePart(Record):
    """Words elsewhere in the section that a statement needs to be understood."""

    kind: PartKind
    start: int = Field(ge=0, description="span in the section's text")
    end: int = Field(ge=0)
    column: int | None = Field(default=None, description="of a row: the column that it heads")


class Statement(Record):
    """A sentence, list item or table row of a section, with its frame.

    `section.text[start:end]` is its own text. `said` is what it says with its frame, in words a
    reader understands without the page; only words of the section and of its title are in it.
    """

    id: str = Field(min_length=16)
    document_id: str
    section_ordinal: int
    block: int = Field(ge=0, description="position of its block in the section")
    order: int = Field(ge=0, description="position among the statements of the document")
    kind: StatementKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = Field(min_length=1)
    said: str = Field(min_length=1)
    frame: tuple[FramePart, ...] = ()
    page: int | None = None
    unfit: tuple[Unfit, ...] = Field(default=(), description="why it is not quoted, empty if it is")

    @model_validator(mode="after")
    def _spans_are_possible(self) -> Statement:
        if self.end <= self.start or any(part.end <= part.start for part in self.frame):
            raise ValueError("a statement and the parts of its frame have words")
        return self


class RowCell(Record):
    """A cell of a table row with what heads it."""

    heading: str
    value: str


class Quote(Record):
    """A span of a passage that a statement is made of."""

    chunk_id: str
    start: int = Field(ge=0, description="span in the section's text")
    end: int = Field(ge=0)


class IndexedStatement(Record):
    """A statement as the index holds it: with its document, its headings and what to cite.

    `said` is shown; `quotes` are the places of every word of it, its own text first.
    """

    id: str
    document_id: str
    document_title: str
    kind: DocumentKind
    statement_kind: StatementKind
    order: int = Field(ge=0, description="position among the statements of the document")
    section_ordinal: int
    block: int
    headings: tuple[str, ...] = Field(description="heading path, outermost first")
    text: str = Field(description="its own words")
    said: str = Field(description="its own words with its frame: lead-in, headings of cells, group")
    caption: str = Field("", description="of its table")
    run_in: str = Field("", description="label that heads this part of the section's text")
    quotes: tuple[Quote, ...]
    embed_title: str = Field("", description="document title and headings, as encoders read them")
    unfit: tuple[Unfit, ...] = ()
    aspects: tuple[str, ...] = Field((), description="what it says: dose, duration, monitoring ...")
    advises: bool = Field(False, description="whether it recommends or forbids something")
    stems: tuple[str, ...] = Field((), description="key stems of what it says, caption and run-in")
    group: str | None = Field(None, description="section group of a label, e.g. dosage")
    loinc: str | None = None
    ingredients: tuple[str, ...] = Field((), description="of the label's product; () in guidelines")
    routes: tuple[str, ...] = Field((), description="of the label's products; () in guidelines")
    audience: Audience = "clinician"
    year: int | None = None
    effective: dt.date | None = None
