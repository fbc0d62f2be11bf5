"""Tables that a text extract flattened to one line a cell, as rows that a drug heads.

Columns are lost, so a cell alone ("Adults: 10 mg/kg") has no owner. All lines from one drug to the
next are one statement: nothing in it is of another drug, and what belongs together stays so.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.lines.flat_tables import FLAT_TITLE, LEAST_CELLS, LEAST_COLUMNS
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

_HEAD = lazy_re(r"[A-Z][a-z]+(?:[ -][a-z]+)?\s?\([A-Z]{2,5}\)[^.:;\d]{0,60}")
_NOTE = lazy_re(r"[*†‡§‖¶#]")
_LONGEST_CELL = 20
"""Words of a cell; a longer line is prose after the table."""


class FlattenedTable(NamedTuple):
    """The blocks of a flattened table and its rows, all as positions of blocks.

    It has no rows where no drug heads one: nobody knows whose the figures are.
    """

    blocks: range
    rows: tuple[range, ...]


def flat_table(section: Section, caption: int) -> FlattenedTable | None:
    """Return the flattened table under a caption; None if there is a table or prose instead."""
    blocks = section.blocks
    title = blocks[caption]
    if title.kind != "caption" or not FLAT_TITLE.fullmatch(section.text_of(title)):
        return None
    end = caption + 1
    while end < len(blocks) and _is_cell(section, blocks[end]):
        end += 1
    heads = [n for n in range(caption + 1, end) if _HEAD.fullmatch(section.text_of(blocks[n]))]
    first = heads[0] if heads else caption + 1 + LEAST_COLUMNS
    if first - caption - 1 < LEAST_COLUMNS or end - first < LEAST_CELLS:
        return None
    rows = tuple(range(a, b) for a, b in pairwise([*heads, end]))
    return FlattenedTable(range(caption + 1, end), rows)


def _is_cell(section: Section, block: Block) -> bool:
    text = section.text_of(block)
    return (
        block.kind in ("paragraph", "list_item")
        and len(text.split()) <= _LONGEST_CELL
        and not _NOTE.match(text)
        and not text.endswith(".")
    )
