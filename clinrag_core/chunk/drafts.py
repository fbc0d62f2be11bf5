"""The statements of one section, before they have their place in the document.

Every block is read in order, because what a statement needs to be understood comes before it: the
heading printed without markup, the words that introduce a list, the sentence it points back to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.chunk.flat_tables import flat_table
from clinrag_core.chunk.fragments import (
    can_be_headed,
    is_instruction,
    is_like_title,
    is_sub_heading,
    is_title,
    may_be_title,
)
from clinrag_core.chunk.leads import BulletLeads, introduces_table
from clinrag_core.chunk.rows import bind_row, is_second_line, repeats_header
from clinrag_core.chunk.run_ins import RunIns
from clinrag_core.chunk.table_doubts import doubtful_rows
from clinrag_core.lexicon.statements import statement_lexicon
from clinrag_core.model.statement import FramePart
from clinrag_core.parse.assemble.wording import is_caption
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import is_sign
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.chunk.flat_tables import FlattenedTable
    from clinrag_core.model.section import Block, Section
    from clinrag_core.model.statement import StatementKind

LONGEST_ITEM = 400
"""Characters up to which a list item of several sentences stays one statement."""
LONGEST_RECOMMENDATION = 900
"""Characters up to which a formal recommendation stays one statement, with number and grade."""

_NOTE = lazy_re(r"[a-z]\s+(?=[A-Z])")
"""The letter of a footnote that another one is printed after."""
LONGEST_LINKED = 40
"""Words of a sentence that is said again before one that only adds to it, by judgement."""
_LINKED = lazy_re(r"\W*(?:in addition|additionally|also|moreover|furthermore|however)\b", re.I)
_RECOMMENDS = lazy_re(r"\W*it is (?:[\w-]+ )?(?:recommended|advised|suggested) that\b", re.I)
_POINTS_FURTHER = lazy_re(r"\b(?:with|of|at) this (?:degree|level|extent|severity)\b", re.I)
LONGEST_ORDER = 45
"""Words of a footnote that is quoted with the rows that call it, by judgement."""
LONGEST_SMALL = 4
"""Letters of a word ("with", "from") that titles in capitals print small."""


class StatementDraft(NamedTuple):
    """A statement before it has its place in the document."""

    kind: StatementKind
    block: int
    start: int
    end: int
    said: str
    frame: tuple[FramePart, ...] = ()
    is_bound: bool = True
    is_whole: bool = True
    """Whether it can say anything alone: a sub-heading cannot."""
    run_in: tuple[int, int] | None = None


class SectionDrafts:
    """Cuts one section; knows what the blocks read so far say of the next."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._heads = RunIns(section)
        self._leads = BulletLeads(section)
        self._before: tuple[int, int] | None = None
        self._caption: tuple[int, int] | None = None

    def drafts(self) -> Iterator[StatementDraft]:
        """Yield the statements; words of a section without blocks are sentences as well."""
        section = self._section
        flat = range(0)
        for index, block in enumerate(section.blocks):
            repeats = block.recommendation is not None and block.recommendation.repeats is not None
            if index in flat or repeats:
                continue
            self._heads.enter(block)
            if block.table is not None:
                yield from self._table(index)
            elif self._is_sub_heading(index):
                yield _draft_of(section, index, "sentence")._replace(is_whole=False)
            else:
                yield from self._text(index)
            if self._caption and (table := flat_table(section, index)) is not None:
                flat = table.blocks
                yield from _flat_rows(section, table, self._caption)
        if not section.blocks:
            for start, end in sentence_spans(section.text):
                yield StatementDraft("sentence", 0, start, end, section.text[start:end])

    def _table(self, index: int) -> Iterator[StatementDraft]:
        table = self._section.blocks[index].table
        captioned = self._caption is not None or (table is not None and bool(table.caption))
        caption = self._caption if captioned else self._introduction()
        for draft in _rows(self._section, index, caption):
            yield draft._replace(run_in=None if captioned else self._heads.of_table)
        self._caption = self._before = None

    def _introduction(self) -> tuple[int, int] | None:
        """Return the sentence before a table without a caption that says what the table is."""
        if self._before is None:
            return None
        start, end = self._before
        return self._before if introduces_table(self._section.text[start:end]) else None

    def _is_sub_heading(self, index: int) -> bool:
        """Return whether a block is a sub-heading, which then heads the blocks after it."""
        section, block = self._section, self._section.blocks[index]
        following = next(iter(section.blocks[index + 1 : index + 2]), None)
        before = section.blocks[index - 1] if index else None
        text = section.text_of(block)
        if not is_sub_heading(section, block, following, before):
            if block.kind == "paragraph":
                self._end_heading(block, following)
            return False
        self._before = self._caption = None
        self._heads.end()
        if index == 0 and _title_length(section.title, text) == len(text):
            return True  # the section's own title, which a statement has as its heading
        if following is not None and following.table is not None:
            self._caption = (block.start, block.end)
        elif text[:1] in ("—", "–"):
            pass  # who said the words above
        elif block.kind != "list_item" and can_be_headed(section, following):
            self._heads.head(block.start, block.end)
        return True

    def _end_heading(self, block: Block, following: Block | None) -> None:
        """End the heading at a line that may be one; "Liver Disease:" above prose surely is."""
        text = self._section.text_of(block)
        label = text.rstrip().removesuffix(":")
        is_above = following is not None and following.kind == "paragraph"
        if label != text.rstrip() and is_above and is_title(label) and _is_in_capitals(label):
            self._heads.head(block.start, block.start + len(label))
        elif is_like_title(text):
            self._heads.end()

    def _text(self, index: int) -> Iterator[StatementDraft]:
        """Yield the statements of a block of prose, each with the line or run-in that heads it."""
        section, block = self._section, self._section.blocks[index]
        for draft in _prose(section, index, self._before, self._leads):
            if draft.kind == "sentence" and _is_title_line(section, block, draft.start, draft.end):
                self._heads.head(draft.start, draft.end)
                self._before = None
                yield draft._replace(is_whole=False)
                continue
            self._heads.read(draft.start, draft.end)
            run_in = self._heads.of(draft.start)
            leads = {(part.start, part.end) for part in draft.frame if part.kind == "lead_in"}
            yield draft._replace(run_in=None if run_in in leads else run_in)
            self._before = (draft.start, draft.end)
        self._caption = (block.start, block.end) if block.kind == "caption" else None
        following = next(iter(section.blocks[index + 1 : index + 2]), None)
        if self._before and following is not None and following.table is not None:
            start, end = self._before  # a caption without markup, the last line of its paragraph
            self._caption = self._before if is_caption(section.text[start:end]) else self._caption


