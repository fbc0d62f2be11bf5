"""Tables that a text extract flattened to one line per cell.

Which cells made a row can no longer be told, and a dose in the wrong row is worse than none: so the
lines stay lines, in their order. What can be told is where such a table begins. Its title opens a
section, lest a table of all regimens stand under the last regimen described before it.
"""

from __future__ import annotations

import re

from clinrag_core.parse.assemble.assembler import Heading, Piece

_TITLE = re.compile(r"(?:.*\S\s)?tables?|table\s+\d+\b.*", re.IGNORECASE)
_COLUMN = re.compile(r"[A-Z][^\d.:;?!]*")
_PROSE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_MAX_WORDS = 14
_MIN_COLUMNS = 3
_MIN_CELLS = 6
_CELL_WORDS = 14
_DEFAULT_LEVEL = 2


def open_flat_tables(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Items in which every flattened table begins a section.

    A table is sure where a line that calls itself a table is followed by at least three column
    names and six short lines of which a third hold numbers. The short line before it is its
    heading, and its own line the caption; without such a line its own is the heading.
    """
    out: list[Heading | Piece] = []
    level = _DEFAULT_LEVEL
    for index, item in enumerate(items):
        if isinstance(item, Heading):
            level = item.level or _DEFAULT_LEVEL
        if isinstance(item, Heading) or not _begins_table(items, index):
            out.append(item)
            continue
        before = out[-1] if out else None
        if isinstance(before, Piece) and before.kind == "paragraph" and _is_short(before.text):
            out[-1] = Heading(before.text, level, before.place)
        if isinstance(out[-1] if out else None, Heading):
            out.append(Piece("caption", item.text, item.place))
        else:
            out.append(Heading(item.text, level, item.place))
    return out


def _begins_table(items: list[Heading | Piece], index: int) -> bool:
    item = items[index]
    if not isinstance(item, Piece) or not _TITLE.fullmatch(item.text) or not _is_short(item.text):
        return False
    cells: list[str] = []
    for following in items[index + 1 :]:
        if isinstance(following, Heading) or len(following.text.split()) > _CELL_WORDS:
            break
        cells.append(following.text)
    columns = next((n for n, cell in enumerate(cells) if not _is_column(cell)), len(cells))
    body = cells[columns:]
    numbers = sum(any(c.isdigit() for c in cell) for cell in body)
    return columns >= _MIN_COLUMNS and len(body) >= _MIN_CELLS and numbers * 3 >= len(body)


def _is_column(text: str) -> bool:
    return len(text.split()) <= 4 and bool(_COLUMN.fullmatch(text))


def _is_short(text: str) -> bool:
    return len(text.split()) <= _MAX_WORDS and not _PROSE_END.search(text)
