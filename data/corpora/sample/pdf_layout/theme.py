"""What one publication looks like: fonts, colours, page furniture; one `Theme` per document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle

FAMILIES = {
    "helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    "times": ("Times-Roman", "Times-Bold", "Times-Italic"),
}

ACCENTED_LEVELS = 2
"""Heading levels set in the accent colour."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Look of a publication; sizes and margins in points."""

    title: str
    short_title: str
    organisation: str
    columns: int = 1
    font: str = "helvetica"
    heading_font: str = "helvetica"
    size: float = 10.0
    colour: str = "#005f87"
    tint: str = "#dcecf3"
    heading_sizes: tuple[float, float, float] = (22.0, 14.0, 11.0)
    justified: bool = False
    hyphenated: bool = False
    chapters_open_pages: bool = True
    running: str = "footer"
    margins: tuple[float, float, float, float] = (64.0, 64.0, 70.0, 76.0)
    gutter: float = 20.0

    @property
    def accent(self) -> Color:
        """Colour of headings, bars and rules."""
        return HexColor(self.colour)

    @property
    def fill(self) -> Color:
        """Fill of boxes and header rows."""
        return HexColor(self.tint)

    def face(self, *, bold: bool = False, heading: bool = False) -> str:
        """Font name of body or heading text."""
        return FAMILIES[self.heading_font if heading else self.font][1 if bold else 0]


def styles(theme: Theme) -> dict[str, ParagraphStyle]:
    """Paragraph styles of a theme by name: body, item, foot, ref, cell, head, caption, h1 to h3."""
    size = theme.size
    extra: dict[str, Any] = {"embeddedHyphenation": 1} if theme.hyphenated else {}
    body = ParagraphStyle(
        "body",
        fontName=theme.face(),
        fontSize=size,
        leading=size * 1.28,
        spaceAfter=size * 0.6,
        alignment=TA_JUSTIFY if theme.justified else 0,
        allowWidows=0,
        allowOrphans=0,
        **extra,
    )

    def like(name: str, **changes: Any) -> ParagraphStyle:
        return ParagraphStyle(name, parent=body, **changes)

    bold = theme.face(bold=True)
    table = {"fontSize": size * 0.85, "leading": size * 1.05, "spaceAfter": 0, "alignment": 0}
    caption: dict[str, Any] = {"fontName": bold, "spaceBefore": size * 0.6, "alignment": 0}
    found = {
        "body": body,
        "item": like("item", leftIndent=size * 1.3, bulletIndent=size * 0.3, spaceAfter=size * 0.3),
        "foot": like("foot", fontSize=size * 0.76, leading=size * 0.92, spaceAfter=1, alignment=0),
        "ref": like("ref", fontSize=size * 0.8, leading=size, spaceAfter=3, alignment=0),
        "cell": like("cell", **table),
        "head": like("head", **(table | {"fontName": bold})),
        "caption": like("caption", **caption, keepWithNext=1),
        "long_caption": like("long_caption", **caption),
        "note": like("note", fontSize=size * 0.76, leading=size * 0.95, spaceAfter=1, alignment=0),
        "bar": like("bar", fontName=bold, textColor=white, spaceAfter=0, alignment=0),
        "strength": like(
            "strength",
            fontName=theme.face().replace("Roman", "Italic")
            if theme.font == "times"
            else "Helvetica-Oblique",
            spaceAfter=0,
            alignment=0,
        ),
    }
    for level, heading in enumerate(theme.heading_sizes, start=1):
        found[f"h{level}"] = like(
            f"h{level}",
            fontName=theme.face(bold=True, heading=True),
            fontSize=heading,
            leading=heading * 1.2,
            spaceBefore=0 if level == 1 and theme.chapters_open_pages else heading * 0.7,
            spaceAfter=heading * 0.45,
            alignment=0,
            keepWithNext=1,
            textColor=theme.accent if level <= ACCENTED_LEVELS else HexColor("#222222"),
            embeddedHyphenation=0,
        )
    return found
