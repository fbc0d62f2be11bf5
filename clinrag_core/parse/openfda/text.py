"""Text of an openFDA section: headings found in it, and its blocks.

openFDA flattens a section to one line in which numbered subsection headings run into the sentence
after them. Some answers keep line breaks, bullets and tables drawn with spaces; those are used.
No word is dropped or repeated: headings stay in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.wording import is_caption
from clinrag_core.parse.openfda.drawn import cut_at_end, drawn_table, has_values, is_drawn, is_note
from clinrag_core.parse.spl.narrative import BREAK, clean
from clinrag_core.parse.spl.xml import squeeze
from clinrag_core.text.list_signs import BULLETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.section import BlockKind

_MAIN_NUMBER = re.compile(r"\s*(\d{1,2})\.?\s+[A-Z]")
_HEADING = re.compile(r"(?<!\S)(\d{1,2})\.(\d{1,2})\.?\s+(?=[A-Z])")
_NOT_A_HEADING_AFTER = re.compile(
    r"(?:[(\[,]|\b(?:and|or|see|section|sections|table|figure|to))\s*\Z", re.IGNORECASE
)
_COLUMN_GAP = re.compile(r"\s{3,}")
_REFERENCE = re.compile(r"\[[^\[\]]*\]")
"""Links to other sections, which openFDA sets apart with spaces."""
_BULLET = re.compile(rf"\s*[{BULLETS}*]\s+")
_PADDED = re.compile(r"\S\s{3,}$")


class _LineRun(NamedTuple):
    """Lines of one kind, in groups that were apart."""

    kind: BlockKind
    groups: list[list[str]]


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
    runs = _with_whole_tables(list(_runs(text)))
    above: list[str] = []
    for number, (kind, groups) in enumerate(runs):
        lines = [line for group in groups for line in group]
        heads_table = _is_table(runs[number + 1 : number + 2])
        if kind == "table" and len(lines) > 1:  # one line with gaps is a sentence with gaps
            drawn = drawn_table(groups)
            out.append(drawn.table)
            out += [Piece("footnote", squeeze(note)) for note in (*above, *drawn.notes)]
            above = []
        elif heads_table and is_caption(lines[0].strip()) and all(map(is_note, lines[1:])):
            out.append(Piece("caption", squeeze(lines[0])))
            above = lines[1:]
        elif body := clean(BREAK.join(lines)):
            out.append(Piece("paragraph" if kind == "table" else kind, body))
    return out


def _with_whole_tables(runs: list[_LineRun]) -> list[_LineRun]:
    """Return the runs with the parts of each drawn table joined, and cut where it ends.

    Blank lines part the header of a table from its rows, and notes and groups of rows are single
    lines between them, filled with spaces up to the width of the table.
    """
    joined: list[_LineRun] = []
    at = 0
    while at < len(runs):
        kind, groups = runs[at]
        at += 1
        if kind != "table":
            joined.append(_LineRun(kind, groups))
            continue
        end = at
        while end < len(runs) and runs[end][0] != "table" and _is_padded(runs[end]):
            end += 1
        if not has_values(groups[0]) and _is_table(runs[end : end + 1]):
            groups = [group for _, parts in runs[at - 1 : end + 1] for group in parts]
            at = end + 1
        inside, rest = cut_at_end(groups)
        is_table = any(is_drawn(line) for group in inside for line in group)
        if is_table:
            joined.append(_LineRun(kind, inside))
        else:
            joined += [_LineRun("paragraph", [[line]]) for group in inside for line in group]
        if rest:
            joined.append(_LineRun("paragraph", [rest]))
    return joined


def _is_table(run: list[_LineRun]) -> bool:
    """Return whether a run is a table of several lines."""
    return any(kind == "table" and sum(map(len, groups)) > 1 for kind, groups in run)


def _is_padded(run: _LineRun) -> bool:
    """Return whether a run is one line that spaces fill up to the width of a table."""
    lines = [line for group in run[1] for line in group]
    return len(lines) == 1 and bool(_PADDED.search(lines[0]))


def _kind(line: str) -> BlockKind:
    if _BULLET.match(line):
        return "list_item"
    outside = _REFERENCE.sub("", line.strip())
    return "table" if _COLUMN_GAP.search(outside) else "paragraph"


def _runs(text: str) -> Iterator[_LineRun]:
    """Yield groups of lines: a paragraph ends at a blank line, an item with its line."""
    run: list[str] = []
    kind: BlockKind = "paragraph"
    for line in [*text.split("\n"), ""]:
        blank = not line.strip()
        line_kind = _kind(line)
        # A table keeps its one-column rows ("Digestive System") and its blank lines out.
        stays = not blank and run and line_kind != "list_item" and kind in {line_kind, "table"}
        if not stays and run:
            yield _LineRun(kind, [run])
            run = []
        if blank:
            continue
        if not run:
            kind = line_kind
        run.append(line)
