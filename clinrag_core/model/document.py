"""A parsed guideline or drug label."""

from __future__ import annotations

from pydantic import Field, model_validator

from clinrag_core.model.base import Record
from clinrag_core.model.label import Label
from clinrag_core.model.section import Section
from clinrag_core.model.source import DocumentKind, Format, SourceFile, Topic


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
