"""SPL narrative (`text` elements) to one text with blocks.

Words are joined by block: a separator stands only where a block element or `br` does, so nothing
is glued ("tabletsand") and nothing split ("H 2 O"). Conventions of `Section.text`: paragraphs are
separated by a blank line, list items and lines within a paragraph by a newline, table rows by a
newline and their cells by a tab. Every other run of white space, no-break spaces included, is one
space. An exponent or number mark written as superscript after a digit becomes superscript
characters, since 10 raised to 9 must never read 109. Footnotes follow the block they belong to.
Images are zero-width blocks; their alternative text is not a word of the label: it stays on the
block. Notes in a table's foot follow the table as footnotes do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clinrag_core.model.section import Block
from clinrag_core.parse.spl.table import Grid, printed_rows, read_grid
from clinrag_core.parse.spl.xml import V3, Element, children, local, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.model.section import BlockKind, Image

BREAK = "\x0b"  # cannot occur in XML 1.0, so it can mark a line break until the text is clean
_PARAGRAPH_BREAK = re.compile(rf"\s*{BREAK}\s*{BREAK}\s*")
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212\u2013", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_EXPONENT = re.compile(r"\s*[+\-\u2212\u2013]?\d+\s*\Z")
_POWER_OF_TEN = re.compile(r"[x×X*]\s*10(\s+)\Z")
_INLINE_BLOCKS = frozenset({"paragraph", "list", "item", "table", "tr", "td", "th", "caption"})


@dataclass(frozen=True)
class Piece:
    """A block before its position is known."""

    kind: BlockKind
    text: str
    xml_id: str | None = None
    grid: Grid | None = None
    image: Image | None = None


@dataclass
class Aside:
    """What stands inside a block but is emitted after it."""

    footnotes: list[Piece] = field(default_factory=list[Piece])
    images: list[Piece] = field(default_factory=list[Piece])

    def drain(self) -> list[Piece]:
        """Hand over what was collected: footnotes, then images."""
        out = [*self.footnotes, *self.images]
        self.footnotes.clear()
        self.images.clear()
        return out


def clean(raw: str) -> str:
    """Squeeze white space; a marked break becomes a newline, or a space within a sentence.

    A break before a lower-case letter only wraps a line, it does not end one.
    """
    if BREAK not in raw:
        return squeeze(raw)
    lines = [line for line in map(squeeze, raw.split(BREAK)) if line]
    out = ""
    for line in lines:
        separator = "" if not out else " " if line[0].islower() else "\n"
        out += separator + line
    return out


def superscript(before: str, raw: str) -> tuple[str, str]:
    """Text before a `sup` element and its own text, as they are to be joined.

    Only numbers after a digit change; "m2" and "5.2a" stay as written.
    """
    if not _EXPONENT.match(raw) or not before.rstrip()[-1:].isdigit():
        return before, raw
    if match := _POWER_OF_TEN.search(before):
        before = before[: match.start(1)]
    return before, raw.translate(_SUPERSCRIPTS)


def inline(element: Element, aside: Aside, *, line_break: str) -> str:
    """Text of an element with everything below it, unclean; asides are collected, not written."""
    out = element.text or ""
    for child in element:
        name = local(child)
        if name == "br":
            out += line_break
        elif name == "footnote":
            aside.footnotes.append(_footnote(child))
        elif name == "renderMultiMedia":
            aside.images.extend(_image(child))
        elif name == "sup":
            before, own = superscript(out, inline(child, aside, line_break=line_break))
            out = before + own
        elif name in _INLINE_BLOCKS:
            out += line_break + inline(child, aside, line_break=line_break) + line_break
        else:
            out += inline(child, aside, line_break=line_break)
        out += child.tail or ""
    return out


def cell_text(cell: Element, aside: Aside) -> str:
    """Text of a table cell or caption on one line."""
    return squeeze(inline(cell, aside, line_break=" "))


def _footnote(element: Element) -> Piece:
    return Piece("footnote", cell_text(element, Aside()), element.get("ID"))


def _image(element: Element) -> list[Piece]:
    out = [Piece("image", "", element.get("referencedObject") or element.get("ID"))]
    out += [
        Piece("caption", text, caption.get("ID"))
        for caption in children(element, "caption")
        if (text := cell_text(caption, Aside()))
    ]
    return out


class _Flow:
    """Walks narrative and collects pieces in reading order."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._aside = Aside()
        self._raw = ""
        self._kind: BlockKind = "paragraph"
        self._xml_id: str | None = None

    def flush(self) -> None:
        """End the current block."""
        raw, self._raw = self._raw, ""
        breaks = self._kind == "paragraph" and BREAK in raw
        parts = _PARAGRAPH_BREAK.split(raw) if breaks else [raw]
        self.pieces += [Piece(self._kind, text, self._xml_id) for text in map(clean, parts) if text]
        self.pieces += self._aside.drain()

    def _block(self, element: Element, kind: BlockKind, xml_id: str | None) -> None:
        self.flush()
        outer = self._kind, self._xml_id
        self._kind, self._xml_id = kind, xml_id
        self.walk(element)
        self.flush()
        self._kind, self._xml_id = outer

    def walk(self, element: Element) -> None:
        """Collect what an element holds; its own end is not the end of a block."""
        self._raw += element.text or ""
        for child in element:
            self._child(child, local(child))
            self._raw += child.tail or ""

    def _child(self, child: Element, name: str) -> None:
        if name == "paragraph" and self._kind == "list_item":
            self._paragraph_in_item(child)
        elif name == "paragraph":
            self._block(child, "paragraph", child.get("ID"))
        elif name == "list":
            self._list(child)
        elif name == "table":
            self._table(child)
        elif name == "caption":
            # The bullet or number of a list item.
            self.walk(child)
            self._raw += " "
        elif name == "br":
            self._raw += BREAK
        elif name == "footnote":
            self._aside.footnotes.append(_footnote(child))
        elif name == "renderMultiMedia":
            self._aside.images.extend(_image(child))
        elif name == "sup":
            own = inline(child, self._aside, line_break=BREAK)
            before, own = superscript(self._raw, own)
            self._raw = before + own
        else:
            self.walk(child)

    def _paragraph_in_item(self, paragraph: Element) -> None:
        # A paragraph of a list item is a line of it, unless only the bullet came before.
        previous = paragraph.getprevious()
        if previous is None or local(previous) != "caption":
            self._raw += BREAK
        self.walk(paragraph)
        self._raw += BREAK

    def _list(self, element: Element) -> None:
        for caption in children(element, "caption"):
            self._block(caption, "caption", caption.get("ID"))
        for item in children(element, "item"):
            self._block(item, "list_item", item.get("ID") or element.get("ID"))
        self.flush()

    def _table(self, element: Element) -> None:
        self.flush()
        for caption in children(element, "caption"):
            aside = Aside()
            text = cell_text(caption, aside)
            self.pieces += [Piece("caption", text, caption.get("ID"))] if text else []
            self._aside.footnotes += aside.footnotes
            self._aside.images += aside.images
        if _is_layout_box(element):
            for _part, row in printed_rows(element):
                for cell in row:
                    self._block(cell, "paragraph", element.get("ID"))
            return
        grid = read_grid(element, lambda cell: cell_text(cell, self._aside))
        if grid.rows:
            self.pieces.append(Piece("table", grid.text, element.get("ID"), grid))
        self.pieces += [Piece("footnote", note, element.get("ID")) for note in grid.notes]
        self.pieces += self._aside.drain()


