"""A section as the units a window is packed from: sentences, list items, table rows.

A unit knows its span in the section's text and what the encoder sees of it: the same text, except
for a table row, which is joined with its header so that it can be found on its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clinrag_core.parse.assemble.wording import letters
from clinrag_core.text.crossref import cross_reference_spans
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.section import Section
    from clinrag_core.model.table import Table
# Sections without answers for a clinician: panels, coded data, change lists.
UNINDEXED_GROUPS = frozenset({"package_label", "product_data", "recent_changes", "references"})


class Counter(Protocol):
    """Counts tokens as the encoder sees them, special tokens left out."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        ...

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the character span of each token of a text."""
        ...


class ChunkUnit(NamedTuple):
    """An indivisible piece of a section."""

    start: int
    end: int
    embed: str
    tokens: int
    is_table: bool = False


def header_joined(table: Table, row: int) -> str:
    """Return a table row as `header: cell` pairs; the bare cells if the table has no header.

    Several header rows are joined from the top. Empty cells are left out.
    """
    cells = table.rows[row]
    if row < table.header_rows or table.header_rows == 0:
        return " | ".join(cell for cell in cells if cell)
    columns = [
        " ".join(dict.fromkeys(h[i] for h in table.rows[: table.header_rows] if h[i]))
        for i in range(len(cells))
    ]
    pairs = zip(columns, cells, strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def is_indexed(section: Section) -> bool:
    """Return True if a section is evidence: body text for clinicians, more than its own heading."""
    said = letters(section.text)
    return (
        section.role == "body"
        and section.audience == "clinician"
        and section.group not in UNINDEXED_GROUPS
        and bool(said)
        and said != letters(section.title)
    )


def indexed_spans(section: Section) -> list[tuple[int, int]]:
    """Return the indexed spans: all but recommendations that another section repeats."""
    spans: list[tuple[int, int]] = []
    position = 0
    for block in section.blocks:
        if block.recommendation is not None and block.recommendation.repeats is not None:
            spans.append((position, block.start))
            position = block.end
    spans.append((position, len(section.text)))
    return [(start, end) for start, end in spans if section.text[start:end].strip()]


def without_cross_references(text: str) -> str:
    """Return a text without "[see Warnings (5.1)]", unless it has no other words."""
    kept: list[str] = []
    position = 0
    for start, end in cross_reference_spans(text):
        kept.append(text[position:start])
        position = end
    shortened = "".join([*kept, text[position:]])
    return shortened if any(map(str.isalnum, shortened)) else text


def _spans(section: Section, begin: int, stop: int) -> Iterator[tuple[int, int, str | None]]:
    """Yield spans of prose between tables, and of table rows with their joined text."""
    position = begin
    for block in section.blocks:
        if block.table is None or not begin <= block.start < stop:
            continue
        yield position, block.start, None
        for row, (start, end) in enumerate(block.table.row_spans):
            yield start, end, header_joined(block.table, row)
        position = block.end
    yield position, stop, None


def _split_long(
    text: str, start: int, end: int, limit: int, counter: Counter
) -> Iterator[tuple[int, int]]:
    """Cut a span at word boundaries into pieces of at most `limit` tokens."""
    piece = text[start:end]
    offsets = counter.offsets(piece)
    begin = 0
    count = 0
    last_space = 0
    for k, (token_start, _) in enumerate(offsets):
        at_word = token_start == 0 or piece[token_start - 1].isspace()
        if at_word:
            last_space = k
        if count >= limit:
            cut = last_space if last_space > begin else k
            yield start + offsets[begin][0], start + offsets[cut - 1][1]
            begin = cut
            count = k - cut
        count += 1
    if offsets:
        yield start + offsets[begin][0], end


def section_units(
    section: Section, limit: int, counter: Counter, span: tuple[int, int]
) -> list[ChunkUnit]:
    """Return the units of a span of a section, in order, none over `limit` tokens.

    Together they cover every character of the text that is not white space. A sentence over the
    limit is cut at word boundaries into quarters of it, so that windows still overlap.
    """
    found: list[tuple[int, int, str | None]] = []
    for start, end, joined in _spans(section, *span):
        if joined is not None:
            found.append((start, end, joined))
            continue
        spans = sentence_spans(section.text[start:end])
        found.extend((start + a, start + b, None) for a, b in spans)
    texts = [without_cross_references(section.text[a:b]) for a, b, _ in found]
    plain = counter.count(texts)
    joined_counts = counter.count([j or "" for _, _, j in found])
    units: list[ChunkUnit] = []
    for (start, end, joined), text, tokens, extra in zip(
        found, texts, plain, joined_counts, strict=True
    ):
        if joined is not None and max(tokens, extra) <= limit:
            units.append(ChunkUnit(start, end, joined, max(tokens, extra), is_table=True))
        elif tokens <= limit:
            units.append(ChunkUnit(start, end, text, tokens, is_table=joined is not None))
        else:
            pieces = list(_split_long(section.text, start, end, max(limit // 4, 1), counter))
            counts = counter.count([section.text[a:b] for a, b in pieces])
            units.extend(
                ChunkUnit(a, b, section.text[a:b], n, is_table=joined is not None)
                for (a, b), n in zip(pieces, counts, strict=True)
            )
    return [unit for unit in units if unit.tokens > 0]
