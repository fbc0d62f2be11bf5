"""A section of a document and its blocks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from clinrag_core.model.base import Record
from clinrag_core.model.table import Table

SectionRole = Literal[
    "body",  # the text itself; the only role that is indexed
    "highlights",  # SPL excerpt ("Highlights"): a summary that repeats the body
    "product_data",  # SPL 48780-1: coded product data, no prose
    "front_matter",  # cover, copyright page, acknowledgements
    "contents",  # table of contents, list of tables
    "references",  # bibliography
]

SectionGroup = Literal[
    "boxed_warning",
    "indications",
    "dosage",
    "dosage_forms",
    "contraindications",
    "warnings",
    "adverse_reactions",
    "interactions",
    "specific_populations",
    "abuse",
    "overdosage",
    "description",
    "clinical_pharmacology",
    "nonclinical_toxicology",
    "clinical_studies",
    "references",
    "how_supplied",
    "patient_information",
    "package_label",
    "product_data",
    "recent_changes",
    "other",
]

Audience = Literal["clinician", "patient"]

BlockKind = Literal[
    "paragraph", "list_item", "table", "caption", "footnote", "image", "recommendation"
]

TextSource = Literal["text_layer", "ocr"]


class Image(Record):
    """A picture by reference; none of its words are words of the document."""

    reference: str = Field(description="file name as the source has it")
    alt: str = Field(default="", description="alternative text; empty if the source has none")


class Recommendation(Record):
    """A formal recommendation of a guideline."""

    number: str | None = None
    strength: str | None = Field(
        default=None, description="as printed, e.g. 'strong', 'conditional'"
    )
    certainty: str | None = Field(default=None, description="as printed, e.g. 'very low'")
    conditions: tuple[str, ...] = Field(
        default=(),
        description="clauses of the statement that say for whom and when it holds, as printed",
    )
    repeats: int | None = Field(
        default=None, description="ordinal of the section that repeats it and is indexed instead"
    )


class Call(Record):
    """A raised call to notes or references, which is not in the text but next to a word of it."""

    label: str = Field(description="as printed, e.g. '3', 'a,b'; empty if a browser chooses it")
    at: int | None = Field(
        default=None, ge=0, description="offset in the section's text, None if unknown"
    )
    notes: tuple[int, ...] = Field(
        default=(), description="positions of the footnotes it calls among the section's blocks"
    )


class TextPlace(Record):
    """Where a part of a text is printed: lines on one page and column, or a row of a table."""

    start: int = Field(ge=0, description="offset in the section's text from which it holds")
    page: int = Field(ge=1, description="PDF page, from 1")
    page_label: str | None = Field(default=None, description="page number as printed")
    box: tuple[float, float, float, float] = Field(description="x0, y0, x1, y1")


def places_within(places: Sequence[TextPlace], start: int, end: int) -> tuple[TextPlace, ...]:
    """Return the places of a span, each of which reaches to the start of the next."""
    if not places:
        return ()
    ends = [*(place.start for place in places[1:]), end]
    return tuple(
        place
        for place, last in zip(places, ends, strict=True)
        if place.start < end and last > start
    )


class Block(Record):
    """A paragraph, list item, table, ... of a section, with its place in the source."""

    kind: BlockKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = Field(default=None, ge=1, description="PDF page, from 1")
    page_label: str | None = Field(default=None, description="page number as printed")
    box: tuple[float, float, float, float] | None = Field(
        default=None, description="x0, y0, x1, y1"
    )
    places: tuple[TextPlace, ...] = Field(
        default=(), description="of a block in several places: of each column, page or table row"
    )
    xml_id: str | None = None
    table: Table | None = None
    recommendation: Recommendation | None = None
    calls: tuple[Call, ...] = Field(
        default=(), description="raised calls to notes and references, in order"
    )
    label: str | None = Field(default=None, description="label of a footnote, e.g. 'a'")
    lead_in: tuple[int, int] | None = Field(
        default=None,
        description="of a list item: span in the section's text of what introduces its list",
    )
    image: Image | None = Field(default=None, description="of an image block, which has no text")

    def places_of(self, start: int, end: int) -> tuple[TextPlace, ...]:
        """Return where a span of the section's text is printed, as far as the block has it."""
        if self.places:
            return places_within(self.places, start, end)
        if self.page is None or self.box is None:
            return ()
        at = TextPlace(start=self.start, page=self.page, page_label=self.page_label, box=self.box)
        return (at,)

    @model_validator(mode="after")
    def _is_consistent(self) -> Block:
        """Check that calls, lead-in and rows are at possible places."""
        if self.end < self.start:
            raise ValueError("a block ends where it starts or later")
        if self.calls and any(
            c.at is not None and not self.start <= c.at <= self.end for c in self.calls
        ):
            raise ValueError("the calls of a block are inside it")
        if self.lead_in is not None and not self.lead_in[0] < self.lead_in[1] <= self.start:
            raise ValueError("the words that introduce a list come before its items")
        starts = [place.start for place in self.places]
        if starts != sorted(starts) or any(not self.start <= s <= self.end for s in starts):
            raise ValueError("the places of a block are inside it, in order")
        spans = self.table.row_spans if self.table is not None else ()
        if spans and not (self.start <= spans[0][0] and spans[-1][1] <= self.end):
            raise ValueError("the rows of a table are inside its block")
        return self


class Section(Record):
    """One heading with the text directly under it; subsections are sections of their own.

    `text` is canonical: citations are spans of it. Blocks are in order and do not overlap.
    """

    ordinal: int = Field(ge=0, description="position in the document, from 0")
    path: tuple[str, ...] = Field(description="titles from the top down to this section's")
    text: str
    blocks: tuple[Block, ...] = ()
    role: SectionRole = "body"
    page: int | None = Field(default=None, ge=1, description="page of the heading")
    page_label: str | None = None
    xml_id: str | None = None
    own_loinc: str | None = None
    loinc: str | None = Field(default=None, description="effective code: own_loinc, or inherited")
    group: SectionGroup | None = None
    audience: Audience = "clinician"
    effective: dt.date | None = None
    text_source: TextSource = "text_layer"

    @property
    def title(self) -> str:
        """The section's title, empty if it has none."""
        return self.path[-1] if self.path else ""

    def text_of(self, block: Block) -> str:
        """Return the text of one of the section's blocks."""
        return self.text[block.start : block.end]

    @model_validator(mode="after")
    def _blocks_tile_text(self) -> Section:
        """Check that blocks are in order and calls lead to footnotes."""
        last = 0
        for block in self.blocks:
            if block.start < last or block.end > len(self.text):
                raise ValueError(f"block {block.start}:{block.end} overlaps or leaves the text")
            if block.calls and any(
                not (note < len(self.blocks) and self.blocks[note].kind == "footnote")
                for call in block.calls
                for note in call.notes
            ):
                raise ValueError("a call leads to footnotes of its section")
            last = block.end
        return self
