"""PDF guidelines and labels: deterministic, from the text layer, a few milliseconds a page.

The order of work: gates and pages (`reader`), running lines (`furniture`), tables, boxes and
reading order page by page (`layout`), headings and complete paragraphs (`flow`), sections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import ParseError
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.source_text import character_warnings, document
from clinrag_core.parse.pdf.chain import mark_numbered_titles
from clinrag_core.parse.pdf.cover import title_of
from clinrag_core.parse.pdf.entries import mark_entries
from clinrag_core.parse.pdf.flow import Paper, to_items
from clinrag_core.parse.pdf.furniture import printed_labels, remove_furniture
from clinrag_core.parse.pdf.groups import Grouper, line_pitch
from clinrag_core.parse.pdf.headings import body_style
from clinrag_core.parse.pdf.hyphens import Vocabulary
from clinrag_core.parse.pdf.label import printed_label, printed_title, with_sections
from clinrag_core.parse.pdf.label_flow import label_flow
from clinrag_core.parse.pdf.layout import group_page, order_page
from clinrag_core.parse.pdf.outline import real_entries
from clinrag_core.parse.pdf.page import Line
from clinrag_core.parse.pdf.reader import PdfFile
from clinrag_core.parse.pdf.roles import page_roles
from clinrag_core.parse.pdf.spaces import restore_spaces
from clinrag_core.parse.pdf.woven import woven_pages

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import SectionRole, TextSource
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.parse.pdf.page import Page
    from clinrag_core.parse.pdf.tables import PdfTable

PARSER = "pdf/15"

_FLOOR = 20  # characters: a page with fewer has no text
_SPARSE = 0.5  # share of pages without text above which the file is not usable
_SCANNED = 0.8  # share of a page under one image, with text: a scan with an OCR layer
_PICTURE = 0.3  # share of a page without text under its images: the text is in the images
_NAMED_PAGES = 20  # in a warning
_SAMPLE = 5  # pages searched for scans: MuPDF reads their images, which takes time


def parse_pdf(data: bytes, source: DocumentSource) -> Document:
    """Parse a PDF with a text layer, as a label where the source says that it is one.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_pdf`, `html_named_pdf`, `pdf_encrypted`,
            `pdf_truncated`, `pdf_too_many_pages`, `pdf_no_text` (scanned), `pdf_blank_pages`;
            of a label `not_a_label`, `no_drug_name`.
        RefusedDocumentError: the label is an emergency use fact sheet.
    """
    with PdfFile(data, source) as file:
        pages = list(file.pages())
        glued = restore_spaces(file, pages)
        recognised = _recognise(file, pages) if source.ocr else 0
        blank = _check_text(file, pages, source.file.name)
        text_source = "ocr" if recognised else _text_source(file, pages)
        warnings = _oddities(pages, blank, text_source)
        if glued:
            message = f"{glued} pages print no spaces: they were read from the gaps between letters"
            warnings.append(ParseWarning(code="spaces_restored", message=message))
        if file.barred_signs:
            message = f"{file.barred_signs} underlined <, > or + read as ≤, ≥ or ±"
            warnings.append(ParseWarning(code="underlined_signs", message=message))
        removed = remove_furniture(pages)
        labels = {p.number: p.label for p in pages if p.label} or printed_labels(pages, removed)
        entries, outline_warnings = real_entries(file.outline(), len(pages))
        body = body_style(pages)
        roles = page_roles(pages)
        vocabulary = Vocabulary(line.text + "\u00ad" * line.soft for p in pages for line in p.lines)
        ordered = [
            order_page(file, p, body, vocabulary, tables=roles.get(p.number) != "contents")
            for p in pages
        ]
        contents = frozenset(n for n, role in roles.items() if role == "contents")
        mark_numbered_titles([o.items for o in ordered], body, contents)
        roles = _without_chapters(roles, [o.items for o in ordered])
        for page in ordered:
            mark_entries(page.items, page.page)
        pitch = line_pitch([[i for i in o.items if isinstance(i, Line)] for o in ordered])
        grouper = Grouper(pitch, vocabulary)
        grouped = [group_page(o, grouper, body) for o in ordered]
        if woven := [page for page in woven_pages(grouped) if page not in roles]:
            message = f"{len(woven)} pages have text that may be read across columns"
            place = f"page {', '.join(map(str, woven[:_NAMED_PAGES]))}"
            warnings.append(ParseWarning(code="columns_mixed", message=message, place=place))
        items = to_items(grouped, Paper(body, roles, labels, entries), grouper)
        label = printed_label(items, source) if source.kind == "label" else None
        stated = printed_title(label) if label else title_of(file.title, pages, body.size)
        title = source.title or stated or source.file.name
        sections = assemble(label_flow(items) if label else items, title, text_source=text_source)
        warnings = (*file.warnings, *outline_warnings, *warnings)
    running = sum(c.isalnum() for lines in removed.values() for i in lines for c in i.text)
    label = with_sections(label, sections) if label else None
    return document(source, PARSER, title, sections, warnings, len(pages), running, label)


def _without_chapters(
    roles: dict[int, SectionRole], pages: list[list[Line | PdfTable]]
) -> dict[int, SectionRole]:
    """Return the roles of pages without those that hold a numbered heading: they are body."""
    titled = {i.page for items in pages for i in items if isinstance(i, Line) and i.title > 0}
    return {n: role for n, role in roles.items() if n not in titled}


def _recognise(file: PdfFile, pages: list[Page]) -> int:
    """Read the pages without text by OCR, in place; returns how many.

    Only images are read: a page that is blank for another reason stays so and is reported.
    """
    count = 0
    for index, page in enumerate(pages):
        if _is_blank(page) and file.picture_share(page.number) >= _PICTURE:
            pages[index] = file.recognise(page.number)
            count += 1
    return count


def _is_blank(page: Page) -> bool:
    return sum(len(line.text) for line in page.lines) < _FLOOR


def _check_text(file: PdfFile, pages: list[Page], name: str) -> list[int]:
    """Numbers of the pages without text.

    Raises:
        ParseError: most pages have none.
    """
    blank = [p.number for p in pages if _is_blank(p)]
    if len(blank) <= _SPARSE * len(pages):
        return blank
    code, share = "pdf_blank_pages", f"{len(blank)} of {len(pages)} pages are"
    if file.encryption:
        message = (
            f"{share} blank in a file with {file.encryption}: it is encrypted in a way that cannot "
            "be undone; supply an unprotected copy"
        )
    elif any(file.picture_share(n) >= _PICTURE for n in blank[:_SAMPLE]):
        code = "pdf_no_text"
        message = (
            f"{share} images without a text layer: supply a copy with text, or install Tesseract "
            "(Debian: apt-get install tesseract-ocr), set `ocr = true` in the manifest and check "
            "every number it gives"
        )
    else:
        message = f"{share} blank: the file is damaged, fetch it again"
    place = f"page {blank[0]}" if len(blank) == 1 else f"pages {blank[0]} to {blank[-1]}"
    raise ParseError(message, code=code, file=name, place=place)


def _text_source(file: PdfFile, pages: list[Page]) -> TextSource:
    """'ocr' if the text is printed over page-wide images."""
    step = max(len(pages) // _SAMPLE, 1)
    sample = [p.number for p in pages[::step] if p.lines][:_SAMPLE]
    scanned = sum(file.image_share(n) >= _SCANNED for n in sample)
    return "ocr" if sample and scanned * 2 > len(sample) else "text_layer"


def _oddities(pages: list[Page], blank: list[int], text_source: TextSource) -> list[ParseWarning]:
    """Warnings about pages without text, OCR and characters without meaning."""
    warnings: list[ParseWarning] = []
    if blank:
        message = f"{len(blank)} of {len(pages)} pages hold no text"
        place = f"page {', '.join(map(str, blank[:_NAMED_PAGES]))}"
        warnings.append(ParseWarning(code="pages_without_text", message=message, place=place))
    if text_source == "ocr":
        message = "the text was recognised from page images: numbers may be wrong"
        warnings.append(ParseWarning(code="ocr_text_layer", message=message))
    text = "".join(line.text for p in pages for line in p.lines)
    return [*warnings, *character_warnings(text)]
