"""The chunk invariants, checked on real output: exact spans, full cover, limits, unique ids."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.chunk.chunker import is_indexed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model import Chunk, Document, Section


def chunk_problems(
    documents: Sequence[Document], chunks: Sequence[Chunk], capacity: int
) -> list[str]:
    """What is wrong with the chunks of some documents; empty where all invariants hold.

    Args:
        documents: the documents they were cut from.
        chunks: all their chunks.
        capacity: most tokens of embed_text.
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
            found = by_section.pop((document.id, section.ordinal), [])
            problems += _section_problems(document.id, section, found)
    problems += [f"{key[0]}, section {key[1]}: chunks of an unknown section" for key in by_section]
    return problems


def _section_problems(document_id: str, section: Section, chunks: Sequence[Chunk]) -> Iterator[str]:
    place = f"{document_id}, section {section.ordinal}"
    if not is_indexed(section):
        if chunks:
            yield f"{place}: chunks of a section that is not indexed"
        return
    covered = 0
    for chunk in sorted(chunks, key=lambda c: c.start):
        if section.text[chunk.start : chunk.end] != chunk.text:
            yield f"{place}: chunk {chunk.id} is not verbatim"
        if section.text[covered : chunk.start].strip():
            yield f"{place}: text {covered}:{chunk.start} is in no chunk"
        covered = max(covered, chunk.end)
    if section.text[covered:].strip():
        yield f"{place}: text {covered}:{len(section.text)} is in no chunk"
