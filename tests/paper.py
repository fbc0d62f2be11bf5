"""Pages drawn for one question each, and what the parser makes of them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document

Draw = Callable[[Any], None]
PROSE = [
    "A nurse calls every person who starts the regimen within a week and",
    "asks about sleep, appetite and the colour of the urine, so that harm is",
    "seen early and nobody stops the tablets without a word to the clinic.",
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
