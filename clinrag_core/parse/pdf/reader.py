"""The one module that talks to PyMuPDF (AGPL): bytes -> pages as plain data.

Holds the gates: MuPDF opens HTML, truncated and unreadable encrypted files without complaint, so
each of them is looked for here and ends in an error of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clinrag_core.errors import ParseError
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.characters import clean
from clinrag_core.parse.pdf.page import Box, Page, Span, make_line
from clinrag_core.parse.pdf.shapes import box_of, coordinate, read_fills
from clinrag_core.parse.pdf.turn import UPRIGHT, Turn, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from clinrag_core.model.source import DocumentSource

MAX_BYTES = 512 * 2**20
MAX_PAGES = 5_000
OCR_DPI = 300

_BOLD = ("bold", "black", "heavy", "semibold", "demi", "extrabold")
_ICONS = ("wingdings", "webdings", "dingbats", "europeanpi", "icomoon", "fontawesome", "symbolset")


@dataclass(frozen=True, slots=True)
class Entry:
    """An outline (bookmark) entry; page from 1, 0 or less where its destination is invalid."""

    level: int
    title: str
    page: int


class PdfFile:
    """An open PDF that passed the gates; use it as a context manager."""

    def __init__(self, data: bytes, source: DocumentSource) -> None:
        """Open a PDF.

        Raises:
            ParseError: `empty_document`, `too_large`, `html_named_pdf`, `not_pdf`,
                `pdf_encrypted`, `pdf_truncated`, `pdf_too_many_pages`.
        """
        self._name = source.file.name
        self.warnings: list[ParseWarning] = []
        self._turns: dict[int, Turn] = {}
        _check_magic(data, self._name)
        self._doc = _open(data, self._name)
        self._check()

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._doc.close()

    @property
    def page_count(self) -> int:
        """Number of pages."""
        return int(self._doc.page_count)

    @property
    def title(self) -> str:
        """Title from the metadata, often a file name or empty."""
        return clean(str((self._doc.metadata or {}).get("title") or "")).strip()

    @property
    def encryption(self) -> str:
        """Encryption as the file states it, empty where there is none."""
        return str((self._doc.metadata or {}).get("encryption") or "")

    def outline(self) -> tuple[Entry, ...]:
        """Outline entries in order, invalid destinations included."""
        try:
            rows: list[Any] = self._doc.get_toc(simple=True)
        except _faults() as error:
            self.warnings.append(ParseWarning(code="outline_unreadable", message=str(error)))
            return ()
        return tuple(
            Entry(int(level), " ".join(clean(str(title)).split()), int(page))
            for level, title, page in (row[:3] for row in rows)
        )

    def pages(self) -> Iterator[Page]:
        """Pages in order, with text lines and filled areas; grids are read by `grids`.

        A page that cannot be read comes without lines and is named in `warnings`.
        """
        for index in range(self.page_count):
            try:
                yield self._page(index)
            except _faults() as error:
                self.warnings.append(
                    ParseWarning(
                        code="page_unreadable", message=str(error)[:200], place=f"page {index + 1}"
                    )
                )
                yield Page(number=index + 1, label="", width=612, height=792)

    def recognise(self, number: int) -> Page:
        """A page read by OCR (Tesseract, English), from 1; upright, with no filled areas.

        Raises:
            ParseError: `ocr_unavailable`, Tesseract's language data is not installed.
        """
        pymupdf = _library()
        page: Any = self._doc[number - 1]
        try:
            found = page.get_textpage_ocr(dpi=OCR_DPI, full=True)
        except _faults() as error:
            raise ParseError(
                "OCR was asked for, but Tesseract is not installed (Debian: apt-get install "
                f"tesseract-ocr): {str(error)[:120]}",
                code="ocr_unavailable",
                file=self._name,
                place=f"page {number}",
            ) from error
        raw: dict[str, Any] = page.get_text("dict", flags=_flags(pymupdf), textpage=found)
        return self._laid_out(number - 1, raw, str(page.get_label() or ""))

    def plain_text(self, number: int) -> str:
        """The text layer of a page, from 1, as MuPDF gives it; empty where it is unreadable."""
        try:
            return str(self._doc[number - 1].get_text("text"))
        except _faults():
            return ""  # `pages` has named the page in its warnings

    def characters(self, number: int, within: list[Box]) -> list[Span]:
        """Characters of a page as spans of their own, in content order.

        Args:
            number: page from 1.
            within: only lines that reach into one of these boxes are read.
        """
        pymupdf = _library()
        raw: dict[str, Any] = self._doc[number - 1].get_text("rawdict", flags=_flags(pymupdf))
        turn = self._turns.get(number, UPRIGHT)
        out: list[Span] = []
        for block in raw["blocks"]:
            for line in block.get("lines", ()):
                box = turn.box(box_of(line["bbox"]))
                if turn.runs_along(line["dir"]) and any(_overlap(box, w) for w in within):
                    for span in line["spans"]:
                        out.extend(_characters(span, turn))
        return out

    def _check(self) -> None:
        """Refuse a file that cannot be read, and warn of one that MuPDF repaired."""
        doc, name = self._doc, self._name
        if not doc.is_pdf:
            raise ParseError("this is no PDF, whatever its name", code="not_pdf", file=name)
        if doc.needs_pass:
            raise ParseError(
                "encrypted, and needs a password: supply an unprotected copy",
                code="pdf_encrypted",
                file=name,
            )
        if doc.page_count == 0:
            raise ParseError(
                "no page can be read: the file is truncated or damaged, fetch it again",
                code="pdf_truncated",
                file=name,
            )
        if doc.page_count > MAX_PAGES:
            raise ParseError(
                f"{doc.page_count} pages are more than the {MAX_PAGES} accepted: split it",
                code="pdf_too_many_pages",
                file=name,
            )
        if doc.is_repaired:
            self.warnings.append(
                ParseWarning(
                    code="pdf_repaired",
                    message="the file was damaged and has been repaired: pages may be missing",
                )
            )

    def _page(self, index: int) -> Page:
        pymupdf = _library()
        page: Any = self._doc[index]
        raw: dict[str, Any] = page.get_text("dict", flags=_flags(pymupdf))
        out = self._laid_out(index, raw, str(page.get_label() or ""))
        out.fills = read_fills(page.get_cdrawings(), self._turns[index + 1])
        return out

    def _laid_out(self, index: int, raw: dict[str, Any], label: str) -> Page:
        """A page with its lines, turned so that its main text runs from left to right."""
        width, height = coordinate(raw["width"]) or 612.0, coordinate(raw["height"]) or 792.0
        lines = [line for block in raw["blocks"] for line in block.get("lines", ())]
        turn = turn_of(lines, width, height)
        self._turns[index + 1] = turn
        out = Page(index + 1, clean(label), *turn.size(width, height))
        for raw_line in lines:
            spans = [_span(s, turn) for s in raw_line["spans"]]
            line = make_line([s for s in spans if s is not None], index + 1)
            if line is not None:
                line.turned = not turn.runs_along(raw_line["dir"])
                box = raw_line["bbox"]
                line.edges = (float(box[1]) / height, float(box[3]) / height)
                out.lines.append(line)
        return out

    def image_share(self, number: int) -> float:
        """Share of a page that its largest image covers, from 0 to 1; 0 for an unreadable page."""
        try:
            page: Any = self._doc[number - 1]
            # Not `get_image_info`: it decodes every image, and a damaged one may claim gigabytes.
            boxes = [box_of(b) for kind, b in page.get_bboxlog() if kind == "fill-image"]
        except _faults():
            return 0.0  # `pages` has named the page in its warnings
        whole = float(page.rect.width * page.rect.height) or 1.0
        shares = [(b[2] - b[0]) * (b[3] - b[1]) / whole for b in boxes]
        return min(max(shares, default=0.0), 1.0)


def _library() -> Any:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()  # it prints to standard output
    return pymupdf


def _faults() -> tuple[type[Exception], ...]:
    """What MuPDF raises on damaged files, its own errors and Python's."""
    own: type[Exception] = _library().mupdf.FzErrorBase
    return (own, RuntimeError, ValueError, AssertionError, LookupError, AttributeError, OSError)