def _draft_of(section: Section, index: int, kind: StatementKind) -> StatementDraft:
    """Return a whole block as one statement."""
    block = section.blocks[index]
    said = " ".join(section.text_of(block).split())
    return StatementDraft(kind, index, block.start, block.end, said)


def _is_in_capitals(title: str) -> bool:
    """Return whether the words of a title begin with capitals: "Provide details" is an order."""
    return all(word[0].isupper() for word in title.split() if len(word) > LONGEST_SMALL)


def _is_title_line(section: Section, block: Block, start: int, end: int) -> bool:
    """Return whether a statement is a title on a line of its own above the rest of its block."""
    above, _, below = section.text[end : block.end].partition("\n")
    following = below.strip().split("\n")[0]
    is_above = bool(following) and not above.strip() and not may_be_title(following)
    return is_above and is_title(section.text[start:end])


def _flat_rows(
    section: Section, table: FlattenedTable, caption: tuple[int, int]
) -> Iterator[StatementDraft]:
    """Yield the rows of a flattened table; its cells, never to be quoted, if no row is known."""
    frame = (FramePart(kind="caption", start=caption[0], end=caption[1]),)
    for row in table.rows:
        cells = [" ".join(section.text_of(section.blocks[n]).split()) for n in row]
        said = "; ".join(cells).replace(":; ", ": ")
        start, end = section.blocks[row[0]].start, section.blocks[row[-1]].end
        yield StatementDraft("row", row[0], start, end, said, frame)
    for index in table.blocks if not table.rows else ():
        yield _draft_of(section, index, "row")._replace(frame=frame, is_bound=False)


def _rows(
    section: Section, index: int, caption: tuple[int, int] | None
) -> Iterator[StatementDraft]:
    """Yield the data rows of a table, each with its headings and the table's caption."""
    block = section.blocks[index]
    table = block.table
    assert table is not None  # noqa: S101 - the caller's block is a table
    shared = [FramePart(kind="caption", start=caption[0], end=caption[1])] if caption else []
    doubtful = doubtful_rows(table, is_drawn=block.page is not None)
    for row, (start, _) in enumerate(table.row_spans):
        is_data = row >= table.header_rows and row not in table.group_rows
        if not is_data or not any(table.rows[row]) or is_second_line(table, row):
            continue
        if not repeats_header(table, row):
            last = row + 1 if is_second_line(table, row + 1) else row
            bound = bind_row(table, row)
            end = table.row_spans[last][1]
            orders = _orders_called(section, block, [(start, end), *map(_span, bound.frame)])
            frame = (*shared, *bound.frame, *orders)
            is_sure = bound.is_sure and row not in doubtful
            yield StatementDraft("row", index, start, end, bound.said, frame, is_sure)


