"""Scanned pages: refused by default, read by OCR where the manifest asks for it, and marked so."""

from __future__ import annotations

import shutil

import pytest

from clinrag_core.errors import ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.pdf.reader import ocr_dpi
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

pymupdf = pytest.importorskip("pymupdf")

LINES = [
    "Treatment of tuberculosis in adults",
    "Isoniazid is given for six months together with rifampicin.",
    "Every person is asked about fever and cough at each visit.",
]


@pytest.fixture(scope="module")
def scan() -> bytes:
    """A page that is nothing but the picture of its text."""
    drawn = pymupdf.open()
    page = drawn.new_page()
    for n, line in enumerate(LINES):
        page.insert_text((60, 100 + 40 * n), line, fontsize=16)
    picture = page.get_pixmap(dpi=200)
    scanned = pymupdf.open()
    scanned.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), pixmap=picture)
    return scanned.tobytes()


def parsed(data: bytes, *, ocr: bool) -> Document:
    file = SourceFile(name="scan.pdf", sha256=sha256_hex(data), size=len(data))
    source = DocumentSource(kind="guideline", format="pdf", file=file, id="scan", ocr=ocr)
    return parse_document(data, source)


def test_a_scan_is_refused_with_what_can_be_done(scan: bytes):
    with pytest.raises(ParseError, match="ocr = true") as error:
        parsed(scan, ocr=False)
    assert error.value.code == "pdf_no_text"


@pytest.mark.parametrize(
    ("width", "paper", "dpi"),
    [
        (250, (612, 792), 500),
        (400, (612, 792), 360),
        (500, (612, 792), 300),
        (400, (2384, 3370), 161),
    ],
)
def test_a_picture_is_read_at_twice_its_own_resolution(
    width: int, paper: tuple[int, int], dpi: int
):
    """Small type in a screen shot is misread at 300; a poster must not fill the memory."""
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 1000, 800))
    pixels.clear_with(200)
    page = pymupdf.open().new_page(width=paper[0], height=paper[1])
    page.insert_image(pymupdf.Rect(10, 10, 10 + width, 10 + 0.8 * width), pixmap=pixels)
    if paper[0] > 612:
        page.insert_image(pymupdf.Rect(10, 400, 2000, 2000), pixmap=pixels)
    assert ocr_dpi(page) == dpi


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract-ocr is not installed")
def test_ocr_reads_the_words_and_marks_them(scan: bytes):
    document = parsed(scan, ocr=True)
    text = " ".join(section.text for section in document.sections)
    assert "six months together with rifampicin" in text
    assert {section.text_source for section in document.sections} == {"ocr"}
    assert "ocr_text_layer" in {warning.code for warning in document.warnings}


@pytest.mark.skipif(shutil.which("tesseract") is not None, reason="tesseract-ocr is installed")
def test_without_tesseract_the_error_names_the_package(scan: bytes):
    with pytest.raises(ParseError, match="tesseract-ocr") as error:
        parsed(scan, ocr=True)
    assert error.value.code == "ocr_unavailable"
