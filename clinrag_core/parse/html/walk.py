"""Walks an HTML article in document order and writes headings and pieces.

Follows block elements wherever they are, because old pages nest them wrongly (paragraphs inside
headings, lists never closed): a block starts a piece, whatever it is in. They also draw what their
character set lacked: an underlined '<' is '≤'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from clinrag_core.parse.assemble.characters import clean, from_c1, squeeze
from clinrag_core.parse.assemble.continuation import glue, goes_on
from clinrag_core.parse.assemble.flow import (
    Heading,
    Piece,
    Place,
    raised,
    unmarked,
    without_raised,
)
from clinrag_core.parse.assemble.section_roles import role_of
from clinrag_core.parse.assemble.wording import ends_sentence, is_caption, may_be_title
from clinrag_core.parse.html.content import is_page_frame, is_publisher_note
from clinrag_core.parse.html.tables import is_data_table, read_table
from clinrag_core.text.numerals import roman

if TYPE_CHECKING:
    from clinrag_core.model.section import SectionRole

Element = Any

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_BOLD_LEVEL = 7  # below every heading that is marked up as one
_BLOCKS = re.compile(
    "h[1-6]|li|p|div|section|article|main|td|th|tr|table|tbody|thead|tfoot|ul|ol|dl|dt|dd|"
    "blockquote|center|pre|address|figure|figcaption|caption|hr|fieldset|details|summary|body|html"
)
_BOLD = ("b", "strong")
_METRICS = re.compile(
    r"^(?:altmetric|citations?|views?|related pages?|on this page)\s*:?\s*\d*$", re.I
)

_SIGNS = {"<": "≤", ">": "≥"}
_INNER = re.compile(r"(?<=[(\[])\s+|\s+(?=[)\]])|(?<=\S)\s+(?=[,;.](?:\s|$))")
# The sign that a note begins with: '† Not approved for children.'
_NOTE = re.compile(r"(?:\*{1,4}|†{1,3}|‡{1,3}|§{1,3}|¶{1,3})\s*(?=[^\W_]|[(\"“<≤≥])")
_START = re.compile(r"\d{1,6}")


@dataclass(slots=True)
class Walker:
    """Collects the pieces of one article."""

    items: list[Heading | Piece] = field(default_factory=list[Heading | Piece])
    first_title: str = ""
    table_images: list[str] = field(default_factory=list[str])
    underlined_signs: int = 0
    _text: str = ""
    _bold: int = 0
    _light: bool = False  # the piece contains text that is not bold
    _in_bold: int = 0
    _heading: int = 0
    _marker: str = ""
    _caption: bool = False
    _id: str | None = None
    _role: SectionRole | None = None  # of the last heading

    def walk(self, element: Element) -> None:
        """Add an element with its content (not its tail), then end the last piece."""
        self._element(element)
        self._flush()

    def inline(self, element: Element) -> str:
        """Return the text of an element on one line, its blocks parted by spaces."""
        sub = Walker()
        sub.walk(element)
        self.underlined_signs += sub.underlined_signs
        texts = (i.title if isinstance(i, Heading) else i.text for i in sub.items)
        return " ".join(t for t in texts if t)

    def _element(self, element: Element) -> None:
        """Add an element by its kind: data table, block or inline."""
        tag = element.tag
        if not isinstance(tag, str):
            return
        name = element.get("id") or (element.get("name") if tag == "a" else None)
        if name and not self._text.strip():
            self._id = name
        if tag == "table" and is_data_table(element):
            self._table(element)
        elif _BLOCKS.fullmatch(tag):
            self._block(element)
        else:
            self._run(element)

    def _children(self, element: Element) -> None:
        self._add(element.text)
        for child in element:
            self._element(child)
            self._add(child.tail)

    def _block(self, element: Element) -> None:
        """Add a block element as a separate piece, within a heading or caption around it."""
        self._flush()
        self._id = element.get("id") or self._id
        tag = element.tag
        if tag == "pre":
            self._preformatted(element)
            return
        outer = (self._heading, self._caption)
        self._heading = _HEADINGS.get(tag, self._heading)
        self._caption = self._caption or tag in ("figcaption", "caption")
        if tag == "li":
            self._marker = _list_marker(element)
        self._children(element)
        self._flush()
        self._heading, self._caption = outer
        if tag == "li":
            self._marker = ""

    def _run(self, element: Element) -> None:
        """An inline element."""
        tag = element.tag
        if tag == "br":
            if self._text.endswith("\n"):
                self._flush()
            elif self._text.strip():
                self._text += "\n"
        elif tag == "img":
            alt = squeeze(element.get("alt") or "")
            if is_caption(alt):
                self.table_images.append(alt)
        elif tag == "sup" and element.find(".//br") is None:
            self._raised(from_c1(element.text_content()))
        elif tag == "u" and (sign := _SIGNS.get(element.text_content().strip())):
            self.underlined_signs += 1
            self._text += sign
        else:
            bold = tag in _BOLD
            self._in_bold += bold
            self._children(element)
            self._in_bold -= bold

    def _raised(self, text: str) -> None:
        """Add a raised run; white space around it is of the line, not of the run."""
        run = text.strip()
        before, _, after = text.partition(run)
        self._text += f"{before}{raised(run)}{after}".replace("\n", " ")

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if text.strip():
            if self._in_bold:
                self._bold += 1
            else:
                self._light = self._light or bool(text.strip(" \t\r\n:\u00a0"))
        elif self._text.endswith("\n"):
            return  # white space after a line break is not text
        self._text += text.replace("\n", " ").replace("\r", " ")

    def _preformatted(self, element: Element) -> None:
        lines = [clean(from_c1(line)).rstrip() for line in element.text_content().splitlines()]
        for paragraph in re.split(r"\n{2,}", "\n".join(lines)):
            if paragraph.strip():
                self.items.append(Piece("paragraph", paragraph.strip("\n"), self._place()))

    def _table(self, element: Element) -> None:
        self._flush()
        rows, caption = read_table(element, self.inline)
        place = self._place(element.get("id"))
        if caption:
            self.items.append(Piece("caption", caption, place))
        if any(cell.text for row in rows for cell in row):
            self.items.append(Piece("table", place=place, rows=rows, caption=caption))

    def _flush(self) -> None:
        text = tidy(self._text)
        bold = bool(self._bold) and not self._light
        self._text, self._bold, self._light = "", 0, False
        if not text or not (self._heading or any(c.isalnum() for c in text)):
            return  # a separator
        if _METRICS.match(text) or is_page_frame(text):
            return
        self._write(text, bold, self._place())

    def _write(self, text: str, bold: bool, place: Place) -> None:
        """Add the text of a piece as the kind that its markup and wording show."""
        captioned = is_caption(text) and (bold or bool(self._heading))
        if self._caption or captioned:
            self.items.append(Piece("caption", text, place))
        elif self._heading:
            self._emit_heading(text, self._heading, place)
        elif bold and not self._marker and _is_title(without_raised(text)):
            self._emit_heading(text, _BOLD_LEVEL, place)
        elif is_publisher_note(unmarked(text)):
            self.items.append(Piece("paragraph", text, place, role="front_matter"))
        elif self._marker:
            self.items.append(Piece("list_item", f"{self._marker} {text}", place))
            self._marker = ""
        elif _NOTE.match(unmarked(text)):
            # Notes of the article are printed behind its references, but are none of them.
            role = "body" if self._role == "references" else None
            self.items.append(Piece("footnote", text, place, role=role))
        elif (last := self._broken_off(text)) is not None:
            self.items[-1] = replace(last, text=glue(last.text, text))
        else:
            self.items.append(Piece("paragraph", text, place))

    def _emit_heading(self, text: str, level: int, place: Place) -> None:
        if level == 1 and not self.first_title:
            self.first_title = without_raised(text).strip()
            level = 0
        self._role = role_of(without_raised(text))
        self.items.append(Heading(text, level, place))

    def _place(self, xml_id: str | None = None) -> Place:
        name, self._id = xml_id or self._id, None
        return Place(xml_id=name)

    def _broken_off(self, text: str) -> Piece | None:
        """Return the last paragraph if its sentence breaks off and `text` goes on with it."""
        last = self.items[-1] if self.items else None
        if not isinstance(last, Piece) or last.kind != "paragraph" or last.role is not None:
            return None
        return last if goes_on(without_raised(last.text), text) else None


def _is_title(text: str) -> bool:
    """True if a bold paragraph is a title and no sentence in bold."""
    return may_be_title(text) and (not ends_sentence(text) or text.endswith((":", "?")))


def tidy(text: str) -> str:
    """Printed form of inline text: one space between words, none inside brackets."""
    return _INNER.sub("", squeeze(clean(from_c1(text))))


def _list_marker(item: Element) -> str:
    """Bullet or number that a browser prints before a list item."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return "•"
    start = _START.fullmatch((parent.get("start") or "1").strip())
    position = len(list(item.itersiblings("li", preceding=True))) + int(start[0] if start else 1)
    style = parent.get("type") or "1"
    number = str(position)
    if style in "aA" and 0 < position <= len(ascii_lowercase):
        number = ascii_lowercase[position - 1]
    elif style in "iI":
        number = roman(position)
    return f"{number.upper() if style in 'AI' else number}."
