"""A document as chunks: token windows at sentence boundaries, never across a section.

Guideline sections are windows of `max_tokens` with `overlap`. A label (sub)section is one chunk
where it fits the encoder, else it is split the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.chunk.bonds import unit_bonds
from clinrag_core.chunk.statements import STATEMENTS
from clinrag_core.chunk.units import (
    indexed_spans,
    is_indexed,
    section_units,
    without_cross_references,
)
from clinrag_core.chunk.windows import pack
from clinrag_core.model.chunk import Chunk
from clinrag_core.workspace import fingerprint, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.chunk.units import ChunkUnit, Counter
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section
    from clinrag_core.settings import ChunkSettings

CHUNKER = "chunk/14"
TITLE_SEPARATOR = " › "
_TITLE_WORDS = 8  # of a document's title that stay: enough to name the drug or the guideline


class Chunker:
    """Cuts documents into chunks for one encoder.

    `counter` counts tokens as that encoder does; `capacity` is the most it takes, title included,
    special tokens not counted.
    """

    def __init__(self, settings: ChunkSettings, counter: Counter, capacity: int) -> None:
        self._settings = settings
        self._counter = counter
        self.capacity = capacity

    def chunk(self, document: Document) -> list[Chunk]:
        """Return the chunks of a document's indexed sections, in order.

        `section.text[chunk.start:chunk.end] == chunk.text`; the chunks of a section cover all its
        text but white space and recommendations that another section repeats; embed_title and
        embed_text together fit the encoder.
        """
        ordinals: dict[tuple[str, ...], int] = {}
        return [
            chunk
            for section in document.sections
            if is_indexed(section)
            for chunk in self._section_chunks(document, section, ordinals)
        ]

    def _section_chunks(
        self, document: Document, section: Section, ordinals: dict[tuple[str, ...], int]
    ) -> Iterator[Chunk]:
        """Yield the chunks of a section and count them by its path."""
        title = self.embed_title(document, section)
        room = self.capacity - self._counter.count([title])[0]
        window = min(self._settings.max_tokens, room)
        for span in indexed_spans(section):
            units = section_units(section, window, self._counter, span)
            total = sum(unit.tokens for unit in units)
            limit = room if document.kind == "label" and total <= room else window
            bonds = unit_bonds(section, units, limit)
            tokens = [unit.tokens for unit in units]
            for first, last in pack(tokens, limit, self._settings.overlap, bonds):
                ordinal = ordinals.get(section.path, 0)
                ordinals[section.path] = ordinal + 1
                yield self._build(document, section, units[first:last], title, ordinal)

    def embed_title(self, document: Document, section: Section) -> str:
        """Return `document title › section path` in at most `title_tokens` tokens.

        A longer one loses its middle headings first, then the end of the document's title: the
        name of the drug or guideline and the nearest heading describe a passage best.
        """
        path = [part for part in section.path if part and part != document.title]
        parts = [document.title, *path]
        while parts[1:-1] and not self._fits(parts):
            parts.pop(1)
        while not self._fits(parts):
            cut = 0 if len(parts[0].split()) > _TITLE_WORDS else -1
            words = parts[cut].split()
            if not words[1:]:
                return ""
            parts[cut] = " ".join(words[:-1])
        return TITLE_SEPARATOR.join(parts)

    def _introduced(self, embed: str, introductions: Iterable[str], title: str) -> str:
        """Return a text after what introduces it and is not in it, if there is room."""
        wanted = [words for words in dict.fromkeys(introductions) if words not in embed]
        joined = "\n".join([*wanted, embed])
        tokens = self._counter.count([title, joined])
        return joined if sum(tokens) <= self.capacity else embed

    def _fits(self, parts: Sequence[str]) -> bool:
        title = TITLE_SEPARATOR.join(parts)
        return self._counter.count([title])[0] <= self._settings.title_tokens

    def _build(
        self,
        document: Document,
        section: Section,
        units: Sequence[ChunkUnit],
        title: str,
        ordinal: int,
    ) -> Chunk:
        """Return the chunk of some units with its place in the source."""
        start, end = units[0].start, units[-1].end
        text = section.text[start:end]
        blocks = [b for b in section.blocks if b.start < end and b.end > start]
        embed = without_cross_references(text)
        captions: list[str] = []
        if any(unit.is_table for unit in units):
            embed = "\n".join(unit.embed for unit in units)
            captions = [b.table.caption for b in blocks if b.table is not None and b.table.caption]
        leads = [section.text[slice(*b.lead_in)] for b in blocks[:1] if b.lead_in is not None]
        if captions or leads:
            embed = self._introduced(embed, (*leads, *captions), title)
        places = tuple(place for b in blocks for place in b.places_of(start, end))
        located = next(iter(places), None)
        label = document.label
        return Chunk(
            id=chunk_id(document.id, section.path, ordinal, text),
            document_id=document.id,
            document_title=document.title,
            kind=document.kind,
            section_ordinal=section.ordinal,
            section_path=section.path,
            ordinal=ordinal,
            start=start,
            end=end,
            text=text,
            embed_title=title,
            embed_text=embed,
            tokens=self._counter.count([embed])[0],
            file_sha256=document.file.sha256,
            organisation=document.organisation,
            year=document.year,
            topics=document.topics,
            page=located.page if located else section.page,
            page_label=located.page_label if located else section.page_label,
            boxes=tuple(dict.fromkeys((place.page, *place.box) for place in places)),
            xml_id=section.xml_id,
            loinc=section.loinc,
            group=section.group,
            audience=section.audience,
            has_table=any(unit.is_table for unit in units),
            table_html=table_html(blocks, start, end),
            places=places,
            text_source=section.text_source,
            drug=label.drug if label else None,
            drug_names=label.names if label else (),
            set_id=label.set_id if label else None,
            label_version=label.version if label else None,
            effective=label.effective if label else None,
        )


def table_html(blocks: Iterable[Block], start: int, end: int) -> str | None:
    """Return the table rows of a span with their headers as HTML; None if there are none."""
    parts: list[str] = []
    for block in blocks:
        if block.table is not None:
            spans = enumerate(block.table.row_spans)
            rows = [row for row, (a, b) in spans if a < end and b > start]
            if rows:
                parts.append(block.table.excerpt(rows).html())
    return "\n".join(parts) or None


def chunk_id(document_id: str, path: Sequence[str], ordinal: int, text: str) -> str:
    """Return the identity of a passage: its text and place, never its vector."""
    content = "\x1f".join([document_id, *path, str(ordinal), text])
    return sha256_hex(content.encode())[:24]


def chunker_fingerprint(settings: ChunkSettings, capacity: int, tokenizer_sha256: str) -> str:
    """Return the fingerprint of everything that decides where chunks and statements are cut."""
    return fingerprint(CHUNKER, STATEMENTS, settings.model_dump(), capacity, tokenizer_sha256)
