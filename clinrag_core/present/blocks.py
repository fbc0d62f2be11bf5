"""Claims in the form they are read in: a sentence, or a table where they are rows of one.

Only the layout changes: every word of a claim is shown, in its order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.present.numbering import place_of

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer

FEWEST_CELLS = 2
_CELL = re.compile(r"^([^:;]{1,60}): (\S.*)$", re.DOTALL)
"""A longer text before a colon is a sentence, not the heading of a cell."""


class ShownRow(NamedTuple):
    """A claim as a row; `claim` is its index in the answer."""

    claim: int
    cells: tuple[str, ...]


class ShownBlock(NamedTuple):
    """Consecutive claims of one table, or in words of one place (`headings` is empty)."""

    headings: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    context: str


def answer_blocks(answer: Answer) -> tuple[ShownBlock, ...]:
    """Return the claims of an answer in the form they are read in, in their order."""
    blocks: list[ShownBlock] = []
    last: object = None
    for index, claim in enumerate(answer.claims):
        text = " ".join(claim.text.split())
        # Only what is cited from several places of one table is a row with its headings.
        pairs = table_cells(text) if len(claim.citations) >= FEWEST_CELLS else ()
        headings = tuple(heading for heading, _ in pairs)
        row = ShownRow(index, tuple(cell for _, cell in pairs) or (text,))
        place = headings or tuple(dict.fromkeys(map(place_of, claim.citations)))
        if blocks and last == (place, claim.context):
            blocks[-1] = blocks[-1]._replace(rows=(*blocks[-1].rows, row))
        else:
            blocks.append(ShownBlock(headings, (row,), claim.context))
        last = (place, claim.context)
    return tuple(blocks)


def table_cells(text: str) -> tuple[tuple[str, str], ...]:
    """Return heading and value of each cell of a row in words; empty if it is none.

    'Drug: A; Dose: 5 mg; 10 mg in adults' has two cells: what has no heading belongs to the cell
    before it.
    """
    cells: list[tuple[str, str]] = []
    for part in text.split("; "):
        if match := _CELL.match(part):
            cells.append((match[1], match[2]))
        elif cells:
            heading, value = cells[-1]
            cells[-1] = (heading, f"{value}; {part}")
        else:
            return ()
    return tuple(cells) if len(cells) >= FEWEST_CELLS else ()
