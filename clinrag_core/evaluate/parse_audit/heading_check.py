"""Recall of a PDF's outline entries among the headings of its document.

An outline is a second opinion on structure that the file itself carries; entries that are not
headings (`parse.pdf.outline`) and outlines without structure do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.model.base import Record
from clinrag_core.parse.assemble.wording import letters
from clinrag_core.parse.pdf.outline import real_entries, same_title
from clinrag_core.parse.pdf.reader import PdfFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.parse.pdf.reader import Entry

LEAST_ENTRIES = 4  # of an outline: fewer give no recall to speak of
_NEAR = 1  # pages: producers point an entry at the page before or after
_CONTENTS = {"contents", "tableofcontents"}


class HeadingRecall(Record):
    """Outline entries that are headings of the document, and those that are not."""

    matched: int
    missed: tuple[str, ...] = ()
    """Page and first letters of each: `page 12: 'introduc'`."""

    @property
    def wanted(self) -> int:
        """Entries compared."""
        return self.matched + len(self.missed)

    @property
    def share(self) -> float:
        """Recall, from 0 to 1."""
        return self.matched / self.wanted if self.wanted else 1.0


def heading_recall(document: Document, entries: Sequence[Entry]) -> HeadingRecall:
    """Compare the headings of a document with outline entries.

    An entry matches if a section that begins on its page, or one page off, has the same
    letters and digits as title, or one of the two is the beginning or end of the other and has at
    least three quarters of its length. A section matches one entry only.
    """
    open_ = [(s.page, letters(s.title)) for s in document.sections if s.page is not None]
    missed: list[str] = []
    compared = _real_titles(document, entries)
    for entry in compared:
        wanted = letters(entry.title)
        near = [
            i
            for i, (page, title) in enumerate(open_)
            if abs(page - entry.page) <= _NEAR and same_title(wanted, title)
        ]
        if near:
            open_.pop(near[0])
        else:
            missed.append(f"page {entry.page}: {wanted[:8]!r}")
    return HeadingRecall(matched=len(compared) - len(missed), missed=tuple(missed))


def _real_titles(document: Document, entries: Sequence[Entry]) -> list[Entry]:
    """Return entries but for the lines of the contents, which the parser leaves out on purpose.

    Outlines that were generated list those lines, and later the titles themselves.
    """
    listing = {
        block.page
        for section in document.sections
        for block in section.blocks
        if section.role == "contents"
    }
    names = [letters(entry.title) for entry in entries]
    return [
        entry
        for n, entry in enumerate(entries)
        if names[n] not in _CONTENTS and not (entry.page in listing and names[n] in names[n + 1 :])
    ]


def outline_recall(data: bytes, document: Document, source: DocumentSource) -> HeadingRecall | None:
    """Recall against the outline of a PDF; None if it has no real one.

    An outline most of whose entries are not on the pages they point to is not a structure.

    Raises:
        DocumentError: the file cannot be read.
    """
    with PdfFile(data, source) as file:
        entries, _ = real_entries(file.outline(), file.page_count)
        last = file.page_count
        printed: dict[int, str] = {}
        for n in {entry.page for entry in entries}:
            near = range(max(n - _NEAR, 1), min(n + _NEAR, last) + 1)
            printed[n] = letters("".join(file.plain_text(p) for p in near))
    real = [e for e in entries if letters(e.title) and letters(e.title) in printed[e.page]]
    if len(real) < LEAST_ENTRIES or 2 * len(real) < len(entries):
        return None
    return heading_recall(document, real)
