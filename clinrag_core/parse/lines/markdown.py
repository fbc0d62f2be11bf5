"""Markdown (CommonMark with tables) -> flow.

Reads the block tokens of markdown-it; inline markup is dropped, its text kept. Page markers that
converters write become page numbers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from clinrag_core.parse.assemble.characters import squeeze
from clinrag_core.parse.assemble.flow import Cell, Heading, Piece, Place, raised

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?(?:---|\.\.\.)\n")
_PAGE = re.compile(
    r"^(?:<!--\s*page(?:\s+number)?[\s:=]*(\d{1,5})\s*-->|\{(\d{1,5})\}-{10,}|"
    r"\[?page\s+(\d{1,5})\]?:?|-{2,}\s*page\s+(\d{1,5})\s*-{2,})$",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>|<!--.*?-->", re.DOTALL)


def read_markdown(text: str) -> tuple[list[Heading | Piece], int | None]:
    """Headings and pieces of a Markdown text in order, and its number of pages where marked."""
    if header := _FRONT_MATTER.match(text):
        text = "\n" * header[0].count("\n") + text[header.end() :]
    reader = _Reader()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        reader.read(token)
    return _title_first(reader.items), reader.page


def _title_first(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Return items with a lone first-level heading at the top as the document's title."""
    headings = [i for i in items if isinstance(i, Heading)]
    if [h.level for h in headings].count(1) != 1 or headings[0].level != 1:
        return items
    first = headings[0]
    return [replace(first, level=0) if i is first else i for i in items]


class _Reader:
    """Writes tokens as headings and pieces, one token at a time."""

    def __init__(self) -> None:
        self.items: list[Heading | Piece] = []
        self.page: int | None = None
        self._level = 0  # of the heading that is open
        self._lists: list[int | None] = []  # last number of each open list, None for bullets
        self._marker = ""
        self._rows: list[list[Cell]] = []  # of the open table
        self._header = False

    def read(self, token: Token) -> None:
        """Read the next token."""
        kind = token.type
        if kind == "inline":
            self._inline(token)
        elif kind in ("fence", "code_block"):
            self._write(Piece("paragraph", token.content.strip("\n"), self._place(token)))
        elif kind == "html_block":
            content = token.content.strip()
            if not self._is_page(content):
                text = squeeze(_HTML_TAG.sub(" ", content))
                self._write(Piece("paragraph", text, self._place(token)))
        elif kind in ("heading_open", "heading_close"):
            self._level = int(token.tag[1]) if kind == "heading_open" else 0
        elif kind in ("table_open", "thead_open", "thead_close", "tr_open", "table_close"):
            self._table(kind, token)
        else:
            self._list(kind, token)

    def _list(self, kind: str, token: Token) -> None:
        if kind == "bullet_list_open":
            self._lists.append(None)
        elif kind == "ordered_list_open":
            self._lists.append(int(token.attrs.get("start", 1)) - 1)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind in ("list_item_open", "list_item_close"):
            self._marker = self._next_marker() if kind == "list_item_open" else ""

    def _next_marker(self) -> str:
        number = self._lists[-1]
        if number is None:
            return "•"
        self._lists[-1] = number + 1
        return f"{number + 1}."

    def _table(self, kind: str, token: Token) -> None:
        if kind == "table_open":
            self._rows = []
        elif kind == "tr_open":
            self._rows.append([])
        elif kind == "table_close":
            rows = tuple(tuple(row) for row in self._rows)
            self.items.append(Piece("table", place=self._place(token), rows=rows))
            self._rows = []
        else:
            self._header = kind == "thead_open"

    def _inline(self, token: Token) -> None:
        """Write the text of a cell, heading, list item or paragraph, whichever is open."""
        text = _plain(token)
        place = self._place(token)
        if self._rows:
            self._rows[-1].append(Cell(text, header=self._header))
        elif self._is_page(text) or not text:
            return
        elif self._level:
            self.items.append(Heading(text, self._level, place))
        elif self._marker:
            self._write(Piece("list_item", f"{self._marker} {text}", place))
            self._marker = ""
        else:
            self._write(Piece("paragraph", text, place))

    def _write(self, piece: Piece) -> None:
        if piece.text.strip():
            self.items.append(piece)

    def _is_page(self, text: str) -> bool:
        """True for a page marker, whose number then holds for what follows."""
        found = _PAGE.match(text)
        if found is not None:
            self.page = int(found[found.lastindex or 0])
        return found is not None

    def _place(self, token: Token) -> Place:
        return Place(page=self.page, xml_id=f"L{token.map[0] + 1}" if token.map else None)


def _plain(token: Token) -> str:
    """Return the text of an inline token without markup; `sup` elements are marked as raised."""
    text = ""
    run: str | None = None  # what an open `sup` element holds
    for child in token.children or ():
        added = " " if child.type in ("softbreak", "hardbreak") else child.content
        if child.type == "html_inline":
            tag = child.content.strip("<>/ ").lower()
            if tag == "sup":
                text += raised(run or "")
                run = "" if run is None else None
            added = " " if tag.startswith("br") else ""
        if run is None:
            text += added
        else:
            run += added
    return squeeze(text + (run or ""))
