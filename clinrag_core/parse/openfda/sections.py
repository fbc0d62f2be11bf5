"""openFDA section fields put back into a section tree, every word once.

openFDA repeats the text of a coded subsection inside its parent's field. A field whose text is
inside a longer one is cut out there and becomes a subsection; the text between the cuts is the
parent's, split further at numbered headings. `*_table` fields repeat tables whose cells are in the
text already: they give that text its rows back (`tables`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clinrag_core.lexicon.sections import BOXED_WARNING, is_meaningful, plain_name
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.flow import Item, SectionStart
from clinrag_core.parse.assemble.section_roles import ROLES
from clinrag_core.parse.openfda.tables import FlatTable, between, place_tables
from clinrag_core.parse.openfda.text import headings, main_number, pieces
from clinrag_core.parse.openfda.titles import heading_title
from clinrag_core.parse.spl.xml import squeeze

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable

    from clinrag_core.lexicon.sections import SectionInfo

# Shorter texts ("None.") are inside others by chance.
MIN_CONTAINED = 24
SUBSECTION = re.compile(r"\d{1,2}\.\d{1,2}\.?\s+[A-Z]")


@dataclass
class Field:
    """One text of one section key, and the fields found inside it."""

    key: str
    info: SectionInfo
    text: str
    tables: tuple[FlatTable, ...] = ()
    start: int = 0
    inner: list[Field] = field(default_factory=list["Field"])

    @property
    def end(self) -> int:
        """Where the text ends inside its parent's."""
        return self.start + len(self.text)


def normalise(text: str) -> str:
    """A field's text as it is compared: one line, unless line breaks structure it."""
    return text.strip() if "\n\n" in text.strip() else squeeze(text)


def nest(fields: Iterable[Field]) -> tuple[list[Field], list[ParseWarning]]:
    """Put each field into the smallest one that contains its text; return the outermost ones."""
    outer: list[Field] = []
    placed: list[Field] = []
    warnings: list[ParseWarning] = []
    for item in sorted(fields, key=lambda f: -len(f.text)):
        if any(item.text == other.text for other in placed):
            message = "the same text is in another field"
            warnings.append(ParseWarning(code="duplicate_field", message=message, place=item.key))
            continue
        is_long = len(item.text) >= MIN_CONTAINED
        around = [other for other in placed if is_long and item.text in other.text]
        if not around:
            outer.append(item)
        elif not _put_into(item, min(around, key=lambda f: len(f.text))):
            # Its words stay part of the text around it.
            message = "the text overlaps another subsection of the same section"
            warnings.append(ParseWarning(code="overlapping_field", message=message, place=item.key))
            continue
        placed.append(item)
    outer.sort(key=lambda f: f.info.order)
    return outer, warnings


def _put_into(item: Field, parent: Field) -> bool:
    start = parent.text.index(item.text)
    end = start + len(item.text)
    if any(sibling.start < end and start < sibling.end for sibling in parent.inner):
        return False
    item.start = start
    parent.inner.append(item)
    parent.inner.sort(key=lambda f: f.start)
    return True


class SectionWriter:
    """Writes nested fields as a flow of sections in reading order."""

    def __init__(self, effective: dt.date | None, names: Collection[str] = ()) -> None:
        self.items: list[Item] = []
        self._names = names
        self._top = SectionStart((), group="other", effective=effective)

    def write(self, item: Field, around: SectionStart | None = None) -> None:
        """Emit a field: its text without its subsections, cut at those and at headings."""
        start = _inside(item, around or self._top, self._names)
        # A cut is where something begins: (position, path of the text from there on).
        cuts: list[tuple[int, tuple[str, ...] | Field]] = [(0, start.path)]
        for inner in item.inner:
            cuts += [(inner.start, inner), (inner.end, start.path)]
        main = main_number(item.text)
        tables = place_tables(item.text, item.tables)
        taken = [(part.start, part.end) for part in (*item.inner, *tables)]
        for at, _number in headings(item.text, main, taken) if main is not None else []:
            ends = [cut for cut, _ in cuts if cut > at]
            subsection = item.text[at : min(ends, default=len(item.text))]
            cuts.append((at, (*start.path, heading_title(subsection, self._names))))
        cuts.sort(key=lambda cut: (cut[0], isinstance(cut[1], Field)))
        for index, (at, what) in enumerate(cuts):
            end = cuts[index + 1][0] if index + 1 < len(cuts) else len(item.text)
            if isinstance(what, Field):
                what.tables = tuple(dict.fromkeys((*what.tables, *item.tables)))
                self.write(what, start)
                continue
            flow: list[Item] = []
            for part in between(item.text, tables, at, end):
                flow += pieces(part) if isinstance(part, str) else part.table.pieces
            if flow:
                self.items += [replace(start, path=what), *flow]


def _inside(item: Field, around: SectionStart, names: Collection[str]) -> SectionStart:
    """Return the section of a field; it inherits what its own code does not state."""
    info = item.info
    name = _name(item, around, names)
    start = replace(around, path=(*around.path, name) if name else around.path, own_loinc=info.code)
    # A box inside another section is a dose line or a lay summary that has the code by mistake.
    miscoded = info.code == BOXED_WARNING and around.path
    if not is_meaningful(info.code) or around.audience == "patient" or miscoded:
        return start
    group = around.group if info.group == "other" else info.group
    role = ROLES.get(group, "body")
    return replace(start, loinc=info.code, group=group, role=role, audience=info.audience)


def _name(item: Field, around: SectionStart, names: Collection[str]) -> str:
    """Return the heading of a field: its plain name after the number its text starts with.

    A part of a section whose code adds nothing has the heading its text starts with.
    """
    uninformative = item.info.code in (around.loinc, BOXED_WARNING)
    if around.path and (SUBSECTION.match(item.text) or uninformative):
        return heading_title(item.text, names)
    if not is_meaningful(item.info.code):
        return ""
    number = main_number(item.text)
    name = plain_name(item.info.name)
    return f"{number} {name}" if number is not None and not around.path else name
