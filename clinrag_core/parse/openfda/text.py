"""Text of an openFDA section: headings found in it, and its blocks.

openFDA flattens a section to one line in which numbered subsection headings run into the sentence
after them. Some answers keep line breaks, bullets and tables drawn with spaces; those are used.
No word is dropped or repeated: headings stay in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Cell, Piece
from clinrag_core.parse.spl.narrative import BREAK, clean
from clinrag_core.parse.spl.xml import squeeze
from clinrag_core.text.list_signs import BULLETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.section import BlockKind
    from clinrag_core.parse.assemble.flow import Row

_MAIN_NUMBER = re.compile(r"\s*(\d{1,2})\.?\s+[A-Z]")
_HEADING = re.compile(r"(?<!\S)(\d{1,2})\.(\d{1,2})\.?\s+(?=[A-Z])")
_NOT_A_HEADING_AFTER = re.compile(
    r"(?:[(\[,]|\b(?:and|or|see|section|sections|table|figure|to))\s*\Z", re.IGNORECASE
)
_COLUMN_GAP = re.compile(r"\s{3,}")
_REFERENCE = re.compile(r"\[[^\[\]]*\]")
"""Links to other sections, which openFDA sets apart with spaces."""
_BULLET = re.compile(rf"\s*[{BULLETS}*]\s+")
# A row drawn with spaces whose first column is empty starts this far in.
_EMPTY_FIRST_COLUMN = 20


def main_number(text: str) -> int | None:
    """Return the number a section's text starts with ("5 WARNINGS ..."), None if it has none."""
    match = _MAIN_NUMBER.match(text)
    return int(match.group(1)) if match else None


def headings(text: str, main: int, taken: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the numbered headings `main.k` of a section as (start, k), both increasing.

    Each is the first place after the previous heading where the next number precedes a capital and
    is not part of a cross reference or a list. `taken` spans are separate sections, not searched.
    """
    candidates = [
        (match.start(), int(match.group(2)))
        for match in _HEADING.finditer(text)
        if int(match.group(1)) == main
        and not any(start <= match.start() < end for start, end in taken)
        and not _NOT_A_HEADING_AFTER.search(text[max(0, match.start() - 12) : match.start()])
    ]
    starts: list[tuple[int, int]] = []
    position, number = -1, 0
    while later := [c for c in candidates if c[0] > position and c[1] > number]:
        number = min(k for _, k in later)
        position = min(start for start, k in later if k == number)
        starts.append((position, number))
    return starts


def pieces(text: str) -> list[Piece]:
    """Return the blocks of a section's text: one paragraph, or several by its line breaks."""
    if "\n" not in text.strip():
        flat = squeeze(text)
        return [Piece("paragraph", flat)] if flat else []
    out: list[Piece] = []
    for kind, lines in _runs(text):
        if kind == "table" and len(lines) > 1:  # one line with gaps is a sentence with gaps
            out.append(Piece("table", rows=tuple(map(_row, lines))))
        elif body := clean(BREAK.join(lines)):
            out.append(Piece("paragraph" if kind == "table" else kind, body))
    return out


def _kind(line: str) -> BlockKind:
    if _BULLET.match(line):
        return "list_item"
    outside = _REFERENCE.sub("", line.strip())
    return "table" if _COLUMN_GAP.search(outside) else "paragraph"


def _runs(text: str) -> Iterator[tuple[BlockKind, list[str]]]:
    """Yield groups of lines: a paragraph ends at a blank line, an item with its line."""
    run: list[str] = []
    kind: BlockKind = "paragraph"
    for line in [*text.split("\n"), ""]:
        blank = not line.strip()
        line_kind = _kind(line)
        # A table keeps its one-column rows ("Digestive System") and its blank lines out.
        stays = not blank and run and line_kind != "list_item" and kind in {line_kind, "table"}
        if not stays and run:
            yield kind, run
            run = []
        if blank:
            continue
        if not run:
            kind = line_kind
        run.append(line)


def _row(line: str) -> Row:
    empty = [""] if len(line) - len(line.lstrip()) >= _EMPTY_FIRST_COLUMN else []
    return tuple(map(Cell, [*empty, *map(squeeze, _COLUMN_GAP.split(line.strip()))]))
