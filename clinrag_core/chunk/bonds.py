"""How firmly each unit of a section belongs with the one before, so that windows part them last.

A heading printed without markup, a lead-in, a caption and the header of a table say nothing without
what they introduce; lists and recommendations are read as a whole.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from clinrag_core.chunk.flat_tables import flat_table
from clinrag_core.chunk.fragments import is_sub_heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.chunk.units import ChunkUnit
    from clinrag_core.model.section import Block, Section

FREE, WHOLE, LEADS = 0, 1, 2
"""A cut that costs nothing, one that tears a list or recommendation, one that beheads a text."""
SHORT = 6
"""Words: a chunk of so few says nothing without its neighbours."""


def unit_bonds(section: Section, units: Sequence[ChunkUnit], limit: int) -> list[int]:
    """Return for each unit how firmly it belongs with the one before; the first is free.

    What is longer than `limit` tokens cannot stay whole, and its parts are free.
    """
    blocks = section.blocks
    bonds = [FREE] * len(units)
    if not blocks or not units:
        return bonds
    starts = [block.start for block in blocks]
    at = [max(bisect_right(starts, unit.start) - 1, 0) for unit in units]
    rows = list(_flat_rows(section))
    for begin, end in (*_wholes(blocks), *rows):
        inside = [n for n, unit in enumerate(units) if begin <= unit.start < end]
        if sum(units[n].tokens for n in inside) <= limit:
            for n in inside[1:]:
                bonds[n] = WHOLE
    begins = {begin for begin, _ in rows}
    for n in range(1, len(units)):
        if units[n].start in begins:
            bonds[n] = FREE
            continue
        before = blocks[at[n - 1]]
        if _leads(section, units[n - 1], at[n - 1], units[n], at[n]):
            bonds[n] = LEADS
        elif before.kind == "paragraph" and _words(section, units[n - 1]) <= SHORT:
            bonds[n] = max(bonds[n], WHOLE)
    last = len(units) - 1
    rest = _words(section, units[last])
    while last > 0 and rest <= SHORT:
        bonds[last] = max(bonds[last], WHOLE)
        last -= 1
        rest += _words(section, units[last])
    return bonds


def _wholes(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield the spans of recommendations and of lists with the words that introduce them."""
    run: list[Block] = []
    for block in blocks:
        if run and (block.kind != "list_item" or block.lead_in != run[0].lead_in):
            yield (run[0].lead_in or (run[0].start, 0))[0], run[-1].end
            run = []
        if block.kind == "list_item":
            run.append(block)
        elif block.kind == "recommendation":
            yield block.start, block.end
    if run:
        yield (run[0].lead_in or (run[0].start, 0))[0], run[-1].end


def _flat_rows(section: Section) -> Iterator[tuple[int, int]]:
    """Yield the spans of the rows of flattened tables: a statement is quoted from one chunk."""
    for index in range(len(section.blocks)):
        if (table := flat_table(section, index)) is not None:
            for row in table.rows:
                yield section.blocks[row[0]].start, section.blocks[row[-1]].end


def _leads(section: Section, unit: ChunkUnit, at: int, following: ChunkUnit, after: int) -> bool:
    """Return whether a unit introduces the next: its heading, lead-in, caption or header."""
    block, other = section.blocks[at], section.blocks[after]
    if block.table is not None and at == after:
        row = sum(start < following.start for start, _ in block.table.row_spans)
        return row == block.table.header_rows
    if at == after:
        return False
    if other.lead_in is not None and unit.start <= other.lead_in[0] < unit.end:
        return True
    text = section.text[unit.start : unit.end]
    if block.kind == "caption":
        return other.table is not None or other.kind == "list_item"
    if block.kind == "list_item" and text.endswith(":"):
        return other.kind == "list_item"
    return is_sub_heading(section, block, other)


def _words(section: Section, unit: ChunkUnit) -> int:
    """Return how many words with a letter or digit a unit has."""
    return sum(any(map(str.isalnum, w)) for w in section.text[unit.start : unit.end].split())
