# ruff: noqa: INP001 - imported by build_labels.py, not a package
"""Converts the markup of the sample labels' sources into SPL narrative elements.

Belongs here: sections (`# 5 Warnings`), paragraphs, lists, tables, highlights (`> `) and inline
marks. Product data, the document header and files belong to `build_labels`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from lxml import etree

NS = "urn:hl7-org:v3"
# lxml gives its element type no public name.
Element: TypeAlias = etree._Element  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
_HEADING = re.compile(r"^(#+)\s+(.*?)\s*(?:\{(\d{4,5}-\d)\})?\s*$")
_NUMBER = re.compile(r"^(\d+(?:\.\d+)*)\s")
_ITEM = re.compile(r"^(\s*)(-|\d+\.)\s+(.*)$")
_RULE = re.compile(r"^\|[-|\s]+\|$")
_INLINE = re.compile(
    r"\*\*(?P<bold>.+?)\*\*"
    r"|\*(?P<italics>.+?)\*"
    r"|~(?P<sub>.+?)~"
    r"|\^\[(?P<footnote>.+?)\]"
    r"|\^(?P<sup>.+?)\^"
    r"|\{=(?P<short>\d+(?:\.\d+)*)\}"
    r"|\{(?P<see>\d+(?:\.\d+)*)\}"
)


@dataclass
class SourceSection:
    """One heading of a source and the lines under it."""

    level: int
    title: str
    loinc: str | None
    effective: str
    lines: list[str] = field(default_factory=list[str])
    highlights: list[str] = field(default_factory=list[str])
    children: list[SourceSection] = field(default_factory=list["SourceSection"])

    @property
    def number(self) -> str:
        """The section's number in the prescribing information, or an empty string."""
        match = _NUMBER.match(self.title)
        return match.group(1) if match else ""

    @property
    def key(self) -> str:
        """Identifier of the section in its label: its number, else its title."""
        return self.number or self.title.lower()


def read_sections(body: str, effective: str) -> list[SourceSection]:
    """Split a source's body at its headings into a tree; every section gets the same date."""
    roots: list[SourceSection] = []
    stack: list[SourceSection] = []
    for line in body.splitlines():
        match = _HEADING.match(line)
        if not match:
            if stack:  # a highlight belongs to the top section, wherever it is written
                (stack[0].highlights if line.startswith(">") else stack[-1].lines).append(line)
            continue
        section = SourceSection(len(match[1]), match[2], match[3], effective)
        while stack and stack[-1].level >= section.level:
            stack.pop()
        (stack[-1].children if stack else roots).append(section)
        stack.append(section)
    return roots


def element(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Append a child in the SPL namespace; attributes are sorted for stable output."""
    child = etree.SubElement(parent, f"{{{NS}}}{tag}", dict(sorted(attributes.items())))
    if text:
        child.text = text
    return child


class Narrative:
    """Writes narrative text; `titles` are those of the sections in cross references."""

    def __init__(self, titles: dict[str, str]) -> None:
        self._titles = titles
        self._footnotes = 0

    def body(self, parent: Element, lines: list[str]) -> None:
        """Append the blocks of `lines` (paragraphs, lists, tables) to a `text` element."""
        block: list[str] = []
        for line in [*lines, ""]:
            if line.strip():
                block.append(line)
            elif block:
                self._block(parent, block)
                block = []

    def _block(self, parent: Element, block: list[str]) -> None:
        if block[0].startswith((": ", "|")):
            self._table(parent, block)
        elif _ITEM.match(block[0]):
            self._items(parent, block)
        else:
            self.inline(element(parent, "paragraph"), " ".join(line.strip() for line in block))

    def _items(self, parent: Element, block: list[str]) -> None:
        """Append a list; deeper indented lines become a list in the item above."""
        entries = [m for line in block if (m := _ITEM.match(line))]
        if len(entries) != len(block):
            raise ValueError(f"a list item goes on in a second line: {block}")
        depth = len(entries[0][1])
        ordered = entries[0][2] != "-"
        kind = {"listType": "ordered"} if ordered else {"listType": "unordered"}
        style = {} if ordered else {"styleCode": "Disc"}
        target = element(parent, "list", **kind, **style)
        item: Element | None = None
        nested: list[str] = []
        for entry in entries:
            if len(entry[1]) > depth:
                nested.append(entry[0])
                continue
            if item is not None and nested:
                self._items(item, nested)
                nested = []
            item = element(target, "item")
            self.inline(item, entry[3])
        if item is not None and nested:
            self._items(item, nested)

    def _table(self, parent: Element, block: list[str]) -> None:
        table = element(parent, "table", width="100%")
        if block[0].startswith(": "):
            self.inline(element(table, "caption"), block.pop(0)[2:])
        rule = next((i for i, line in enumerate(block) if _RULE.match(line)), None)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block]
        if rule is not None:
            self._rows(element(table, "thead"), rows[:rule], "th")
            rows = rows[rule + 1 :]
        self._rows(element(table, "tbody"), rows, "td")

    def _rows(self, parent: Element, rows: list[list[str]], tag: str) -> None:
        """Append rows; `<<` extends the cell to the left, `^^` the cell above."""
        owners: dict[tuple[int, int], Element] = {}
        for i, row in enumerate(rows):
            tr = element(parent, "tr")
            for j, cell in enumerate(row):
                if cell in ("<<", "^^"):
                    owner = owners[(i, j - 1) if cell == "<<" else (i - 1, j)]
                    span = "colspan" if cell == "<<" else "rowspan"
                    owner.set(span, str(int(owner.get(span, "1")) + 1))
                else:
                    owner = element(tr, tag, styleCode="Botrule Lrule Rrule")
                    self.inline(owner, cell)
                owners[i, j] = owner

    def inline(self, parent: Element, text: str) -> None:
        """Append text with its inline marks to an element."""
        start = 0
        for match in _INLINE.finditer(text):
            _append(parent, text[start : match.start()])
            self._mark(parent, str(match.lastgroup), match[str(match.lastgroup)])
            start = match.end()
        _append(parent, text[start:])

    def _mark(self, parent: Element, kind: str, inner: str) -> None:
        """Append the element of one inline mark."""
        if kind in ("bold", "italics"):
            self.inline(element(parent, "content", styleCode=kind), inner)
        elif kind in ("sub", "sup"):
            element(parent, kind, inner)
        elif kind == "footnote":
            self._footnotes += 1
            self.inline(element(parent, "footnote", ID=f"fn{self._footnotes}"), inner)
        elif kind == "short":
            _append(parent, "(")
            element(parent, "linkHtml", inner, href=f"#S{inner}")
            _append(parent, ")")
        else:
            content = element(parent, "content", "[see ", styleCode="italics")
            title = f"{self._titles[inner.partition('.')[0]]} ({inner})"
            element(content, "linkHtml", title, href=f"#S{inner}")
            _append(content, "]")


def _append(parent: Element, text: str) -> None:
    if not text:
        return
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
