"""Characters of a page -> text of table cells.

Cells are written from characters, not words: a word of MuPDF may run across a cell border, and
raised calls to notes must be known by their size. Where a rule between columns is missing in a row,
its text is cut at the column edges that the header has.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf_groups import normal_bullet
from clinrag_core.parse.pdf_page import Box, Grid, Span, make_line, union

if TYPE_CHECKING:
    from clinrag_core.parse.pdf_hyphens import Vocabulary

_HEADER = 3  # rows that may define the columns
_LEAST_COLUMNS = 2
_SLACK = 1.0
_CELL_GAP = 0.7  # em: text of two cells is further apart than two words


def words_in(characters: list[Span], box: Box) -> list[Span]:
    """Runs of characters without white space whose centre lies in a box, in content order."""
    runs: list[list[Span]] = []
    fresh = True
    for char in characters:
        last = runs[-1][-1] if runs else None
        if not char.text.strip():
            if last is not None and not fresh and abs(char.base - last.base) < 0.5:
                runs[-1].append(replace(char, box=last.box))  # a narrow space is a space
            fresh = True
            continue
        if not _holds(box, char):
            fresh = True
            continue
        if fresh or last is None or not _goes_on(last, char):
            runs.append([char])
        else:
            runs[-1].append(char)
        fresh = False
    return [_run(chars) for chars in runs]


def split_wide_cells(grid: Grid, words: list[Span]) -> list[list[Box | None]]:
    """Cells of a grid; a cell that spans columns without need is cut at their edges.

    The columns are those of the header rows. A cell is cut at the edges where every line of its
    text has a gap wider than a word space, and only if several parts then hold text.
    """
    rows = [list(row) for row in grid.cells]
    head = [c for row in rows[:_HEADER] for c in row if c is not None]
    edges = sorted({c[0] for c in head}) + [max(c[2] for c in head)]
    if len(edges) <= _LEAST_COLUMNS:
        return rows
    out: list[list[Box | None]] = []
    for row in rows:
        present = [c for c in row if c is not None]
        out.append(row if len(present) >= len(edges) - 1 else _aligned(present, edges, words))
    return out


def cell_texts(
    boxes: list[list[Box | None]], words: list[Span], number: int, vocabulary: Vocabulary
) -> list[tuple[str, ...]]:
    """Text of each cell on one line; a cell that is merged away is empty."""
    held: dict[tuple[int, int], list[Span]] = {}
    flat = [(c, (i, j)) for i, row in enumerate(boxes) for j, c in enumerate(row) if c is not None]
    for word in words:
        key = next((k for box, k in flat if _holds(box, word)), None)
        if key is None:  # on a rule, or where the table's outline is ragged
            key = min((_distance(box, word), k) for box, k in flat)[1]
        held.setdefault(key, []).append(word)
    return [
        tuple(_cell(held.get((i, j), []), number, vocabulary) for j in range(len(row)))
        for i, row in enumerate(boxes)
    ]


def _aligned(present: list[Box], edges: list[float], words: list[Span]) -> list[Box | None]:
    """A row's cells on the header's columns; None where a cell spans."""
    row: list[Box | None] = [None] * (len(edges) - 1)
    for cell in present:
        inside = [w for w in words if _holds(cell, w)]
        cuts = [e for e in edges[1:-1] if cell[0] + 2 < e < cell[2] - 2 and _is_free(e, inside)]
        parts = [
            (left, cell[1], right, cell[3])
            for left, right in zip([cell[0], *cuts], [*cuts, cell[2]], strict=True)
        ]
        if sum(any(_holds(p, w) for w in inside) for p in parts) < 2:
            parts = [cell]
        for part in parts:
            column = max((j for j, e in enumerate(edges[:-1]) if e <= part[0] + 2), default=0)
            row[column] = part
    return row


def _is_free(edge: float, words: list[Span]) -> bool:
    """Whether no line of text runs over a column edge."""
    lines: dict[int, list[Span]] = {}
    for word in words:
        lines.setdefault(round(word.base / 2), []).append(word)
    for line in lines.values():
        left = [w.box[2] for w in line if w.box[0] < edge - _SLACK]
        right = [w.box[0] for w in line if w.box[2] > edge + _SLACK]
        if left and right and min(right) - max(left) < _CELL_GAP * line[0].size:
            return False
    return True


def _holds(cell: Box, word: Span) -> bool:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    return cell[0] <= x < cell[2] and cell[1] <= y < cell[3]


def _distance(cell: Box, word: Span) -> float:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    across = max(cell[0] - x, x - cell[2], 0.0)
    down = max(cell[1] - y, y - cell[3], 0.0)
    return across + 4 * down


def _goes_on(last: Span, char: Span) -> bool:
    """Whether a character belongs to the run of the one before it in content order."""
    if abs(char.base - last.base) > 0.5 or abs(char.size - last.size) > 0.1:
        return False
    if char.bold != last.bold or char.font != last.font:
        return False
    gap = char.box[0] - last.box[2]
    # The halves of a ligature lie over each other; a real gap is a space that was not written.
    return -1.2 * char.size < gap < 0.25 * char.size


def _run(chars: list[Span]) -> Span:
    first = chars[0]
    return Span(
        text="".join(c.text for c in chars),
        box=union([c.box for c in chars]),
        base=first.base,
        size=first.size,
        font=first.font,
        bold=first.bold,
        italic=first.italic,
        color=first.color,
        flagged=first.flagged,
    )


def _cell(words: list[Span], number: int, vocabulary: Vocabulary) -> str:
    text = ""
    soft = False
    for row in _lines(words):
        line = make_line(row, number)
        if line is not None:
            text = vocabulary.join(text, line.text, soft=soft)
            soft = line.soft
    return normal_bullet(text).replace("\t", " ")


def _lines(words: list[Span]) -> list[list[Span]]:
    """Words of a cell line by line; raised words go with the line they stand on."""
    rows: list[list[Span]] = []
    for word in sorted(words, key=lambda w: -w.size):
        for row in rows:
            main = row[0]
            near = abs(word.base - main.base) < 0.3 * main.size
            raised = word.size < 0.85 * main.size and -0.1 < (main.base - word.base) / main.size < 0.75
            if near or raised:
                row.append(word)
                break
        else:
            rows.append([word])
    return sorted(rows, key=lambda r: r[0].base)
