"""A cited passage as the page shows it: its text with the cited spans, and the pages it is on.

A passage is looked up in the release and in the documents of the tenant who asks, never by a path.
Files of the served release are drawn here; users' files are drawn in child processes.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import ChecksumError, ParseError
from clinrag_core.parse.pdf.picture import PICTURE_FORMAT, QuotedWords, locate, page_picture
from clinrag_core.workspace import Workspace, fingerprint, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.parse.pdf.page import Box
    from clinrag_core.parse.pdf.picture import PagePlace
    from clinrag_core.settings import Settings
    from clinrag_core.users.answering import Answering

PDF_MAGIC = b"%PDF-"
MOST_PICTURES = 1_000
"""Pictures kept on disk, at most 0.3 MB each; the oldest go first."""
PICTURES = "/pictures"
OWN_PICTURES = "/documents/pictures"
MARGIN = 24
"""Points around the cited words in the picture that is shown first."""

Span = tuple[int, int]


class TextPart(NamedTuple):
    """A piece of a passage's text, and whether it is cited."""

    text: str
    cited: bool


class PageView(NamedTuple):
    """A page of a PDF with the cited boxes, in points of the displayed page."""

    number: int
    label: str | None
    """As it is printed on the page, if that is known and another."""
    picture: str
    """Address of the page's picture."""
    width: float
    height: float
    boxes: tuple[Box, ...]
    exact: bool
    """The boxes are around the cited words; else around the blocks that hold them."""

    @property
    def crop(self) -> Box:
        """Left, top, width and height of the part with the boxes."""
        left = max(min(b[0] for b in self.boxes) - MARGIN, 0)
        top = max(min(b[1] for b in self.boxes) - MARGIN, 0)
        right = min(max(b[2] for b in self.boxes) + MARGIN, self.width)
        bottom = min(max(b[3] for b in self.boxes) + MARGIN, self.height)
        return (left, top, right - left, bottom - top)


class SourceView(NamedTuple):
    """A passage with what is cited of it, and its pages if its file is a PDF."""

    chunk: Chunk
    parts: tuple[TextPart, ...]
    pages: tuple[PageView, ...]
    is_own: bool
    """Of a document of who asks, which nobody has reviewed."""


