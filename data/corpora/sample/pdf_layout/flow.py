"""Blocks of the markup as flowables: headings with bookmarks, boxes with a title bar, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reportlab.lib.colors import HexColor
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    KeepTogether,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from pdf_layout import markup
from pdf_layout.hyphens import hyphenate
from pdf_layout.theme import styles

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportlab.lib.styles import ParagraphStyle

    from pdf_layout.theme import Theme

GREY = HexColor("#9aa3a8")

SHORT_TABLE_ROWS = 14
"""Rows of a table that is kept on one page."""


class HeadingParagraph(Paragraph):
    """A heading that reports itself, with its canvas, when it is drawn."""

    def __init__(
        self, heading: markup.Heading, style: ParagraphStyle, drawn: Callable[..., None]
    ) -> None:
        super().__init__(markup.inline(heading.text), style)
        self.heading = heading
        self.drawn = drawn

    def draw(self) -> None:
        """Draw, then let the document add the bookmark, outline and contents entries."""
        super().draw()
        self.drawn(self.canv, self.heading)


class PageNote(Flowable):
    """Takes no room where it is; its text is drawn at the foot of that page."""

    def __init__(self, paragraph: Paragraph, notes: list[Paragraph]) -> None:
        super().__init__()
        self.paragraph = paragraph
        self.notes = notes

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: N803 - reportlab's
        """No room."""
        return 0, 0

    def draw(self) -> None:
        """Leave the note with the page, whose furniture draws it."""
        self.notes.append(self.paragraph)


class Composer:
    """Turns blocks into flowables for one column width."""

    def __init__(self, theme: Theme, width: float, drawn: Callable[..., None]) -> None:
        self.theme = theme
        self.width = width
        self.drawn = drawn
        self.styles = styles(theme)
        self.notes: list[Paragraph] = []

    def paragraph(self, text: str, style: str, **options: Any) -> Paragraph:
        """A paragraph in a named style."""
        text = markup.inline(text)
        if self.theme.hyphenated and style in {"body", "item"}:
            text = hyphenate(text)
        return Paragraph(text, self.styles[style], **options)

    def flow(self, blocks: tuple[markup.Block, ...], width: float | None = None) -> list[Flowable]:
        """Flowables of blocks that contain no layout command."""
        width = width or self.width
        found: list[Flowable] = []
        for block in blocks:
            if isinstance(block, markup.Heading):
                style = self.styles[f"h{block.level}"]
                found.append(HeadingParagraph(block, style, self.drawn))
            elif isinstance(block, markup.Paragraph):
                found.append(self._paragraph(block))
            elif isinstance(block, markup.Table):
                found += self._table(block, width)
            elif isinstance(block, markup.Container) and block.name == "refs":
                texts = (b for b in block.blocks if isinstance(b, markup.Paragraph))
                found += [self.paragraph(b.text, "ref") for b in texts]
            elif isinstance(block, markup.Container):
                found += [self._box(block, width), Spacer(1, self.theme.size)]
        return found

    def _paragraph(self, block: markup.Paragraph) -> Flowable:
        if block.kind == "foot":
            return PageNote(self.paragraph(block.text, "foot"), self.notes)
        if block.kind == "item":
            return self.paragraph(block.text, "item", bulletText="\u2022")
        return self.paragraph(block.text, "body")

    def _box(self, box: markup.Container, width: float) -> Flowable:
        """A filled rectangle under a title bar; the strength of a recommendation in italics."""
        title, _, strength = box.argument.partition(" | ")
        inner: list[Flowable] = self.flow(box.blocks, width - 20)
        if strength:
            inner.append(self.paragraph(f"({strength})", "strength"))
        table = Table([[self.paragraph(title, "bar")], [inner]], colWidths=[width])
        table.setStyle(
            TableStyle(
                [
                    ("NOSPLIT", (0, 0), (-1, -1)),
                    ("BACKGROUND", (0, 0), (0, 0), self.theme.accent),
                    ("BACKGROUND", (0, 1), (0, 1), self.theme.fill),
                    ("LEFTPADDING", (0, 0), (-1, -1), 10),
                    ("RIGHTPADDING", (0, 0), (-1, -1), 10),
                    ("TOPPADDING", (0, 0), (-1, -1), 6),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 7),
                ]
            )
        )
        return table

    def _table(self, block: markup.Table, width: float) -> list[Flowable]:
        """A ruled table; its header row is repeated where it goes on over the page."""
        total = sum(block.widths)
        head, *rows = block.rows
        cells = [[self.paragraph(c, "head") for c in head]]
        cells += [[self.paragraph(c, "cell") for c in row] for row in rows]
        table = Table(cells, colWidths=[width * w / total for w in block.widths], repeatRows=1)
        table.setStyle(
            TableStyle(
                [
                    ("GRID", (0, 0), (-1, -1), 0.5, GREY),
                    ("BACKGROUND", (0, 0), (-1, 0), self.theme.fill),
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ("LEFTPADDING", (0, 0), (-1, -1), 4),
                    ("RIGHTPADDING", (0, 0), (-1, -1), 4),
                    ("TOPPADDING", (0, 0), (-1, -1), 2.5),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
                ]
            )
        )
        notes = [self.paragraph(n, "note") for n in block.notes]
        short = len(rows) <= SHORT_TABLE_ROWS
        caption = self.paragraph(block.caption, "caption" if short else "long_caption")
        rest: list[Flowable] = [Spacer(1, 3), *notes, Spacer(1, self.theme.size)]
        whole = [caption, table, *rest]
        return [KeepTogether(whole)] if short else [CondPageBreak(120), *whole]
