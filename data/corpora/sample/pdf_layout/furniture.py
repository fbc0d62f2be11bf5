"""Page furniture: cover, running headers and footers, page-foot notes, printed page numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, Spacer

from pdf_layout import markup

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

    from pdf_layout.flow import Composer
    from pdf_layout.theme import Theme

WIDTH, HEIGHT = A4
NOTICE = "For software testing only. Not for clinical use."


def roman(number: int) -> str:
    """A small number in lower-case roman numerals."""
    text = ""
    for value, digits in ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while number >= value:
            text, number = text + digits, number - value
    return text


class Band(Flowable):
    """The coloured band of a cover, bleeding off the left, top and right edges."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: N803 - reportlab's
        """A third of a page."""
        self.width, self.height = aW, 190.0
        return aW, self.height

    def draw(self) -> None:
        """Fill, then the organisation's name in white."""
        left, _, top, _ = self.theme.margins
        self.canv.setFillColor(self.theme.accent)
        self.canv.rect(-left, 0, WIDTH, self.height + top, stroke=0, fill=1)
        self.canv.setFillColor(self.theme.fill)
        self.canv.rect(-left, -9, WIDTH, 9, stroke=0, fill=1)
        self.canv.setFillColor(white)
        self.canv.setFont("Helvetica-Bold", 15)
        self.canv.drawString(0, self.height - 10, self.theme.organisation)


def cover(
    theme: Theme, composer: Composer, block: markup.Container, width: float
) -> list[Flowable]:
    """Cover page: band, title, the block's text, the notice in a box."""
    title = ParagraphStyle(
        "title",
        fontName=theme.face(bold=True, heading=True),
        fontSize=27,
        leading=33,
        textColor=theme.accent,
    )
    notice = markup.Container("box", NOTICE, block.blocks[-1:])
    return [
        Band(theme),
        Spacer(1, 60),
        Paragraph(markup.inline(theme.title), title),
        Spacer(1, 28),
        *composer.flow(block.blocks[:-1], width),
        Spacer(1, 90),
        *composer.flow((notice,), width),
    ]


def _notes(canvas: Canvas, theme: Theme, notes: list[Paragraph]) -> None:
    left, right, _, bottom = theme.margins
    if not notes:
        return
    y = bottom - 6
    canvas.setStrokeColor(HexColor("#666666"))
    canvas.setLineWidth(0.4)
    canvas.line(left, y, left + 90, y)
    for note in notes:
        _, height = note.wrap(WIDTH - left - right, 60)
        y -= height + 1
        note.drawOn(canvas, left, y)


def draw(canvas: Canvas, theme: Theme, label: str, page: int, notes: list[Paragraph]) -> None:
    """Notes and running text of one page, in the theme's manner: footer, header or stamp."""
    canvas.saveState()
    _notes(canvas, theme, notes)
    {"footer": _footer, "header": _header, "stamp": _stamp}[theme.running](
        canvas, theme, label, page
    )
    canvas.restoreState()


def _footer(canvas: Canvas, theme: Theme, label: str, page: int) -> None:
    """Number, rule and two lines: outer edge of even and odd pages."""
    left, right, _, _ = theme.margins
    canvas.setFillColor(theme.accent)
    canvas.setStrokeColor(theme.accent)
    if page % 2:
        edge = WIDTH - right
        canvas.setFont("Helvetica-Bold", 10)
        canvas.drawRightString(edge, 26, label)
        canvas.line(edge - 26, 22, edge - 26, 40)
        canvas.setFont("Helvetica", 7)
        canvas.drawRightString(edge - 32, 32, theme.short_title)
        canvas.drawRightString(edge - 32, 23, NOTICE)
        return
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(left, 26, label)
    canvas.line(left + 26, 22, left + 26, 40)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(left + 32, 32, theme.short_title)
    canvas.drawString(left + 32, 23, NOTICE)


def _header(canvas: Canvas, theme: Theme, label: str, page: int) -> None:
    """Running header with the number at the outer edge, a rule below, the notice at the foot."""
    left, right, top, _ = theme.margins
    y = HEIGHT - top + 22
    canvas.setFont(theme.face(bold=True), 8.5)
    inner, outer = theme.organisation, theme.short_title
    canvas.drawString(left, y, f"{label}    {inner}" if page % 2 == 0 else outer)
    canvas.drawRightString(WIDTH - right, y, outer if page % 2 == 0 else f"{inner}    {label}")
    canvas.setLineWidth(0.6)
    canvas.line(left, y - 5, WIDTH - right, y - 5)
    canvas.setFont(theme.face(), 7)
    canvas.drawCentredString(WIDTH / 2, 30, NOTICE)


def _stamp(canvas: Canvas, theme: Theme, label: str, page: int) -> None:
    """Title above, notice and 'Page n' on every page below."""
    del page  # the same on left and right pages
    left, right, top, _ = theme.margins
    canvas.setFillColor(HexColor("#555555"))
    canvas.setFont("Helvetica", 7.5)
    canvas.drawString(left, HEIGHT - top + 24, theme.short_title)
    canvas.drawString(left, 36, f"\u00a9 2025 {theme.organisation}. Apache-2.0.")
    canvas.drawString(left, 26, NOTICE)
    canvas.drawRightString(WIDTH - right, 31, f"Page {label}")