def _span(part: FramePart) -> tuple[int, int]:
    return part.start, part.end


def _orders_called(
    section: Section, block: Block, spans: Sequence[tuple[int, int]]
) -> Iterator[FramePart]:
    """Yield the footnotes called in a row or its headings that say what to do.

    "Resume at 30 mg" without its note "after a week's delay begin at 3 mg" is another dose.
    """
    called = dict.fromkeys(
        note
        for call in block.calls
        if call.at is not None and any(start <= call.at <= end for start, end in spans)
        for note in call.notes
    )
    for number in called:
        note = section.blocks[number]
        said = section.text_of(note)
        if is_instruction(said) and len(said.split()) <= LONGEST_ORDER:
            yield FramePart(kind="note", start=note.start, end=note.end)


def _prose(
    section: Section,
    index: int,
    before: tuple[int, int] | None,
    leads: BulletLeads,
) -> Iterator[StatementDraft]:
    """Yield the sentences of a block; a short item or formal recommendation is one statement."""
    block = section.blocks[index]
    kinds = {"list_item": "item", "recommendation": "recommendation"}
    kind: StatementKind = kinds.get(block.kind, "sentence")  # pyright: ignore[reportAssignmentType] - values are kinds
    if block.kind == "caption" or (
        block.kind == "footnote" and not is_instruction(section.text_of(block))
    ):
        kind = "note"
    for number, (start, end) in enumerate(_spans(section, index, block)):
        own = section.text[start:end]
        lead = leads.of(block, start, end) if number == 0 or kind == "sentence" else None
        parts: list[FramePart] = []
        if lead is not None:
            parts.append(FramePart(kind="lead_in", start=lead[0], end=lead[1]))
        follows = kind == "sentence" or (kind == "item" and number > 0)
        is_note = (letter := _NOTE.match(own)) is not None and _points_back(own[letter.end() :])
        is_led = lead is not None and before is not None and before[0] <= lead[0] < before[1]
        if before and follows and not is_led and _needs(own, section.text[slice(*before)]):
            parts.append(FramePart(kind="antecedent", start=before[0], end=before[1]))
        is_lead_in = own.rstrip().endswith(":") and kind == "sentence"
        yield StatementDraft(
            "lead_in" if is_lead_in else "item" if lead is not None else kind,
            index,
            start,
            end,
            _said(section, own, parts),
            tuple(parts),
            is_whole=not is_note,  # what it points back to is in the table
        )
        before = None if _is_title_line(section, block, start, end) else (start, end)


def _spans(section: Section, index: int, block: Block) -> list[tuple[int, int]]:
    """Return the spans of the statements of a block of prose, without the section's own title."""
    text = section.text_of(block)
    at = _title_length(section.title, text) if index == 0 else 0
    if block.kind == "footnote" and block.label and text.startswith(block.label):
        at = len(block.label)
    spans = [(block.start + at + a, block.start + at + b) for a, b in sentence_spans(text[at:])]
    longest = {"list_item": LONGEST_ITEM, "recommendation": LONGEST_RECOMMENDATION}
    if spans and len(text) <= longest.get(block.kind, 0):
        return [(spans[0][0], spans[-1][1])]
    return spans


def _title_length(title: str, text: str) -> int:
    """Return how much of a section's text is its title, which labels of openFDA print once more."""
    words = [re.escape(word) for word in title.split()]
    match = re.match(r"\s*" + r"\s+".join(words) + r"(?!\S)\s*", text, re.IGNORECASE)
    return match.end() if words and match else 0


def _said(section: Section, own: str, frame: Sequence[FramePart]) -> str:
    """Return a sentence or item after its lead-in or the sentence it points back to."""
    words = own.split()
    if frame and words and is_sign(words[0]):
        words = words[1:]
    text = " ".join(words)
    first = [" ".join(section.text[p.start : p.end].split()) for p in frame]
    return " ".join([*first, text])


def _needs(text: str, before: str) -> bool:
    """Return whether a sentence needs the one before it: after "in addition" no long one.

    Nor where its "it" stands for a clause and the one before points further back.
    """
    is_linked = _LINKED.match(text) is not None and len(before.split()) > LONGEST_LINKED
    is_apart = _RECOMMENDS.match(text) is not None and _POINTS_FURTHER.search(before) is not None
    return _points_back(text) and not (is_linked or is_apart)


def _points_back(text: str) -> bool:
    return statement_lexicon().openings.points_back.search(text.casefold()) is not None
