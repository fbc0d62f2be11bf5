"""A document as statements: sentences, items and rows with what they need to be understood.

Statements are cut from the parsed document, not from chunks: a row has all levels of its header,
an item its lead-in, a sentence that points back the one before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.chunk.rows import bind_row, repeats_header
from clinrag_core.chunk.run_ins import RunIns
from clinrag_core.chunk.units import is_indexed
from clinrag_core.lexicon.statements import statement_lexicon
from clinrag_core.model.statement import FramePart, Statement
from clinrag_core.text.list_signs import is_sign
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.lexicon.statements import UnfitWordings
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section
    from clinrag_core.model.statement import StatementKind, Unfit

STATEMENTS = "statements/5"
"""Of the rules of this package; part of the chunker's fingerprint."""
LONGEST_ITEM = 400
"""Characters up to which a list item of several sentences stays one statement."""
FEWEST_WORDS = 3
"""A sentence of fewer words says nothing by itself."""


class _Draft(NamedTuple):
    """A statement before it has its place in the document."""

    kind: StatementKind
    block: int
    start: int
    end: int
    said: str
    frame: tuple[FramePart, ...] = ()
    is_bound: bool = True
    run_in: tuple[int, int] | None = None


def cut_statements(document: Document) -> list[Statement]:
    """Return the statements of a document's indexed sections, in its order."""
    statements: list[Statement] = []
    for section in document.sections:
        if not is_indexed(section):
            continue
        about = _unfit(section.title, statement_lexicon().headings)
        for draft in _drafts(section):
            statements.append(_statement(document, section, draft, len(statements), about))
    return statements


def _statement(
    document: Document, section: Section, draft: _Draft, order: int, about: tuple[Unfit, ...]
) -> Statement:
    """Return a statement with its identity and what makes it unfit to be quoted."""
    text = section.text[draft.start : draft.end]
    block = section.blocks[draft.block] if section.blocks else None
    unfit: list[Unfit] = [*about, *_unfit(text, statement_lexicon().sentences)]
    if draft.kind != "row" and _is_incomplete(text, draft):
        unfit.append("incomplete")
    if not draft.is_bound:
        unfit.append("unsure_binding")
    frame = draft.frame
    if draft.run_in is not None:
        run_in = FramePart(kind="run_in", start=draft.run_in[0], end=draft.run_in[1])
        frame = (run_in, *frame)
    content = "\x1f".join(
        [document.id, str(section.ordinal), str(draft.start), str(draft.end), draft.said]
    )
    return Statement(
        id=sha256_hex(content.encode())[:24],
        document_id=document.id,
        section_ordinal=section.ordinal,
        block=draft.block,
        order=order,
        kind=draft.kind,
        start=draft.start,
        end=draft.end,
        text=text,
        said=draft.said,
        frame=frame,
        page=(block.page if block is not None else None) or section.page,
        unfit=tuple(dict.fromkeys(unfit)),
    )


def _drafts(section: Section) -> Iterator[_Draft]:
    """Yield the statements of a section; words between its blocks are sentences as well."""
    before: tuple[int, int] | None = None
    caption: tuple[int, int] | None = None
    heads = RunIns(section)
    for index, block in enumerate(section.blocks):
        heads.enter(block)
        if block.recommendation is not None and block.recommendation.repeats is not None:
            continue
        if block.table is not None:
            for draft in _rows(section, index, caption):
                yield draft._replace(run_in=heads.current)
            caption = before = None
            continue
        for draft in _prose(section, index, block, before):
            heads.read(draft.start, draft.end)
            yield draft._replace(run_in=heads.of(draft.start))
            before = (draft.start, draft.end)
        caption = (block.start, block.end) if block.kind == "caption" else None
    if not section.blocks:
        for start, end in sentence_spans(section.text):
            yield _Draft("sentence", 0, start, end, section.text[start:end])


def _rows(section: Section, index: int, caption: tuple[int, int] | None) -> Iterator[_Draft]:
    """Yield the data rows of a table, each with its headings and the table's caption."""
    table = section.blocks[index].table
    assert table is not None  # noqa: S101 - the caller's block is a table
    shared = [FramePart(kind="caption", start=caption[0], end=caption[1])] if caption else []
    for row, (start, end) in enumerate(table.row_spans):
        is_data = row >= table.header_rows and row not in table.group_rows
        if is_data and any(table.rows[row]) and not repeats_header(table, row):
            bound = bind_row(section, table, row)
            frame = (*shared, *bound.frame)
            yield _Draft("row", index, start, end, bound.said, frame, bound.is_sure)


def _prose(
    section: Section, index: int, block: Block, before: tuple[int, int] | None
) -> Iterator[_Draft]:
    """Yield the sentences of a block; a short list item is one statement."""
    text = section.text_of(block)
    spans = [(block.start + a, block.start + b) for a, b in sentence_spans(text)]
    if block.kind == "list_item" and spans and len(text) <= LONGEST_ITEM:
        spans = [(block.start, block.end)]
    frame: list[FramePart] = []
    if block.lead_in is not None:
        frame.append(FramePart(kind="lead_in", start=block.lead_in[0], end=block.lead_in[1]))
    kinds = {"list_item": "item", "recommendation": "recommendation"}
    kind: StatementKind = kinds.get(block.kind, "sentence")  # pyright: ignore[reportAssignmentType] - values are kinds
    if block.kind in ("caption", "footnote"):
        kind = "note"
    for start, end in spans:
        own = section.text[start:end]
        parts = list(frame)
        if before is not None and kind == "sentence" and _points_back(own):
            parts.append(FramePart(kind="antecedent", start=before[0], end=before[1]))
        is_lead_in = own.rstrip().endswith(":") and kind == "sentence"
        yield _Draft(
            "lead_in" if is_lead_in else kind,
            index,
            start,
            end,
            _said(section, own, parts),
            tuple(parts),
        )
        before = (start, end)


def _said(section: Section, own: str, frame: Sequence[FramePart]) -> str:
    """Return a sentence or item after its lead-in or the sentence it points back to."""
    words = own.split()
    if frame and words and is_sign(words[0]):
        words = words[1:]
    text = " ".join(words)
    first = [" ".join(section.text[p.start : p.end].split()) for p in frame]
    return " ".join([*first, text])


def _points_back(text: str) -> bool:
    return statement_lexicon().openings.points_back.search(text.casefold()) is not None


def _is_incomplete(text: str, draft: _Draft) -> bool:
    """Return whether a statement ends before it says anything."""
    return text.rstrip().endswith(":") or (
        len(draft.said.split()) < FEWEST_WORDS and draft.kind != "item"
    )


def _unfit(text: str, wordings: UnfitWordings) -> tuple[Unfit, ...]:
    """Return what a heading or sentence is about instead of medicine."""
    folded = text.casefold()
    found: list[Unfit] = []
    if wordings.furniture.search(folded):
        found.append("furniture")
    if wordings.apparatus.search(folded):
        found.append("apparatus")
    if wordings.narrative.search(folded):
        found.append("narrative")
    return tuple(found)