def _is_layout_box(table: Element) -> bool:
    """A box drawn round prose: one column, no header. It is read as prose."""
    if table.find(f"{V3}thead") is not None or table.find(f".//{V3}table") is not None:
        return False
    return all(len(row) <= 1 for row in table.iter(f"{V3}tr"))


def _separator(before: Piece, after: Piece) -> str:
    joined = {before.kind, after.kind}
    tight = (
        joined == {"list_item"}
        or (before.kind == "caption" and after.kind == "table")
        or (after.kind == "footnote" and before.kind in {"table", "footnote"})
    )
    return "\n" if tight else "\n\n"


def read_pieces(element: Element) -> list[Piece]:
    """Blocks of one narrative element, in reading order."""
    flow = _Flow()
    flow.walk(element)
    flow.flush()
    return flow.pieces


def join_pieces(pieces: Iterable[Piece]) -> tuple[str, tuple[Block, ...]]:
    """One text and its blocks; the spans of a table's rows are shifted into it."""
    text = ""
    blocks: list[Block] = []
    last: Piece | None = None
    for piece in pieces:
        if piece.text and last is not None:
            text += _separator(last, piece)
        start = len(text)
        text += piece.text
        last = piece if piece.text else last
        table = piece.grid.table(start, _caption_of(blocks, text, piece)) if piece.grid else None
        blocks.append(
            Block(
                kind=piece.kind,
                start=start,
                end=len(text),
                xml_id=piece.xml_id,
                table=table,
                image=piece.image,
            )
        )
    return text, tuple(blocks)


def _caption_of(blocks: list[Block], text: str, piece: Piece) -> str:
    before = blocks[-1] if blocks and piece.kind == "table" else None
    return text[before.start : before.end] if before and before.kind == "caption" else ""
