"""SPL narrative (`text` elements) to pieces.

A separator is put only where a block element or `br` is, so nothing is glued ("tabletsand") and
nothing split ("H 2 O"). Every other run of white space, no-break spaces included, is one space.
Footnotes follow the block they belong to, notes in a table's foot the table. Images are pieces
without text: their alternative text is not a word of the label.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Piece, Place, note_call, with_raised
from clinrag_core.parse.spl.table import is_layout_box, printed_rows, read_rows
from clinrag_core.parse.spl.xml import children, local, squeeze

if TYPE_CHECKING:
    from clinrag_core.acquire.spl_header import Element
    from clinrag_core.model.section import BlockKind

BREAK = "\x0b"  # cannot occur in XML 1.0, so it can mark a line break until the text is clean
_PARAGRAPH_BREAK = re.compile(rf"\s*{BREAK}\s*{BREAK}\s*")
_SET_APART = frozenset({"footnote", "footnoteRef", "renderMultiMedia"})
_INLINE_BLOCKS = frozenset({"paragraph", "list", "item", "table", "tr", "td", "th", "caption"})


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


def line_of(element: Element, aside: list[Piece] | None = None) -> str:
    """Return the text of a cell, caption or title on one line; footnotes, images to `aside`."""
    return squeeze(_inline(element, [] if aside is None else aside, " "))


def read_pieces(element: Element) -> list[Piece]:
    """Pieces of one narrative element, in reading order."""
    walker = _Walker()
    walker.walk(element)
    walker.flush()
    return walker.pieces


def _inline(element: Element, aside: list[Piece], line_break: str) -> str:
    """Return the text of an element with everything below it, not yet clean."""
    out = element.text or ""
    for child in element:
        name = local(child)
        if name == "br":
            out += line_break
        elif name in _SET_APART:
            aside += _set_apart(child)
            out += _call(child)
        elif name == "sup":
            out = with_raised(out, _inline(child, aside, line_break))
        elif name in _INLINE_BLOCKS:
            out += line_break + _inline(child, aside, line_break) + line_break
        else:
            out += _inline(child, aside, line_break)
        out += child.tail or ""
    return out


def _call(element: Element) -> str:
    """Return the call that a browser prints in the place of a footnote or of another call to it."""
    name = local(element)
    return note_call(element.get("ID" if name == "footnote" else "IDREF"))


def _set_apart(element: Element) -> list[Piece]:
    """Return a footnote, or an image with its captions; nothing for a mere call to a footnote."""
    if local(element) == "footnoteRef":
        return []
    if local(element) == "footnote":
        return [Piece("footnote", line_of(element), Place(xml_id=element.get("ID")))]
    name = element.get("referencedObject") or element.get("ID")
    captions = (
        Piece("caption", line_of(caption), Place(xml_id=caption.get("ID")))
        for caption in children(element, "caption")
    )
    return [Piece("image", place=Place(xml_id=name)), *captions]


class _Walker:
    """Walks narrative and collects pieces in reading order."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._aside: list[Piece] = []
        self._raw = ""
        self._kind: BlockKind = "paragraph"
        self._xml_id: str | None = None

    def flush(self) -> None:
        """End the current piece; what is set apart inside it follows, footnotes first."""
        raw, self._raw = self._raw, ""
        if raw and not raw.isspace():
            breaks = self._kind == "paragraph" and BREAK in raw
            parts = _PARAGRAPH_BREAK.split(raw) if breaks else [raw]
            place = Place(xml_id=self._xml_id)
            self.pieces += [Piece(self._kind, text, place) for text in map(clean, parts) if text]
        if self._aside:
            self.pieces += sorted(self._aside, key=lambda piece: piece.kind != "footnote")
            self._aside.clear()

    def walk(self, element: Element) -> None:
        """Collect what an element holds; its own end is not the end of a piece."""
        self._raw += element.text or ""
        for child in element:
            self._child(child, local(child))
            self._raw += child.tail or ""

    def _child(self, child: Element, name: str) -> None:
        """Collect a child by the kind of its element."""
        if name == "paragraph" and self._kind == "list_item":
            self._paragraph_in_item(child)
        elif name == "paragraph":
            self._block(child, "paragraph", child.get("ID"))
        elif name == "list":
            self._list(child)
        elif name == "table":
            self._table(child)
        elif name == "caption":  # the bullet or number of a list item
            self.walk(child)
            self._raw += " "
        elif name == "br":
            self._raw += BREAK
        elif name in _SET_APART:
            self._aside += _set_apart(child)
            self._raw += _call(child)
        elif name == "sup":
            self._raw = with_raised(self._raw, _inline(child, self._aside, BREAK))
        else:
            self.walk(child)

    def _block(self, element: Element, kind: BlockKind, xml_id: str | None) -> None:
        self.flush()
        outer = self._kind, self._xml_id
        self._kind, self._xml_id = kind, xml_id
        self.walk(element)
        self.flush()
        self._kind, self._xml_id = outer

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
        """A table with its captions before it and its notes behind it."""
        self.flush()
        place = Place(xml_id=element.get("ID"))
        caption = ""
        for child in children(element, "caption"):
            caption = line_of(child, self._aside)
            self.pieces.append(Piece("caption", caption, Place(xml_id=child.get("ID"))))
        if is_layout_box(element):
            for _part, row in printed_rows(element):
                for cell in row:
                    self._block(cell, "paragraph", element.get("ID"))
            return
        rows, notes = read_rows(element, lambda cell: line_of(cell, self._aside))
        self.pieces.append(Piece("table", place=place, rows=rows, caption=caption))
        self.pieces += [Piece("footnote", note, place) for note in notes]
        self.flush()
