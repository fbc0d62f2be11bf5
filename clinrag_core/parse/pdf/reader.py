"""With `library` and `picture`, all that talks to PyMuPDF (AGPL): bytes -> pages as plain data.

Contains the gates: MuPDF opens HTML, truncated and unreadable encrypted files without complaint, so
each of them is checked here and has a separate error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clinrag_core.acquire.magic import check_pdf
from clinrag_core.errors import ParseError
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.characters import clean
from clinrag_core.parse.assemble.source_text import check_size
from clinrag_core.parse.pdf.geometry import UPRIGHT, Turn, box_of, coordinate, read_fills, turn_of
from clinrag_core.parse.pdf.library import faults, library, open_pdf, text_flags
from clinrag_core.parse.pdf.page import Box, Page, Span, area, make_line
from clinrag_core.parse.pdf.raw_text import respace, spans_of, write_out
from clinrag_core.parse.pdf.signs import bars_in, has_signs, read_bars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.source import DocumentSource

MAX_BYTES = 512 * 2**20  # the largest PDF of the reference corpus has 4 MB
MAX_PAGES = 5_000  # the longest has 262
OCR_DPI = 300  # at least
_MOST_OCR_DPI = 500  # A4 in 24 million pixels
_MOST_PIXELS = 40_000_000  # of a poster
_LARGE = 0.05  # of a page: smaller pictures are signs and logos
POINTS = 72  # of an inch
_SLANT = 0.1  # sine of 6 degrees: scans and skewed text are turned by less


@dataclass(frozen=True, slots=True)
class Entry:
    """An outline (bookmark) entry; page from 1; 0 or less if its destination is invalid."""

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
        self.barred_signs = 0  # < > + with a drawn bar, read as ≤ ≥ ±
        self._turns: dict[int, Turn] = {}
        self._bars: dict[int, list[Box]] = {}  # short rules of pages where they make signs
        check_size(data, source, MAX_BYTES)
        check_pdf(data, self._name)
        self._doc = open_pdf(data, self._name)
        self._check()
        self._is_tagged = self._has_structure()

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(self, *_: object) -> None:
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
        """Encryption as the file states it; empty if there is none."""
        return str((self._doc.metadata or {}).get("encryption") or "")

    def outline(self) -> tuple[Entry, ...]:
        """Outline entries in order, invalid destinations included."""
        try:
            rows: list[Any] = self._doc.get_toc(simple=True)
        except faults() as error:
            self.warnings.append(ParseWarning(code="outline_unreadable", message=str(error)))
            return ()
        return tuple(
            Entry(int(level), " ".join(clean(str(title)).split()), int(page))
            for level, title, page in (row[:3] for row in rows)
        )

    def pages(self) -> Iterator[Page]:
        """Yield pages in order, with text lines and filled areas; grids are read by `grids`.

        A page that cannot be read comes without lines and is named in `warnings`.
        """
        for index in range(self.page_count):
            try:
                yield self._page(index)
            except faults() as error:
                message, place = str(error)[:200], f"page {index + 1}"
                self.warnings.append(
                    ParseWarning(code="page_unreadable", message=message, place=place)
                )
                yield Page(number=index + 1, label="", width=612, height=792)

    def recognise(self, number: int, dpi: int | None = None) -> Page:
        """Return a page read by OCR (Tesseract, English), from 1; upright, with no filled areas.

        Without `dpi`, at twice the resolution of its pictures (`benchmarks/ocr.py`): small type
        in a screen shot is misread at 300, and blurred where it is enlarged more.

        Raises:
            ParseError: `ocr_unavailable`, Tesseract's language data is not installed.
        """
        page: Any = self._doc[number - 1]
        try:
            recognised = page.get_textpage_ocr(dpi=dpi or ocr_dpi(page), full=True)
        except faults() as error:
            raise ParseError(
                "OCR was requested, but Tesseract is not installed (Debian: apt-get install "
                f"tesseract-ocr): {str(error)[:120]}",
                code="ocr_unavailable",
                file=self._name,
                place=f"page {number}",
            ) from error
        raw: dict[str, Any] = page.get_text("dict", flags=text_flags(), textpage=recognised)
        return self._laid_out(number - 1, raw, str(page.get_label() or ""))

    def respaced(self, number: int, *, glued: bool) -> Page:
        """Return a page, from 1, with spaces where its characters are set apart (see `spaces`)."""
        raw = self._characters_of(number)
        respace(_lines_of(raw), glued=glued)
        return self._laid_out(number - 1, raw, "")

    def plain_text(self, number: int) -> str:
        """Return the text layer of a page, from 1, as MuPDF gives it; empty if it is unreadable."""
        try:
            return str(self._doc[number - 1].get_text("text"))
        except faults():
            return ""  # `pages` has named the page in its warnings

    def characters(self, number: int, within: list[Box]) -> list[Span]:
        """Return characters as separate spans, of lines of page `number` that reach into a box."""
        turn = self._turns.get(number, UPRIGHT)
        return [
            character
            for line in _lines_of(self._characters_of(number))
            if turn.runs_along(line["dir"])
            and any(_overlap(turn.box(box_of(line["bbox"])), w) for w in within)
            for span in line["spans"]
            for character in spans_of(span, turn)
        ]

    def structure(self, number: int) -> tuple[str, Turn]:
        """XML of page `number` with its structure tree, and how the page is turned.

        Empty if the file is not tagged.
        """
        if not self._is_tagged:
            return "", UPRIGHT
        flags = text_flags() | int(library().TEXT_COLLECT_STRUCTURE)
        try:
            xml = str(self._doc[number - 1].get_textpage(flags=flags).extractXML())
        except faults():
            xml = ""
        return xml, self._turns.get(number, UPRIGHT)

    def _error(self, code: str, message: str) -> ParseError:
        return ParseError(message, code=code, file=self._name)

    def _has_structure(self) -> bool:
        try:
            kind, _ = self._doc.xref_get_key(self._doc.pdf_catalog(), "StructTreeRoot")
        except faults():
            return False
        return kind != "null"

    def _check(self) -> None:
        """Refuse a file that cannot be read, and warn of one that MuPDF repaired."""
        doc = self._doc
        if not doc.is_pdf:
            raise self._error("not_pdf", "this is not a PDF, in spite of its name")
        if doc.needs_pass:
            message = "encrypted, and needs a password: supply an unprotected copy"
            raise self._error("pdf_encrypted", message)
        try:
            count = self.page_count
        except faults():
            count = 0  # the tree of pages leads nowhere
        if count == 0:
            message = "no page can be read: the file is truncated or damaged, fetch it again"
            raise self._error("pdf_truncated", message)
        if count > MAX_PAGES:
            message = f"{count} pages are more than the {MAX_PAGES} accepted: split it"
            raise self._error("pdf_too_many_pages", message)
        if doc.is_repaired:
            message = "the file was damaged and has been repaired: pages may be missing"
            self.warnings.append(ParseWarning(code="pdf_repaired", message=message))

    def _page(self, index: int) -> Page:
        page: Any = self._doc[index]
        raw: dict[str, Any] = page.get_text("dict", flags=text_flags())
        out = self._laid_out(index, raw, str(page.get_label() or ""))
        out.fills = read_fills(page.get_cdrawings(), self._turns[index + 1])
        if has_signs(out.lines) and (bars := bars_in(out.fills, max(i.size for i in out.lines))):
            self._read_signs(index, out, bars)
        return out

    def _read_signs(self, index: int, page: Page, bars: list[Box]) -> None:
        """Read the lines of a page again if some of its signs are made with a drawn bar."""
        raw: dict[str, Any] = self._doc[index].get_text("rawdict", flags=text_flags())
        read, unclear = read_bars(_lines_of(raw), bars, self._turns[index + 1])
        if unclear:
            message = f"{unclear} < or > with a line under them may be ≤ or ≥"
            place = f"page {page.number}"
            self.warnings.append(ParseWarning(code="unclear_signs", message=message, place=place))
        if read:
            self._bars[page.number] = bars
            self.barred_signs += read
            write_out(_lines_of(raw))
            page.lines = self._laid_out(index, raw, page.label).lines

    def _characters_of(self, number: int) -> dict[str, Any]:
        """Raw text of a page, from 1, with its characters."""
        raw: dict[str, Any] = self._doc[number - 1].get_text("rawdict", flags=text_flags())
        if number in self._bars:
            read_bars(_lines_of(raw), self._bars[number], self._turns[number])
        return raw

    def _laid_out(self, index: int, raw: dict[str, Any], label: str) -> Page:
        """Return a page with its lines, turned so that its main text runs from left to right."""
        width, height = coordinate(raw["width"]) or 612.0, coordinate(raw["height"]) or 792.0
        lines = _lines_of(raw)
        turn = turn_of(lines, width, height)
        self._turns[index + 1] = turn
        out = Page(index + 1, clean(label), *turn.size(width, height))
        for raw_line in lines:
            spans = [span for raw_span in raw_line["spans"] for span in spans_of(raw_span, turn)]
            line = make_line(spans, index + 1)
            if line is not None:
                line.turned = not turn.runs_along(raw_line["dir"])
                line.diagonal = min(map(abs, raw_line["dir"])) > _SLANT
                box = raw_line["bbox"]
                line.edges = (float(box[1]) / height, float(box[3]) / height)
                out.lines.append(line)
        return out

    def image_share(self, number: int) -> float:
        """Return the share of a page that its largest image covers, 0 to 1; 0 if unreadable."""
        return max(self._image_shares(number), default=0.0)

    def picture_share(self, number: int) -> float:
        """Return the share of a page that its images cover, 0 to 1, each counted in full."""
        return min(sum(self._image_shares(number)), 1.0)

    def _image_shares(self, number: int) -> list[float]:
        """Return the share of a page that each image covers; images may reach over its edge."""
        try:
            page: Any = self._doc[number - 1]
            # Not `get_image_info`: it decodes every image, and a damaged one may claim gigabytes.
            boxes = [b for kind, b in page.get_bboxlog() if kind == "fill-image"]
            page_area = float(page.rect.width * page.rect.height) or 1.0
            return [area(box_of(page.rect & box)) / page_area for box in boxes]
        except faults():
            return []  # `pages` has named the page in its warnings


def ocr_dpi(page: Any) -> int:
    """Resolution to read a page at: twice that of its finest large picture, within bounds."""
    widths = [
        box[2] - box[0]
        for kind, box in page.get_bboxlog()
        if kind == "fill-image" and area(box_of(box)) >= _LARGE * page.rect.width * page.rect.height
    ]
    pixels = max((int(image[2]) for image in page.get_images(full=True)), default=0)
    wanted = 2 * pixels / max(widths) * POINTS if widths and pixels else OCR_DPI
    inches = page.rect.width * page.rect.height / POINTS**2
    most = min(_MOST_OCR_DPI, (_MOST_PIXELS / max(inches, 1.0)) ** 0.5)
    return round(min(max(wanted, OCR_DPI), most))


def _lines_of(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for block in raw["blocks"] for line in block.get("lines", ())]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
