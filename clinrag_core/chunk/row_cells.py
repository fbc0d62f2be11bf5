"""Cells of a table row that `rows` put into words, read back by the headings that it cites.

A row may hold semicolons and colons of its own, so only words that were printed above it count as
a heading. A row that cannot be read surely has no cells, and is shown as it is worded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.model.statement import RowCell
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FEWEST_CELLS = 2
_JOINTS = lazy_re(" – | and |: ")
_CELL = lazy_re(r"^([^:;]{1,60}): (\S.*)$", re.DOTALL)
"""In a flattened table a longer text before a colon is a sentence, not the heading of a cell."""


def row_cells(said: str, quoted: Sequence[str]) -> tuple[RowCell, ...]:
    """Return the cells of a row in words; empty if they are not surely known.

    `quoted` are the words it is made of: the row itself first, cells separated by tabs, then what
    heads it. A group of rows is part of the first heading: 'Children: Drug'.
    """
    if not quoted:
        return ()
    own, above = quoted[0], {" ".join(text.split()) for text in quoted[1:]}
    cells: list[RowCell] = []
    for part in " ".join(said.split()).split("; "):
        heading = _heading(part, above) if "\t" in own else _guessed(part)
        if heading:
            cells.append(RowCell(heading=heading, value=part[len(heading) + 2 :]))
        elif cells:
            cells[-1] = RowCell(heading=cells[-1].heading, value=f"{cells[-1].value}; {part}")
        else:
            return ()
    printed = sum(bool(cell.strip()) for cell in own.splitlines()[0].split("\t"))
    return tuple(cells) if len(cells) >= max(FEWEST_CELLS, printed) else ()


def _heading(part: str, above: Collection[str]) -> str:
    """Return the longest start of a part that is printed above the row; empty without one."""
    ends = [match.start() for match in re.finditer(": ", part)]
    return next((part[:end] for end in reversed(ends) if _is_printed(part[:end], above)), "")


def _is_printed(heading: str, above: Collection[str]) -> bool:
    """Return whether a heading is made of texts above the row; it may hold a joint itself."""
    if heading in above:
        return True
    return any(
        heading[: joint.start()] in above and _is_printed(heading[joint.end() :], above)
        for joint in _JOINTS.finditer(heading)
    )


def _guessed(part: str) -> str:
    """Return what looks like the heading of a cell in a table without a grid."""
    match = _CELL.match(part)
    return match[1] if match else ""
