"""The nouns everything passes around.

Only data with its invariants lives here: no input or output, no algorithm. Every text position is
a half-open `[start, end)` span of Unicode code points. Pages count from 1; boxes are in PDF points
with the origin at the top left.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Format = Literal["pdf", "html", "text", "markdown", "spl", "openfda"]
DocumentKind = Literal["guideline", "label"]
Topic = Literal["tb", "cap", "other"]

SectionRole = Literal[
    "body",  # what the document says; the only role that is indexed
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


class Record(BaseModel):
    """Base of all records: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceFile(Record):
    """The bytes a document was read from."""

    name: str = Field(description="file name without any folder")
    sha256: str = Field(min_length=64, max_length=64)
    size: int = Field(ge=0, description="bytes")
    url: str | None = None


class DocumentSource(Record):
    """What the manifest says about a document before it is parsed."""

    kind: DocumentKind
    format: Format
    file: SourceFile
    id: str | None = Field(
        default=None, description="guideline id; a label's id is read from its set id"
    )
    title: str | None = None
    organisation: str | None = None
    year: int | None = Field(default=None, ge=1900, le=2100)
    topics: tuple[Topic, ...] = ()
    licence: str | None = None
    drug: str | None = Field(
        default=None, description="partition key of a label, as the manifest has it"
    )
    published: dt.date | None = Field(
        default=None, description="when a label's version came out, which its file does not say"
    )
    ocr: bool = Field(default=False, description="read pages without text by OCR")


class Table(Record):
    """A table as a grid; `Section.text` holds the same cells, tabs between them, rows by line."""

    caption: str = ""
    header_rows: int = Field(default=0, ge=0)
    rows: tuple[tuple[str, ...], ...]
    row_spans: tuple[tuple[int, int], ...] = Field(
        description="span of each row in Section.text; same length as rows"
    )

    @model_validator(mode="after")
    def _spans_match_rows(self) -> Table:
        if len(self.rows) != len(self.row_spans):
            raise ValueError("a table needs one span per row")
        if self.header_rows > len(self.rows):
            raise ValueError("a table has no more header rows than rows")
        return self


class Image(Record):
    """A picture by reference; none of its words are words of the document."""

    reference: str = Field(description="file name as the source has it")
    alt: str = Field(default="", description="alternative text; empty where the source has none")


class Recommendation(Record):
    """A formal recommendation of a guideline."""

    number: str | None = None
    strength: str | None = Field(
        default=None, description="as printed, e.g. 'strong', 'conditional'"
    )
    certainty: str | None = Field(default=None, description="as printed, e.g. 'very low'")
    repeats: int | None = Field(
        default=None,
        description="ordinal of the section that says it again and is indexed in its place",
    )


class Block(Record):
    """A paragraph, list item, table, ... of a section, with where it stood in the source."""

    kind: BlockKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = Field(default=None, ge=1, description="PDF page, from 1")
    page_label: str | None = Field(default=None, description="page number as printed")
    box: tuple[float, float, float, float] | None = Field(
        default=None, description="x0, y0, x1, y1"
    )
    xml_id: str | None = None
    table: Table | None = None
    recommendation: Recommendation | None = None
    calls: tuple[str, ...] = Field(
        default=(),
        description="labels of raised calls to notes and references, as printed, in order; they "
        "are not in the text, where they would read as part of a number",
    )
    image: Image | None = Field(default=None, description="of an image block, which has no text")

    @model_validator(mode="after")
    def _span_is_ordered(self) -> Block:
        if self.end < self.start:
            raise ValueError("a block ends where it starts or later")
        return self


