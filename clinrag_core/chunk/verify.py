"""The chunk invariants, checked on real output: exact spans, full cover, limits, unique ids."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.chunk.units import indexed_spans, is_indexed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Section


def chunk_problems(
    documents: Sequence[Document], chunks: Sequence[Chunk], capacity: int
) -> list[str]:
    """Return the violated invariants of all chunks of the documents.

    `capacity` is the most tokens of an embed_text.
    """
    by_section: dict[tuple[str, int], list[Chunk]] = {}
    for chunk in chunks:
        by_section.setdefault((chunk.document_id, chunk.section_ordinal), []).append(chunk)
    problems = [
        f"chunk id {chunk_id} occurs {count} times"
        for chunk_id, count in Counter(chunk.id for chunk in chunks).items()
        if count > 1
    ]
    problems += [
        f"chunk {chunk.id} has {chunk.tokens} tokens, over {capacity}"
        for chunk in chunks
        if chunk.tokens > capacity
    ]
    for document in documents:
        for section in document.sections:
            cut = by_section.pop((document.id, section.ordinal), [])
            problems += _section_problems(document.id, section, cut)
    problems += [f"{key[0]}, section {key[1]}: chunks of an unknown section" for key in by_section]
    return problems


def _section_problems(document_id: str, section: Section, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield the problems of the chunks of one section."""
    place = f"{document_id}, section {section.ordinal}"
    if not is_indexed(section):
        if chunks:
            yield f"{place}: chunks of a section that is not indexed"
        return
    for chunk in chunks:
        if section.text[chunk.start : chunk.end] != chunk.text:
            yield f"{place}: chunk {chunk.id} is not verbatim"
    spans = indexed_spans(section)
    for chunk in chunks:
        if not any(start <= chunk.start and chunk.end <= end for start, end in spans):
            yield f"{place}: chunk {chunk.id} has a recommendation that is indexed elsewhere"
    for start, end in spans:
        covered = sorted((c.start, c.end) for c in chunks if start <= c.start < end)
        for gap in _gaps(covered, start, end):
            if section.text[slice(*gap)].strip():
                yield f"{place}: text {gap[0]}:{gap[1]} is in no chunk"


def _gaps(spans: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between `start` and `end` that sorted spans do not cover."""
    covered = start
    for begin, stop in spans:
        yield covered, begin
        covered = max(covered, stop)
    yield covered, end