class SourceReader:
    """Reads cited passages of the served release and of a tenant's documents."""

    def __init__(self, settings: Settings, answering: Callable[[], Answering]) -> None:
        workspace = Workspace(settings.home)
        self._files = FileStore(workspace.files)
        self._pictures = workspace.cache / "pages"
        self._answering = answering
        self._served: tuple[str | None, frozenset[str]] | None = None
        self._lock = Lock()

    def passage(self, chunk_id: str, tenant: str) -> Chunk | None:
        """Return a passage of the release or of the tenant's documents; None without."""
        answering = self._answering()
        if (chunk := answering.engine.chunk(chunk_id)) is not None:
            return chunk
        uploads = answering.documents.engine(tenant)
        bases = uploads.knowledge_bases.values() if uploads is not None else ()
        return next((base.chunk(chunk_id) for base in bases if chunk_id in base), None)

    def view(self, chunk_id: str, spans: Sequence[Span], tenant: str) -> SourceView | None:
        """Return a passage with spans of its section's text marked; None without a passage."""
        chunk = self.passage(chunk_id, tenant)
        if chunk is None:
            return None
        within = [(max(a, chunk.start), min(b, chunk.end)) for a, b in spans]
        inner = _joined(
            chunk.text, [(a - chunk.start, b - chunk.start) for a, b in within if a < b]
        )
        snippets = [
            QuotedWords(text, chunk.text.count(text, 0, a), chunk.text.count(text))
            for a, b in inner
            for text in (chunk.text[a:b],)
        ]
        pages = self._pages(chunk, snippets, tenant)
        own = not self.is_released(chunk_id)
        return SourceView(chunk, _parts(chunk.text, inner), pages, own)

    def is_released(self, chunk_id: str) -> bool:
        """Return whether a passage is of the release, so that reading it has no limit."""
        return self._answering().engine.chunk(chunk_id) is not None

    def picture(self, file_sha256: str, page: int) -> bytes | None:
        """Return a page of a file of the release as a picture; None if it has no such page."""
        if (data := self._pdf(file_sha256)) is None:
            return None
        path = self._pictures / f"{fingerprint(file_sha256, page, PICTURE_FORMAT)}.webp"
        if path.is_file():
            return path.read_bytes()
        try:
            drawn = page_picture(data, file_sha256[:12], page)
        except ParseError:
            return None
        write_atomic(path, drawn)
        _keep_newest(self._pictures)
        return drawn

    def _pages(
        self, chunk: Chunk, snippets: Sequence[QuotedWords], tenant: str
    ) -> tuple[PageView, ...]:
        """Return the pages with the snippets, or all pages of the passage if one is on no page."""
        own = not self.is_released(chunk.id)
        data = None if own or not chunk.boxes else self._pdf(chunk.file_sha256)
        if data is None and not own:
            return ()
        documents = self._answering().documents
        places: dict[int, PagePlace] = {}
        for number in sorted({box[0] for box in chunk.boxes}):
            blocks = [box[1:] for box in chunk.boxes if box[0] == number]
            if data is not None:
                place = _located(chunk, data, number, snippets, blocks)
            else:
                place = documents.page_place(tenant, chunk.document_id, number, snippets, blocks)
            if place is None:
                return ()
            places[number] = place
        found = frozenset(i for place in places.values() for i in place.found)
        exact = bool(snippets) and len(found) == len(snippets)
        folder = f"{OWN_PICTURES}/{chunk.document_id}" if own else f"{PICTURES}/{chunk.file_sha256}"
        return tuple(
            PageView(
                number, label, f"{folder}/{number}.webp", place.width, place.height, boxes, exact
            )
            for number, place in places.items()
            for label in (chunk.page_label if number == chunk.page else None,)
            if (boxes := place.boxes if exact else place.blocks)
        )

    def _pdf(self, file_sha256: str) -> bytes | None:
        """Return the bytes of a PDF of the served release; None for another file or a lost one."""
        if file_sha256 not in self._release_files():
            return None
        try:
            data = self._files.read(file_sha256)
        except ChecksumError:
            return None
        return data if data.startswith(PDF_MAGIC) else None

    def _release_files(self) -> frozenset[str]:
        """Return the sha256 of every file of the served release."""
        search = self._answering().engine.search
        with self._lock:
            if self._served is None or self._served[0] != search.release:
                columns = [b.table.column("file_sha256") for b in search.knowledge_bases.values()]
                files = frozenset(str(v) for c in columns for v in c.unique().to_pylist())
                self._served = (search.release, files)
            return self._served[1]


def merged_pages(views: Sequence[SourceView]) -> tuple[PageView, ...]:
    """Return the pages of several passages, each once with the boxes of all of them."""
    merged: dict[tuple[str, int], PageView] = {}
    for page in (page for view in views for page in view.pages):
        key = (page.picture.rpartition("/")[0], page.number)
        known = merged.get(key)
        if known is not None:
            boxes = tuple(dict.fromkeys((*known.boxes, *page.boxes)))
            merged[key] = page._replace(boxes=boxes, exact=known.exact and page.exact)
        else:
            merged[key] = page
    return tuple(page for _, page in sorted(merged.items()))


def _located(
    chunk: Chunk,
    data: bytes,
    page: int,
    snippets: Sequence[QuotedWords],
    blocks: Sequence[Box],
) -> PagePlace | None:
    """Return where snippets are on a page of a file of the release."""
    try:
        return locate(data, chunk.document_id, page, snippets, blocks)
    except ParseError:
        return None


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in order; those that overlap or have only white space between them are one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _parts(text: str, spans: Sequence[Span]) -> tuple[TextPart, ...]:
    """Return a text cut at the borders of spans, which are in order and apart."""
    parts: list[TextPart] = []
    position = 0
    for start, end in spans:
        if start > position:
            parts.append(TextPart(text[position:start], cited=False))
        parts.append(TextPart(text[start:end], cited=True))
        position = end
    if position < len(text):
        parts.append(TextPart(text[position:], cited=False))
    return tuple(parts)


def _keep_newest(folder: Path) -> None:
    """Delete the oldest pictures beyond the limit."""
    pictures = sorted(folder.glob("*.webp"), key=lambda p: (p.stat().st_mtime, p.name))
    for old in pictures[:-MOST_PICTURES]:
        old.unlink(missing_ok=True)
