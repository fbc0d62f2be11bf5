"""Statements with what the index needs: their document, their headings and the passages to cite.

A statement is quoted from passages, because passages are what a release stores and a citation is
checked against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.chunk.aspects import advises, stated_aspects
from clinrag_core.chunk.statements import cut_statements
from clinrag_core.facts.drugs import label_ingredients
from clinrag_core.facts.routes import stated_routes
from clinrag_core.model.statement import IndexedStatement, Quote
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.document import Document
    from clinrag_core.model.label import Label
    from clinrag_core.model.section import Section
    from clinrag_core.model.statement import FramePart, Statement


def frame_statements(document: Document, chunks: Sequence[Chunk]) -> list[IndexedStatement]:
    """Return the statements of a document, each with the passages that hold its words.

    Statements whose own words no single passage holds are left out: they cannot be cited.
    """
    of_section: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        of_section.setdefault(chunk.section_ordinal, []).append(chunk)
    framed: list[IndexedStatement] = []
    for statement in cut_statements(document):
        passages = of_section.get(statement.section_ordinal, [])
        text = document.sections[statement.section_ordinal].text
        quotes = _quotes(statement, passages, text)
        if quotes:
            section = document.sections[statement.section_ordinal]
            chunk = next(c for c in passages if c.id == quotes[0].chunk_id)
            framed.append(_framed(document, section, statement, quotes, chunk))
    return framed


def _framed(
    document: Document,
    section: Section,
    statement: Statement,
    quotes: tuple[Quote, ...],
    chunk: Chunk,
) -> IndexedStatement:
    """Return a statement as the index stores it; `chunk` holds its own words."""
    label = document.label
    block = section.blocks[statement.block] if section.blocks else None
    caption = _words(section, statement.frame, "caption")
    if not caption and block is not None and block.table is not None:
        caption = block.table.caption
    run_in = _words(section, statement.frame, "run_in")
    own = f"{run_in} {caption} {statement.said}"
    return IndexedStatement(
        id=statement.id,
        document_id=document.id,
        document_title=document.title,
        kind=document.kind,
        statement_kind=statement.kind,
        order=statement.order,
        section_ordinal=statement.section_ordinal,
        block=statement.block,
        headings=section.path,
        text=statement.text,
        said=statement.said,
        caption=caption,
        run_in=run_in,
        quotes=quotes,
        embed_title=chunk.embed_title,
        unfit=statement.unfit,
        aspects=stated_aspects(statement.said, section.group),
        advises=advises(own),
        stems=tuple(sorted(set(key_stems(own)))),
        group=section.group,
        loinc=section.loinc,
        ingredients=tuple(sorted(label_ingredients(label.drug, label.names))) if label else (),
        routes=_routes(label) if label else (),
        audience=section.audience,
        year=document.year,
        effective=label.effective if label else None,
    )


def _routes(label: Label) -> tuple[str, ...]:
    """Return the routes of a label's products, in the words of `facts.routes`."""
    named = (route for product in label.products for route in product.routes)
    return tuple(sorted(frozenset[str]().union(*map(stated_routes, named))))


def _words(section: Section, frame: Sequence[FramePart], kind: str) -> str:
    parts = [section.text[p.start : p.end] for p in frame if p.kind == kind]
    return " ".join(" ".join(parts).split())


def _quotes(statement: Statement, passages: Sequence[Chunk], text: str) -> tuple[Quote, ...]:
    """Return the spans of a statement's words in passages, its own first; empty if none holds it.

    Where passages part its words, each is quoted from the passage that goes on with them. Parts of
    the frame that no passage holds, such as those in another role, are not quoted.
    """
    spans = [(part.start, part.end) for part in statement.frame]
    own = [c for c in passages if c.start <= statement.start and statement.end <= c.end]
    if own:
        first = max(own, key=lambda c: sum(c.start <= a and b <= c.end for a, b in spans))
        quotes = [Quote(chunk_id=first.id, start=statement.start, end=statement.end)]
    else:
        quotes = _pieces(statement, passages, text)
        if not quotes:
            return ()
        first = next(c for c in passages if c.id == quotes[0].chunk_id)
    for start, end in spans:
        holding = (c for c in (first, *passages) if c.start <= start and end <= c.end)
        if (chunk := next(holding, None)) is not None:
            quotes.append(Quote(chunk_id=chunk.id, start=start, end=end))
    return tuple(dict.fromkeys(quotes))


def _pieces(statement: Statement, passages: Sequence[Chunk], text: str) -> list[Quote]:
    """Return the words of a statement in pieces, one by passage; empty if none has some of them."""
    start, pieces = statement.start, list[Quote]()
    while start < statement.end:
        if text[start].isspace():
            start += 1
            continue
        going_on = [c for c in passages if c.start <= start < c.end]
        if not going_on:
            return []
        longest = max(going_on, key=lambda c: c.end)
        end = min(statement.end, longest.end)
        pieces.append(Quote(chunk_id=longest.id, start=start, end=end))
        start = end
    return pieces