def _flags(pymupdf: Any) -> int:
    return int(pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)


def _check_magic(data: bytes, name: str) -> None:
    """Refuse bytes that are empty, too large or no PDF."""
    if not data.strip():
        raise ParseError("the file is empty", code="empty_document", file=name)
    if len(data) > MAX_BYTES:
        raise ParseError(
            f"{len(data):,} bytes are more than the {MAX_BYTES:,} accepted",
            code="too_large",
            file=name,
        )
    head = data[:1024]
    if b"%PDF-" in head:
        return
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")) or b"<html" in start:
        raise ParseError(
            "an HTML page named as a PDF (an error page or a bot challenge): fetch the file by "
            "hand and put it in the drop folder",
            code="html_named_pdf",
            file=name,
        )
    raise ParseError("it does not begin with %PDF-", code="not_pdf", file=name)


def _open(data: bytes, name: str) -> Any:
    pymupdf = _library()
    try:
        return pymupdf.open(stream=data, filetype="pdf")
    except _faults() as error:
        raise ParseError(
            f"it cannot be opened ({str(error)[:120]}): truncated or damaged, fetch it again",
            code="pdf_truncated",
            file=name,
        ) from error


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _font(raw: dict[str, Any]) -> tuple[str, bool, bool]:
    name = str(raw["font"])
    lower = name.lower()
    flags = int(raw["flags"])
    bold = bool(flags & 16) or any(word in lower for word in _BOLD) or lower.endswith("-medi")
    return name, bold, bool(flags & 2) or "italic" in lower or "oblique" in lower


def _span(raw: dict[str, Any], turn: Turn) -> Span | None:
    """A span of MuPDF as plain data, None where it holds no readable text."""
    font, bold, italic = _font(raw)
    text = _readable(str(raw["text"]), font)
    if not text:
        return None
    return Span(
        text=text,
        box=turn.box(box_of(raw["bbox"])),
        base=turn.base([coordinate(v) for v in raw["origin"]]),
        size=coordinate(raw["size"]),
        font=font,
        bold=bold,
        italic=italic,
        color=int(raw["color"]),
        flagged=bool(int(raw["flags"]) & 1),
    )


def _readable(text: str, font: str) -> str:
    if any(name in font.lower() for name in _ICONS):
        return "".join(c if c.isspace() else "•" for c in clean(text, font=font))
    if "\u00ad" not in text:
        return clean(text, font=font)
    # A soft hyphen matters at a line's end: it is kept until lines are joined.
    return "\u00ad".join(clean(part, font=font) for part in text.split("\u00ad"))


def _characters(raw: dict[str, Any], turn: Turn) -> Iterator[Span]:
    """Characters of a span of MuPDF as spans of their own."""
    font, bold, italic = _font(raw)
    size, color, flagged = coordinate(raw["size"]), int(raw["color"]), bool(int(raw["flags"]) & 1)
    plain = not any(name in font.lower() for name in (*_ICONS, "symbol"))
    for char in raw["chars"]:
        text = str(char["c"])
        if not plain or not text.isascii():
            text = _readable(text, font)
        if text:
            box, base = (
                turn.box(box_of(char["bbox"])),
                turn.base([coordinate(v) for v in char["origin"]]),
            )
            yield Span(text, box, base, size, font, bold, italic, color, flagged)
