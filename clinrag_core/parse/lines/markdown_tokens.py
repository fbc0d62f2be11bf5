"""Markdown tokens -> headings and pieces.

Reads the block tokens of markdown-it; inline markup is dropped, its text kept, raised text read as
in every other format. Page markers that converters write become page numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from clinrag_core.parse.assemble.assembler import Heading, Piece, Place
from clinrag_core.parse.assemble.characters import squeeze
from clinrag_core.parse.assemble.raised import read_raised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

_PAGE = re.compile(
    r"^(?:<!--\s*page(?:\s+number)?[\s:=]*(\d{1,5})\s*-->|\{(\d{1,5})\}-{10,}|"
    r"\[?page\s+(\d{1,5})\]?:?|-{2,}\s*page\s+(\d{1,5})\s*-{2,})$",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>|<!--.*?-->", re.DOTALL)


def read_tokens(text: str) -> tuple[list[Heading | Piece], int | None]:
    """Headings and pieces of a Markdown text in order, and its number of pages where marked."""
    reader = _Reader()
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    reader.read(tokens)
    return reader.items, reader.page


class _Reader:
    def __init__(self) -> None:
        self.items: list[Heading | Piece] = []
        self.page: int | None = None
        self._lists: list[int | None] = []
        self._marker = ""
        self._rows: list[tuple[str, ...]] = []
        self._row: list[str] = []
        self._header_rows = 0
        self._in_table = False

    def read(self, tokens: Sequence[Token]) -> None:
        level = 0
        for token in tokens:
            kind = token.type
            if kind == "heading_open":
                level = int(token.tag[1])
            elif kind == "heading_close":
                level = 0
            elif kind == "inline":
                self._inline(token, level)
            elif kind in ("fence", "code_block"):
                self._verbatim(token)
            elif kind == "html_block":
                self._html(token)
            else:
                self._structure(token)

    def _structure(self, token: Token) -> None:
        kind = token.type
        if kind == "bullet_list_open":
            self._lists.append(None)
        elif kind == "ordered_list_open":
            self._lists.append(int(token.attrs.get("start", 1)) - 1)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._marker = self._next_marker()
        elif kind == "list_item_close":
            self._marker = ""
        elif kind == "table_open":
            self._rows, self._header_rows, self._in_table = [], 0, True
        elif kind == "tr_close":
            self._rows.append(tuple(self._row))
            self._row = []
        elif kind == "thead_close":
            self._header_rows = len(self._rows)
        elif kind == "table_close":
            self._table(token)

    def _next_marker(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "•"
        self._lists[-1] = number + 1
        return f"{number + 1}."

    def _inline(self, token: Token, level: int) -> None:
        text = plain(token)
        if self._in_table:
            self._row.append(text)
            return
        place = self._place(token)
        if marker := _PAGE.match(text):
            self.page = int(next(g for g in marker.groups() if g))
        elif not text:
            return
        elif level:
            self.items.append(Heading(text, level, place))
        elif self._marker:
            self.items.append(Piece("list_item", f"{self._marker} {text}", place))
            self._marker = ""
        else:
            self.items.append(Piece("paragraph", text, place))

    def _table(self, token: Token) -> None:
        self._in_table = False
        if any(any(row) for row in self._rows):
            width = max(len(row) for row in self._rows)
            rows = tuple(row + ("",) * (width - len(row)) for row in self._rows)
            self.items.append(
                Piece("table", place=self._place(token), rows=rows, header_rows=self._header_rows)
            )

    def _verbatim(self, token: Token) -> None:
        text = token.content.strip("\n")
        if text.strip():
            self.items.append(Piece("paragraph", text, self._place(token)))

    def _html(self, token: Token) -> None:
        content = token.content.strip()
        if marker := _PAGE.match(content):
            self.page = int(next(g for g in marker.groups() if g))
            return
        if text := squeeze(_HTML_TAG.sub(" ", content)):
            self.items.append(Piece("paragraph", text, self._place(token)))

    def _place(self, token: Token) -> Place:
        line = f"L{token.map[0] + 1}" if token.map else None
        return Place(page=self.page, xml_id=line)


def plain(token: Token) -> str:
    """Text of an inline token without its markup."""
    text = ""
    raised: str | None = None
    for child in token.children or ():
        if child.type == "html_inline":
            tag = child.content.strip("<>/ ").lower()
            if tag == "sup":
                if raised is None:
                    raised = ""
                else:
                    text += read_raised(text, raised)
                    raised = None
            elif tag.startswith("br"):
                text += " "
            continue
        added = " " if child.type in ("softbreak", "hardbreak") else child.content
        if raised is None:
            text += added
        else:
            raised += added
    return squeeze(text + (raised or ""))
