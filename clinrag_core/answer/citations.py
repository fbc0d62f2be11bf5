"""Citations: made from a span of a passage, and checked against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from clinrag_core.model.citation import Citation
from clinrag_core.model.section import places_within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement

CitationProblem = Literal["missing", "out_of_range", "not_verbatim"]


def cite(chunk: Chunk, start: int, end: int) -> Citation:
    """Return a citation of a span of a chunk's text, counted from the chunk's start."""
    places = places_within(chunk.places, chunk.start + start, chunk.start + end)
    first = next(iter(places), chunk)
    return Citation(
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document_title=chunk.document_title,
        section_path=chunk.section_path,
        start=chunk.start + start,
        end=chunk.start + end,
        snippet=chunk.text[start:end],
        page=first.page,
        boxes=tuple(dict.fromkeys((p.page, *p.box) for p in places)) or chunk.boxes,
        page_label=first.page_label,
        loinc=chunk.loinc,
        label_version=chunk.label_version,
        effective=chunk.effective,
    )


def cite_quotes(statement: IndexedStatement, chunks: Mapping[str, Chunk]) -> tuple[Citation, ...]:
    """Return a citation for every place that a statement's words come from, its own first."""
    return tuple(
        cite(chunk, quote.start - chunk.start, quote.end - chunk.start)
        for quote in statement.quotes
        for chunk in (chunks[quote.chunk_id],)
    )


def citation_problem(citation: Citation, chunk: Chunk | None) -> CitationProblem | None:
    """Return what is wrong with a citation of a passage; None where nothing is."""
    if chunk is None or chunk.document_id != citation.document_id:
        return "missing"
    if not chunk.start <= citation.start < citation.end <= chunk.end:
        return "out_of_range"
    start, end = citation.start - chunk.start, citation.end - chunk.start
    return None if chunk.text[start:end] == citation.snippet else "not_verbatim"


def date_of(source: Chunk | IndexedStatement) -> str | None:
    """Return the effective date of a label, else the year of publication, else None."""
    if source.effective is not None:
        return source.effective.isoformat()
    return str(source.year) if source.year is not None else None
