"""The door to PyMuPDF (AGPL): what it raises, how it is opened, which text it is asked for."""

from __future__ import annotations

from typing import Any

from clinrag_core.errors import ParseError


def library() -> Any:
    """Return PyMuPDF, silenced."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()  # it prints to standard output
    return pymupdf


def faults() -> tuple[type[Exception], ...]:
    """Return what MuPDF raises on damaged files: its errors and Python's."""
    mupdf: type[Exception] = library().mupdf.FzErrorBase
    return (mupdf, RuntimeError, ValueError, AssertionError, LookupError, AttributeError, OSError)


def text_flags() -> int:
    """Return the flags for text: ligatures split, no pictures."""
    pymupdf = library()
    return int(pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)


def open_pdf(data: bytes, name: str) -> Any:
    """Return an opened MuPDF document.

    Raises:
        ParseError: the bytes are truncated, damaged or no PDF.
    """
    pymupdf = library()
    try:
        return pymupdf.open(stream=data, filetype="pdf")
    except faults() as error:
        raise ParseError(
            f"it cannot be opened ({str(error)[:120]}): truncated or damaged, fetch it again",
            code="pdf_truncated",
            file=name,
        ) from error
