"""Pages drawn for one question each, and what the parser makes of them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from clinrag_core.model.document import Document
from clinrag_core.model.section import Block, Section
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document

Draw = Callable[[Any], None]
PROSE = [
    "A nurse calls every person who starts the regimen within a week and",
    "asks about sleep, appetite and the colour of the urine, so that harm is",
    "seen early and nobody stops the tablets without a word to the clinic.",
]

DOSES = [
    ["Medicine", "Under 33 kg", "33-50 kg"],
    ["Isoniazid", "4-6 mg/kg", "200-300 mg"],
    ["Rifampicin", "10-20 mg/kg", "450-600 mg"],
]

LABEL_HEADINGS = [
    "1 INDICATIONS AND USAGE",
    "2 DOSAGE AND ADMINISTRATION",
    "4 CONTRAINDICATIONS",
    "5 WARNINGS AND PRECAUTIONS",
    "6 ADVERSE REACTIONS",
    "8 USE IN SPECIFIC POPULATIONS",
    "17 PATIENT COUNSELING INFORMATION",
]


def pdf_of(*pages: Draw, **options: Any) -> bytes:
    """A file of pages, each drawn on A4."""
    buffer = io.BytesIO()
    paper = canvas.Canvas(buffer, pagesize=A4, invariant=1, **options)
    for draw in pages:
        draw(paper)
        paper.showPage()
    paper.save()
    return buffer.getvalue()


def source_of(data: bytes, title: str = "Test guideline") -> DocumentSource:
    """A guideline of these bytes."""
    file = SourceFile(name="t.pdf", sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    return DocumentSource(kind="guideline", format="pdf", file=file, id="t", title=title)


def read(data: bytes, title: str = "Test guideline") -> Document:
    """Parse a file."""
    return parse_document(data, source_of(data, title))


def parsed(*pages: Draw) -> Document:
    """Draw pages and parse them."""
    return read(pdf_of(*pages))


def write(
    paper: Any,
    texts: Sequence[str],
    x: float,
    y: float,
    *,
    bold: bool = False,
    size: float = 10,
    leading: float = 1.3,
) -> float:
    """Draw lines downwards; returns the y below them. `leading` is in type sizes."""
    paper.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    for text in texts:
        paper.drawString(x, y, text)
        y -= leading * size
    return y


def write_row(
    paper: Any, cells: Sequence[str], xs: Sequence[float], y: float, bold: bool = False
) -> None:
    """Draw the cells of a row, each at its x; empty ones are left out."""
    for x, cell in zip(xs, cells, strict=True):
        if cell:
            write(paper, [cell], x, y, bold=bold)


def grid(
    paper: Any, rows: list[list[str]], y: float, widths: list[float], height: float = 20
) -> None:
    """Draw a table with all its rules, its top at `y`."""
    xs = [72.0]
    for width in widths:
        xs.append(xs[-1] + width)
    paper.setFont("Helvetica", 9)
    for n, row in enumerate(rows):
        for x, cell in zip(xs, row, strict=False):
            paper.drawString(x + 3, y - n * height - 13, cell)
    paper.grid(xs, [y - n * height for n in range(len(rows) + 1)])


def lines(
    paper: Any,
    texts: list[str],
    x: float = 72,
    y: float = 750,
    size: float = 10,
    font: str = "Helvetica",
) -> float:
    """Draw lines downwards; returns the y below them."""
    paper.setFont(font, size)
    for text in texts:
        paper.drawString(x, y, text)
        y -= 1.25 * size
    return y


def heading(paper: Any, text: str, y: float, x: float = 72, size: float = 16) -> float:
    """Draw a bold line; returns the y of what follows it."""
    return lines(paper, [text], x, y, size, "Helvetica-Bold") - 8


def text_of(document: Document) -> str:
    """The text of all sections."""
    return "\n".join(s.text for s in document.sections)


def section(document: Document, title: str) -> Section:
    """The first section of a title."""
    return next(s for s in document.sections if s.title == title)


def blocks(found: Section, kind: str) -> list[tuple[str, Block]]:
    """The blocks of a kind, each with its text."""
    return [(found.text[b.start : b.end], b) for b in found.blocks if b.kind == kind]


def label_pdf(*above: str, mains: Sequence[str] = LABEL_HEADINGS) -> bytes:
    """A drug label on one page, with lines above its text and what is printed after it."""

    def draw(paper: Any) -> None:
        y = lines(paper, list(above), y=790) - 14
        for main in mains:
            y = lines(paper, PROSE, y=heading(paper, main, y, size=13) - 4) - 12

    def end(paper: Any) -> None:
        after = ["Labeler - Example Pharma Inc (123456789)", "Revised: 7/2025 Example Pharma Inc."]
        lines(paper, after, y=700)

    return pdf_of(draw, end)