class Section(Record):
    """One heading with the text directly under it; subsections are sections of their own.

    `text` is canonical: citations are spans of it. Blocks lie in order and do not overlap.
    """

    ordinal: int = Field(ge=0, description="position in the document, from 0")
    path: tuple[str, ...] = Field(description="titles from the top down to this section's own")
    text: str
    blocks: tuple[Block, ...] = ()
    role: SectionRole = "body"
    page: int | None = Field(default=None, ge=1, description="page of the heading")
    page_label: str | None = None
    xml_id: str | None = None
    own_loinc: str | None = None
    loinc: str | None = Field(
        default=None, description="effective code, inherited where own is absent"
    )
    group: SectionGroup | None = None
    audience: Audience = "clinician"
    effective: dt.date | None = None
    text_source: TextSource = "text_layer"

    @property
    def title(self) -> str:
        """The section's own title, empty where it has none."""
        return self.path[-1] if self.path else ""

    @model_validator(mode="after")
    def _blocks_tile_text(self) -> Section:
        last = 0
        for block in self.blocks:
            if block.start < last or block.end > len(self.text):
                raise ValueError(f"block {block.start}:{block.end} overlaps or leaves the text")
            last = block.end
        return self


class ActiveIngredient(Record):
    """One active ingredient of a product."""

    substance: str
    unii: str | None = None
    moieties: tuple[str, ...] = ()
    strength: str | None = Field(default=None, description="e.g. '300 mg / 1'")


class Product(Record):
    """One product of a label."""

    ndc: str | None = None
    name: str | None = Field(default=None, description="brand (proprietary) name")
    generic_names: tuple[str, ...] = ()
    form: str | None = None
    routes: tuple[str, ...] = ()
    actives: tuple[ActiveIngredient, ...] = ()
    parts: int = Field(default=0, ge=0, description="parts of a kit")
    source_ndcs: tuple[str, ...] = ()
    applications: tuple[str, ...] = Field(default=(), description="e.g. 'NDA202155'")
    package_ndcs: tuple[str, ...] = ()


class Label(Record):
    """What a drug label says about itself."""

    drug: str = Field(description="partition key, as the manifest has it")
    set_id: str | None = None
    version: int | None = Field(default=None, ge=0)
    version_id: str | None = Field(default=None, description="id of this version of the document")
    type_code: str | None = Field(default=None, description="LOINC document type, e.g. 34391-3")
    effective: dt.date | None = None
    published: dt.date | None = None
    labeler: str | None = None
    products: tuple[Product, ...] = ()
    names: tuple[str, ...] = Field(
        default=(), description="every name of the drug, lower case, sorted"
    )
    has_boxed_warning: bool = False
    is_partial: bool = False


class ParseWarning(Record):
    """Something odd in a document that did not stop it from being used."""

    code: str
    message: str
    place: str | None = None


class Document(Record):
    """A parsed guideline or drug label."""

    id: str = Field(min_length=1)
    kind: DocumentKind
    format: Format
    title: str
    file: SourceFile
    parser: str = Field(description="parser name and version, e.g. 'spl/1'")
    organisation: str | None = None
    year: int | None = None
    topics: tuple[Topic, ...] = ()
    licence: str | None = None
    pages: int | None = Field(default=None, ge=1)
    running_characters: int | None = Field(
        default=None, ge=0, description="letters and digits removed as running headers and footers"
    )
    label: Label | None = None
    sections: tuple[Section, ...] = ()
    warnings: tuple[ParseWarning, ...] = ()

    @property
    def words(self) -> int:
        """Whitespace-separated words of all body sections."""
        return sum(len(s.text.split()) for s in self.sections if s.role == "body")

    @model_validator(mode="after")
    def _ordinals_count_up(self) -> Document:
        if [s.ordinal for s in self.sections] != list(range(len(self.sections))):
            raise ValueError("section ordinals count up from 0")
        if (self.kind == "label") != (self.label is not None):
            raise ValueError("labels, and only labels, carry a label record")
        return self


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
        default=(), description="page, x0, y0, x1, y1 of each block the chunk touches"
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


class Citation(Record):
    """Where a sentence stands, precisely enough for a reader to check it."""

    chunk_id: str
    document_id: str
    document_title: str
    section_path: tuple[str, ...]
    start: int = Field(description="span of the snippet in the section's text")
    end: int
    snippet: str = Field(description="verbatim")
    page: int | None = None
    boxes: tuple[tuple[int, float, float, float, float], ...] = Field(
        default=(), description="page, x0, y0, x1, y1 of each block of the passage"
    )
    page_label: str | None = None
    loinc: str | None = None
    label_version: int | None = None
    effective: dt.date | None = None
