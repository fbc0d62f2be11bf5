"""Tables that a text extract flattened to one line per cell.

Which cells made a row is lost, and a dose in the wrong row is worse than none: the lines stay
lines, in order. Only where such a table begins is known. Its title opens a section, so that a table
of all regimens is not filed under the last regimen described before it.
"""

from __future__ import annotations

import re

from clinrag_core.parse.assemble.flow import Heading, Piece
from clinrag_core.parse.assemble.wording import TITLE_WORDS
from clinrag_core.parse.lines.headings import LEVEL, is_short

FLAT_TITLE = re.compile(r"(?:.*\S\s)?tables?|table\s+\d+\b.*", re.IGNORECASE)
_COLUMN = re.compile(r"[A-Z][^\d.:;?!\s]*(?:\s[^\d.:;?!\s]+){0,3}")  # up to four words
# Three column names and two rows of three are the smallest table that is no list.
LEAST_COLUMNS = 3
LEAST_CELLS = 6  # below the names of the columns; 3 and 12 give the same in the reference corpus
_NUMBERS = 1 / 3  # of the cells hold a number where a table has doses or durations


def open_flat_tables(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Return items in which every flattened table begins a section.

    A table is sure where a line that calls itself a table is followed by at least three column
    names and six short lines of which a third hold numbers. The short line before it is its
    heading, and its own line the caption; without such a line its own is the heading.
    """
    out: list[Heading | Piece] = []
    level = LEVEL
    for index, item in enumerate(items):
        if isinstance(item, Heading):
            level = item.level or LEVEL
        if isinstance(item, Heading) or not _begins_table(items, index):
            out.append(item)
            continue
        before = out[-1] if out else None
        if isinstance(before, Piece) and before.kind == "paragraph" and is_short(before.text):
            before = out[-1] = Heading(before.text, level, before.place)
        if isinstance(before, Heading):
            out.append(Piece("caption", item.text, item.place))
        else:
            out.append(Heading(item.text, level, item.place))
    return out


def _begins_table(items: list[Heading | Piece], index: int) -> bool:
    """True if the item at `index` is the title of a flattened table."""
    item = items[index]
    if not isinstance(item, Piece) or not FLAT_TITLE.fullmatch(item.text):
        return False
    if not is_short(item.text):
        return False
    cells: list[str] = []
    for following in items[index + 1 :]:
        if isinstance(following, Heading) or len(following.text.split()) > TITLE_WORDS:
            break
        cells.append(following.text)
    columns = next((n for n, c in enumerate(cells) if not _COLUMN.fullmatch(c)), len(cells))
    body = cells[columns:]
    numbers = sum(any(c.isdigit() for c in cell) for cell in body)
    enough = columns >= LEAST_COLUMNS and len(body) >= LEAST_CELLS
    return enough and numbers >= _NUMBERS * len(body)
