"""openFDA section fields put back into a section tree, every word once.

openFDA repeats the text of a coded subsection inside its parent's field. A field whose text stands
inside a longer one is cut out there and becomes a subsection; what is left between the cuts is the
parent's own text, split further at numbered headings. `*_table` fields repeat tables whose cells
are in the text already: they give that text its rows back (`openfda_tables`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clinrag_core.lexicon.sections import BOXED_WARNING, is_meaningful, plain_name
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.flow import Item, SectionStart
from clinrag_core.parse.openfda.tables import FlatTable, PlacedTable, between, place_tables
from clinrag_core.parse.openfda.text import headings, main_number, pieces
from clinrag_core.parse.openfda.titles import heading_title
from clinrag_core.parse.spl.xml import squeeze

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable

    from clinrag_core.lexicon.sections import SectionInfo
    from clinrag_core.model.section import Audience, SectionGroup, SectionRole

# Shorter texts ("None.") stand inside others by chance.
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


@dataclass(frozen=True)
class _Place:
    """What a field takes over from the field around it."""

    path: tuple[str, ...] = ()
    loinc: str | None = None
    group: SectionGroup = "other"
    audience: Audience = "clinician"


def normalise(text: str) -> str:
    """A field's text as it is compared: one line, unless line breaks structure it."""
    return text.strip() if "\n\n" in text.strip() else squeeze(text)


def nest(fields: Iterable[Field]) -> tuple[list[Field], list[ParseWarning]]:
    """Put each field into the smallest one that contains its text; returns the outermost ones."""
    outer: list[Field] = []
    placed: list[Field] = []
    warnings: list[ParseWarning] = []
    for item in sorted(fields, key=lambda f: -len(f.text)):
        if any(item.text == other.text for other in placed):
            warnings.append(
                ParseWarning(
                    code="duplicate_field",
                    message="the same text stands in another field",
                    place=item.key,
                )
            )
            continue
        around = [other for other in placed if _position(item, other) is not None]
        if not around:
            outer.append(item)
        elif not _put_into(item, min(around, key=lambda f: len(f.text))):
            # Its words stay part of the text around it.
            warnings.append(
                ParseWarning(
                    code="overlapping_field",
                    message="the text overlaps another subsection of the same section",
                    place=item.key,
                )
            )
            continue
        placed.append(item)
    outer.sort(key=lambda f: f.info.order)
    return outer, warnings


def _position(item: Field, other: Field) -> int | None:
    """Where an item's text stands in a longer one, at word boundaries."""
    if len(item.text) < MIN_CONTAINED:
        return None
    start = other.text.find(item.text)
    while start >= 0:
        end = start + len(item.text)
        before, after = other.text[start - 1 : start], other.text[end : end + 1]
        if (not before or before.isspace()) and (not after or after.isspace()):
            return start
        start = other.text.find(item.text, start + 1)
    return None


def _put_into(item: Field, parent: Field) -> bool:
    start = _position(item, parent)
    if start is None:
        return False
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
        self._effective = effective

    def write(self, item: Field, around: _Place | None = None) -> None:
        """Emit a field: its own text, cut at subsections and headings, in order."""
        place = _inside(item, around or _Place(), self._names)
        # A cut is where something begins: (position, path of the text from there on).
        cuts: list[tuple[int, tuple[str, ...] | Field]] = [(0, place.path)]
        for inner in item.inner:
            cuts += [(inner.start, inner), (inner.end, place.path)]
        main = main_number(item.text)
        tables = place_tables(item.text, item.tables)
        taken = [(part.start, part.end) for part in (*item.inner, *tables)]
        for start, _number in headings(item.text, main, taken) if main is not None else []:
            if start > 0:
                ends = [cut for cut, _ in cuts if cut > start]
                own = item.text[start : min(ends, default=len(item.text))]
                cuts.append((start, (*place.path, heading_title(own, self._names))))
        cuts.sort(key=lambda cut: (cut[0], isinstance(cut[1], Field)))
        for index, (start, what) in enumerate(cuts):
            end = cuts[index + 1][0] if index + 1 < len(cuts) else len(item.text)
            if isinstance(what, Field):
                what.tables = tuple(dict.fromkeys((*what.tables, *item.tables)))
                self.write(what, place)
            else:
                own = between(item.text, tables, start, end)
                self._emit(item, place, what, list(own))

    def _emit(
        self, item: Field, place: _Place, path: tuple[str, ...], own: list[str | PlacedTable]
    ) -> None:
        found = [
            piece
            for part in own
            for piece in (pieces(part) if isinstance(part, str) else part.table.pieces)
        ]
        if not found:
            return
        start = SectionStart(
            path=path,
            role=_role(place.group),
            own_loinc=item.info.code,
            loinc=place.loinc,
            group=place.group,
            audience=place.audience,
            effective=self._effective,
        )
        self.items += [start, *found]


def _role(group: SectionGroup) -> SectionRole:
    if group == "recent_changes":
        return "highlights"
    return "references" if group == "references" else "body"


def _inside(item: Field, around: _Place, names: Collection[str]) -> _Place:
    info = item.info
    name = _name(item, around, names)
    path = (*around.path, *((name,) if name else ()))
    # A box inside another section is a dose line or a lay summary that carries the code by mistake.
    miscoded = info.code == BOXED_WARNING and around.path
    if not is_meaningful(info.code) or around.audience == "patient" or miscoded:
        return _Place(path, around.loinc, around.group, around.audience)
    group = around.group if info.group == "other" else info.group
    return _Place(path, info.code, group, info.audience)


def _name(item: Field, around: _Place, names: Collection[str]) -> str:
    """Heading of a field: its plain name behind the number its text starts with.

    A part of a section whose code says nothing new has the heading its text starts with.
    """
    untold = item.info.code in (around.loinc, BOXED_WARNING)
    if around.path and (SUBSECTION.match(item.text) or untold):
        return heading_title(item.text, names)
    if not is_meaningful(item.info.code):
        return ""
    number = main_number(item.text)
    name = plain_name(item.info.name)
    return f"{number} {name}" if number is not None and not around.path else name
