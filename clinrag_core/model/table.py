"""A table of a document: its grid, what heads rows and columns, and its HTML for display."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterable


class MergedCell(Record):
    """A cell that covers more than one place of the grid."""

    row: int = Field(ge=0)
    column: int = Field(ge=0)
    rows: int = Field(default=1, ge=1)
    columns: int = Field(default=1, ge=1)


class Table(Record):
    """A table as a grid; `Section.text` holds the same cells, tabs between them, rows by line.

    Places that a merged cell covers are empty, or repeat its text if rows were repeated.
    """

    caption: str = ""
    header_rows: int = Field(default=0, ge=0)
    rows: tuple[tuple[str, ...], ...]
    row_spans: tuple[tuple[int, int], ...] = Field(
        description="span of each row in Section.text; same length as rows"
    )
    merged: tuple[MergedCell, ...] = Field(default=(), description="cells that span places")
    group_rows: tuple[int, ...] = Field(
        default=(), description="rows below the header that head the rows after them"
    )
    unsure_rows: tuple[int, ...] = Field(
        default=(), description="rows whose cells may belong to other rows or columns: not quoted"
    )

    def header(self, column: int) -> tuple[str, ...]:
        """Header texts of a column from the top, those of cells that span it included."""
        texts = (self._spanning(row, column) for row in range(self.header_rows))
        return tuple(dict.fromkeys(text for text in texts if text))

    def cells(self, row: int) -> tuple[str, ...]:
        """Return cells of a row, filled with the text of cells that reach down into it."""
        columns = range(len(self.rows[row]))
        return tuple(self.rows[row][c] or self._from_above(row, c) for c in columns)

    def groups(self, row: int) -> tuple[str, ...]:
        """Return texts of the rows that head a row, highest first; empty for header and group."""
        return tuple(self.rows[g][0] for g in self._group_rows(row))

    def excerpt(self, rows: Iterable[int]) -> Table:
        """Return the table with some of its rows, the header rows and the rows that head them.

        A cell that reaches down over several rows is repeated in each row that is kept.
        """
        wanted = set(rows)
        heads = {g for row in wanted for g in self._group_rows(row)}
        kept = sorted({*range(self.header_rows), *heads, *wanted})
        if len(kept) == len(self.rows):
            return self
        new = {old: row for row, old in enumerate(kept)}
        merged = [
            m.model_copy(update={"row": new[m.row]})
            for m in self.merged
            if m.row in new and (m.rows == 1 or m.row + m.rows <= self.header_rows)
        ]
        return Table(
            caption=self.caption,
            header_rows=self.header_rows,
            rows=tuple(self.rows[n] if n < self.header_rows else self.cells(n) for n in kept),
            row_spans=tuple(self.row_spans[n] for n in kept),
            merged=tuple(merged),
            group_rows=tuple(new[g] for g in self.group_rows if g in new),
            unsure_rows=tuple(new[n] for n in self.unsure_rows if n in new),
        )

    def _group_rows(self, row: int) -> range:
        """Return the numbers of the rows that head a row."""
        above = [g for g in self.group_rows if g < row]
        if row < self.header_rows or row in self.group_rows or not above:
            return range(0)
        first = last = above[-1]
        while first - 1 in self.group_rows:
            first -= 1
        return range(first, last + 1)

    def html(self) -> str:
        """Return the table as HTML with spans, escaped."""
        merged = {(m.row, m.column): m for m in self.merged}
        covered = {
            (m.row + i, m.column + j)
            for m in self.merged
            for i in range(m.rows)
            for j in range(m.columns)
            if i or j
        }
        lines: list[str] = []
        for i, row in enumerate(self.rows):
            name = "th" if i < self.header_rows or i in self.group_rows else "td"
            cells = "".join(
                f"<{name}{_spans(merged.get((i, j)))}>{escape(text)}</{name}>"
                for j, text in enumerate(row)
                if (i, j) not in covered
            )
            lines.append(f"<tr>{cells}</tr>")
        parts = [f"<caption>{escape(self.caption)}</caption>"] if self.caption else []
        if head := lines[: self.header_rows]:
            parts += ["<thead>", *head, "</thead>"]
        body = lines[self.header_rows :]
        return "\n".join(["<table>", *parts, "<tbody>", *body, "</tbody>", "</table>"])

    def _spanning(self, row: int, column: int) -> str:
        for m in self.merged:
            if m.row <= row < m.row + m.rows and m.column <= column < m.column + m.columns:
                return self.rows[m.row][m.column]
        return self.rows[row][column] if column < len(self.rows[row]) else ""

    def _from_above(self, row: int, column: int) -> str:
        for m in self.merged:
            if m.column == column and m.row < row < m.row + m.rows:
                return self.rows[m.row][m.column]
        return ""

    @model_validator(mode="after")
    def _grid_is_consistent(self) -> Table:
        """Check that rows, spans, groups and merged cells fit each other."""
        if len(self.rows) != len(self.row_spans):
            raise ValueError("a table needs one span per row")
        if any(a[1] >= b[0] for a, b in zip(self.row_spans, self.row_spans[1:], strict=False)):
            raise ValueError("the rows of a table are in order and do not overlap")
        if self.header_rows > len(self.rows):
            raise ValueError("a table has no more header rows than rows")
        if len({len(row) for row in self.rows}) > 1:
            raise ValueError("the rows of a table have equally many cells")
        if any(not self.header_rows <= g < len(self.rows) for g in self.group_rows):
            raise ValueError("a group row is a row below the header")
        width = len(self.rows[0]) if self.rows else 0
        for m in self.merged:
            if m.row + m.rows > len(self.rows) or m.column + m.columns > width:
                raise ValueError(f"the cell at {m.row}, {m.column} leaves the grid")
        return self


def _spans(merged: MergedCell | None) -> str:
    if merged is None:
        return ""
    down = f' rowspan="{merged.rows}"' if merged.rows > 1 else ""
    across = f' colspan="{merged.columns}"' if merged.columns > 1 else ""
    return down + across
