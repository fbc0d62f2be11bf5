"""The light markup the sample guidelines are written in.

`# `, `## `, `### ` are headings, a blank line ends a paragraph, `- ` opens a list item. Blocks of
several lines stand between `[name arguments]` and `[/name]`: `rec`, `box`, `table`, `refs`,
`full`, `cover`. Inline: `**bold**`, `//italic//`, `^{superscript}`.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPEN = re.compile(r"\[(?P<name>[a-z]+)(?: (?P<argument>.*))?\]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is a chapter."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a list item, a page-foot note or a reference, by `kind`."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Container:
    """A named block with its blocks inside: `rec`, `box`, `full`, `cover`, `refs`."""

    name: str
    argument: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: caption, relative column widths, rows (the first is the header) and notes."""

    caption: str
    widths: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A layout command: `page`, `toc`, `body` (arabic numbering starts), `column`."""

    name: str


Block = Heading | Paragraph | Container | Table | Command


def inline(text: str) -> str:
    """Inline markup as the XML that the paragraph engine reads."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"(?<!:)//(.+?)//", r"<i>\1</i>", text)
    return re.sub(r"\^\{(.+?)\}", r"<super>\1</super>", text)


def plain(text: str) -> str:
    """Text without inline markup, for the outline and the contents page."""
    return re.sub(r"<[^>]+>", "", html.unescape(re.sub(r"\^\{.+?\}|\*\*|//", "", text)))


def _table(argument: str, lines: list[str]) -> Table:
    caption, _, widths = argument.partition(" | ")
    rows = [tuple(c.strip() for c in x.split(" | ")) for x in lines if x and x[0] != "~"]
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"table {caption!r}: row {row!r} has another number of cells")
    shares = tuple(float(w) for w in widths.split()) or (1.0,) * len(rows[0])
    if len(shares) != len(rows[0]):
        raise ValueError(f"table {caption!r}: {len(shares)} widths for {len(rows[0])} columns")
    notes = tuple(x[1:].strip() for x in lines if x.startswith("~"))
    return Table(caption, shares, tuple(rows), notes)


def _simple(chunk: list[str]) -> list[Block]:
    """Blocks of consecutive lines without a blank line or bracket between them."""
    blocks: list[Block] = []
    for line in chunk:
        if heading := re.match(r"(#{1,3}) (.+)", line):
            blocks.append(Heading(len(heading[1]), heading[2]))
        elif line.startswith("- "):
            blocks.append(Paragraph("item", line[2:]))
        elif note := re.match(r"\[foot\] (.+)", line):
            blocks.append(Paragraph("foot", note[1]))
        elif blocks and isinstance(blocks[-1], Paragraph):
            last = blocks[-1]
            blocks[-1] = Paragraph(last.kind, f"{last.text} {line.strip()}")
        else:
            blocks.append(Paragraph("body", line))
    return blocks


def parse(text: str) -> tuple[Block, ...]:
    """Blocks of a source text.

    Raises:
        ValueError: a block is not closed or a table's rows differ in length.
    """
    blocks: list[Block] = []
    chunk: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        opened = None if line.startswith("[foot]") else _OPEN.fullmatch(line)
        if line and not opened:
            chunk.append(line)
            continue
        blocks += _simple(chunk)
        chunk = []
        if opened:
            blocks.append(_bracketed(opened["name"], opened["argument"] or "", lines))
    return (*blocks, *_simple(chunk))


def _bracketed(name: str, argument: str, lines: Iterator[str]) -> Block:
    if name in {"page", "toc", "body", "column"}:
        return Command(name)
    inside: list[str] = []
    for line in lines:
        if line == f"[/{name}]":
            break
        inside.append(line)
    else:
        raise ValueError(f"[{name} {argument}] is never closed")
    if name == "table":
        return _table(argument, inside)
    return Container(name, argument, parse("\n".join(inside)))
