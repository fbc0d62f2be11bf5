"""Files that are no readable PDF: each ends in an error of its own that names it."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib import pdfencrypt
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

from clinrag_core.errors import ClinragError, ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document


def parsed(data: bytes, name: str = "t.pdf") -> Document:
    file = SourceFile(name=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    return parse_document(data, DocumentSource(kind="guideline", format="pdf", file=file, id="t"))


def code_of(data: bytes, name: str = "t.pdf") -> str:
    with pytest.raises(ParseError) as caught:
        parsed(data, name)
    assert name in str(caught.value)
    return caught.value.code


def simple(pages: int = 3, **options: object) -> bytes:
    buffer = io.BytesIO()
    paper = canvas.Canvas(buffer, pagesize=A4, invariant=1, **options)
    for number in range(pages):
        paper.drawString(72, 700, f"Page {number} has words enough to be read as text.")
        paper.showPage()
    paper.save()
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_document"),
        (b" \n ", "empty_document"),
        (b"<!DOCTYPE html><html><title>Just a moment...</title></html>", "html_named_pdf"),
        (b"PK\x03\x04 a zip archive", "not_pdf"),
        (b"plain words", "not_pdf"),
        (b"%PDF-1.7\n", "pdf_truncated"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 8, "pdf_truncated"),
    ],
)
def test_what_is_no_pdf_is_named(data: bytes, code: str):
    assert code_of(data) == code


def test_a_file_cut_off_is_truncated_or_warned_of():
    data = simple()
    assert code_of(data[:300]) == "pdf_truncated"
    codes = {w.code for w in parsed(data[:-200]).warnings}
    assert "pdf_repaired" in codes


def test_a_user_password_is_refused_and_an_owner_password_is_not():
    locked = simple(encrypt=pdfencrypt.StandardEncryption("user", "owner"))
    assert code_of(locked) == "pdf_encrypted"
    open_to_readers = simple(encrypt=pdfencrypt.StandardEncryption("", "owner"))
    assert parsed(open_to_readers).words > 10


def test_pages_without_text_are_distinguished_by_their_images():
    def page(image: ImageReader | None) -> bytes:
        buffer = io.BytesIO()
        paper = canvas.Canvas(buffer, pagesize=A4, invariant=1)
        if image is not None:
            paper.drawImage(image, 0, 0, *A4)
        else:
            paper.rect(10, 10, 20, 20)
        paper.showPage()
        paper.save()
        return buffer.getvalue()

    pil = pytest.importorskip("PIL.Image")
    scan = ImageReader(pil.new("L", (40, 60), 200))
    assert code_of(page(scan)) == "pdf_no_text"
    assert code_of(page(None)) == "pdf_blank_pages"


def test_text_over_a_scan_is_marked_as_recognised():
    pil = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    paper = canvas.Canvas(buffer, pagesize=A4, invariant=1)
    paper.drawImage(ImageReader(pil.new("L", (40, 60), 250)), 0, 0, *A4)
    paper.drawString(72, 700, "The recognised words of a scanned page about tuberculosis.")
    paper.showPage()
    paper.save()
    document = parsed(buffer.getvalue())
    assert {s.text_source for s in document.sections} == {"ocr"}
    assert "ocr_text_layer" in {w.code for w in document.warnings}


NASTY = {
    "encrypted_missing_id_blank_3p.pdf": "pdf_blank_pages",
    "encrypted_user_password_aes256.pdf": "pdf_encrypted",
    "html_bot_challenge_named_pdf_DERIVED.pdf": "html_named_pdf",
    "scanned_no_text_layer_1p.pdf": "pdf_no_text",
    "truncated_60pct_DERIVED.pdf": "pdf_truncated",
}


@pytest.mark.parametrize("name", sorted(NASTY))
def test_broken_files_of_the_field_end_in_their_own_error(reference_corpus: Path, name: str):
    assert code_of((reference_corpus / "nasty" / name).read_bytes(), name) == NASTY[name]


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("ocr_text_layer_with_errors_6p.pdf", "ocr_text_layer"),
        ("outline_with_invalid_destinations_4p.pdf", "outline_invalid_destination"),
    ],
)
def test_odd_files_of_the_field_are_read_with_a_warning(
    reference_corpus: Path, name: str, warning: str
):
    document = parsed((reference_corpus / "nasty" / name).read_bytes(), name)
    assert warning in {w.code for w in document.warnings}
    assert document.words > 500


@settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=20),
    st.floats(0.2, 1),
)
def test_changed_bytes_end_in_a_document_or_a_named_error(
    changes: list[tuple[float, int]], kept: float
):
    data = bytearray(simple())
    for place, value in changes:
        data[int(place * (len(data) - 1))] = value
    try:
        parsed(bytes(data[: int(len(data) * kept)]))
    except ClinragError as error:
        assert "t.pdf" in str(error)  # noqa: PT017 - both outcomes are allowed
