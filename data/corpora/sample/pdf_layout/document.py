"""A publication as PDF: page templates, running text, page labels, outline, contents page.

Deterministic: invariant mode (no dates, fixed file id), standard fonts, nothing from outside.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
)
from reportlab.platypus.tableofcontents import TableOfContents

from pdf_layout import furniture, markup
from pdf_layout.flow import Composer

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

    from pdf_layout.theme import Theme

WIDTH, HEIGHT = A4

CONTENTS_LEVELS = 2
"""Heading levels listed in the contents."""


class BodyStart(Flowable):
    """Marks the page on which arabic numbering starts."""

    def __init__(self, document: Publication) -> None:
        super().__init__()
        self.document = document

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: N803 - reportlab's
        """No room."""
        return 0, 0

    def draw(self) -> None:
        """Tell the document; the next pass numbers its pages by it."""
        self.document.front_pages = self.canv.getPageNumber() - 1


class Publication(BaseDocTemplate):
    """One document being laid out."""

    def __init__(self, target: io.BytesIO, theme: Theme) -> None:
        super().__init__(
            target,
            pagesize=A4,
            invariant=1,
            pageCompression=1,
            title=theme.title,
            author=theme.organisation,
            subject="For software testing only. Not for clinical use.",
        )
        self.theme = theme
        self.front_pages = 0
        left, right, top, bottom = theme.margins
        self.text_width = WIDTH - left - right
        self.text_height = HEIGHT - top - bottom
        self.column = (self.text_width - theme.gutter * (theme.columns - 1)) / theme.columns
        self.composer = Composer(theme, self.column, self.heading_drawn)
        self.addPageTemplates([self._template("cover", 1, 0), self._template("body", 0, 0)])

    def beforeDocument(self) -> None:  # noqa: N802 - hook of reportlab
        """Page labels: roman front matter, arabic body."""
        if self.front_pages:
            self.canv.addPageLabel(0, style="ROMAN_LOWER", start=1)
            self.canv.addPageLabel(self.front_pages, style="ARABIC", start=1)

    def label(self, page: int) -> str:
        """Page number as printed: roman before the body, arabic from its first page."""
        if page <= self.front_pages:
            return furniture.roman(page)
        return str(page - self.front_pages)

    def heading_drawn(self, canvas: Canvas, heading: markup.Heading) -> None:
        """Bookmark, outline entry and contents entry of a heading."""
        text = markup.plain(heading.text)
        page = canvas.getPageNumber()
        key = f"h-{page}-{abs(hash_text(text)) % 10**8}"
        canvas.bookmarkPage(key)
        canvas.addOutlineEntry(text, key, heading.level - 1, closed=heading.level > 1)
        if heading.level <= CONTENTS_LEVELS:
            self.notify("TOCEntry", (heading.level - 1, text, page, key))

    def _template(self, name: str, columns: int, top: float) -> PageTemplate:
        """A page of columns, below a full-width frame of `top` points where that is not 0."""
        left, _, _, bottom = self.theme.margins
        columns = columns or self.theme.columns
        plain: dict[str, Any] = dict.fromkeys(
            ("leftPadding", "rightPadding", "topPadding", "bottomPadding"), 0
        )
        frames = []
        if top:
            y = bottom + self.text_height - top
            frames.append(Frame(left, y, self.text_width, top, **plain))
        width = (self.text_width - self.theme.gutter * (columns - 1)) / columns
        for number in range(columns):
            x = left + number * (width + self.theme.gutter)
            frames.append(Frame(x, bottom, width, self.text_height - top, **plain))
        on_page = None if name == "cover" else self._furniture
        return PageTemplate(name, frames, onPageEnd=on_page or (lambda *_: None))

    def _furniture(self, canvas: Canvas, _: object) -> None:
        page = canvas.getPageNumber()
        furniture.draw(canvas, self.theme, self.label(page), page, self.composer.notes)
        self.composer.notes.clear()

    def story(self, blocks: tuple[markup.Block, ...]) -> list[Flowable]:
        """Flowables of a whole publication."""
        composer = self.composer
        found: list[Flowable] = []
        for block in blocks:
            opens = isinstance(block, markup.Heading) and block.level == 1
            fresh = not found or isinstance(found[-1], PageBreak | BodyStart)
            if opens and self.theme.chapters_open_pages and not fresh:
                found.append(PageBreak())
            found += self._one(block, composer)
        return found

    def _one(self, block: markup.Block, composer: Composer) -> list[Flowable]:
        if isinstance(block, markup.Command):
            return self._command(block.name)
        if isinstance(block, markup.Container) and block.name == "cover":
            parts = furniture.cover(self.theme, composer, block, self.text_width)
            return [*parts, NextPageTemplate("body"), PageBreak()]
        if isinstance(block, markup.Container) and block.name == "full":
            return self._full(block, composer)
        return composer.flow((block,))

    def _command(self, name: str) -> list[Flowable]:
        if name == "toc":
            return [self._contents()]
        if name == "body":
            return [PageBreak(), BodyStart(self)]
        return [FrameBreak() if name == "column" else PageBreak()]

    def _full(self, block: markup.Container, composer: Composer) -> list[Flowable]:
        """Full-width content at the top of a page, columns below it."""
        name = f"full-{block.argument}"
        top = float(block.argument.split()[0])
        self.addPageTemplates([self._template(name, 0, top)])
        inside = composer.flow(block.blocks, self.text_width)
        first = "first" in block.argument
        opening = [] if first else [NextPageTemplate(name), PageBreak()]
        if first:
            self.pageTemplates.insert(0, self.pageTemplates.pop())
        return [*opening, *inside, FrameBreak(), NextPageTemplate("body")]

    def _contents(self) -> Flowable:
        contents = TableOfContents(
            dotsMinLevel=0, formatter=lambda page: self.label(int(page)), rightColumnWidth=0
        )
        size = self.theme.size
        contents.levelStyles = [
            ParagraphStyle(
                "toc1",
                fontName=self.theme.face(bold=True),
                fontSize=size,
                leading=size * 1.5,
                spaceBefore=size * 0.4,
            ),
            ParagraphStyle(
                "toc2",
                fontName=self.theme.face(),
                fontSize=size * 0.95,
                leading=size * 1.4,
                leftIndent=size * 1.4,
            ),
        ]
        return contents


def hash_text(text: str) -> int:
    """A stable number of a text (`hash` differs between processes)."""
    return sum(ord(c) * 31**i for i, c in enumerate(text[:24])) % 2**61


def build(theme: Theme, text: str) -> bytes:
    """The PDF of a publication written in the light markup."""
    blocks = markup.parse(text)
    front = 0
    target = io.BytesIO()
    for _ in range(2):  # the first pass finds out how many pages are front matter
        target = io.BytesIO()
        document = Publication(target, theme)
        document.front_pages = front
        document.multiBuild(document.story(blocks))
        front = document.front_pages
    return target.getvalue()
