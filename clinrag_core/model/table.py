"""A table of a document."""

from __future__ import annotations

from pydantic import Field, model_validator

from clinrag_core.model.base import Record


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
