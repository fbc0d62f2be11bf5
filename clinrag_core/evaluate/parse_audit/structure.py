"""Findings about the structure of a parsed guideline: what is left out, mixed up or torn apart.

Words can all be kept and a document still be useless: a chapter under 'Acknowledgements' is never
found, a grade without its statement says nothing. Every finding names its page. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from clinrag_core.model.base import Record
from clinrag_core.parse.assemble.grades import grade_line
from clinrag_core.parse.assemble.section_roles import flows_down, reads_like, role_of
from clinrag_core.parse.assemble.wording import letters
from clinrag_core.parse.pdf.spaces import ALARM, glued_share
from clinrag_core.text.list_signs import is_item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section

Severity = Literal["error", "warning"]

MOST_OUTSIDE = 0.15
"""Share of a guideline's words that may be outside the index without being references, contents
or lists of people; no file of the reference corpus has as much."""
_LEAST_LOST = 150  # words of one section: notices of publishers have fewer
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*[.)]?\s+[A-Z]")
_TABLE = re.compile(r"^(?:web\s+)?table\s+[\dA-Z]", re.IGNORECASE)
_LABEL = re.compile(r"^(?:table|figure|box|appendix)\s+\w{1,4}[.:]?$", re.IGNORECASE)
_LIST_NEAR = 3  # blocks between a caption and the second item of its list
_TABLE_NEAR = 3  # blocks between a caption and its table: notes, the rest of the caption
_MIXED = re.compile(
    r"\b(?!(?:non|anti|post|pre|pro|sub|self|multi|inter|intra)-)[a-z]{3,}-"
    r"(?:\s[A-Z][a-z]+\s[a-z]|[A-Z]{3,}\b|[A-Z][a-z]{3,}\s[a-z])"
)
_MOST_MIXED = 2  # words of a page broken into another column's; proper names have one
_LEADER = re.compile(r"\.{3,}|\s\d{1,4}$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SHOWN_PAGES = 8  # of a finding; the JSON has all


class Finding(Record):
    """Something in a document that a person should check."""

    code: str
    severity: Severity
    message: str
    page: int | None = None
    """First PDF page concerned, from 1; None where the format has none."""


def role_words(document: Document) -> dict[str, int]:
    """Return the number of words per role of section."""
    counts: Counter[str] = Counter()
    for section in document.sections:
        counts[section.role] += len(_WORD.findall(section.text))
    return dict(sorted(counts.items()))


def structure_findings(document: Document) -> Iterator[Finding]:
    """Yield the findings of a guideline; labels are coded and have none."""
    if document.kind != "guideline":
        return
    yield from _outside_index(document)
    yield from _glued(document)
    findings = (
        ("empty_sections", "numbered sections without text", _empty_sections(document)),
        ("columns_mixed", "blocks read across columns", _mixed_columns(document)),
        ("caption_without_table", "captions of tables without a table", _lone_captions(document)),
        ("grade_without_statement", "grades without their statement", _lone_grades(document)),
    )
    for code, what, pages in findings:
        if pages:
            yield _finding(code, "warning", f"{len(pages)} {what}", pages)


def _outside_index(document: Document) -> Iterator[Finding]:
    """Yield text that no question can find, though it reads like text about care."""
    total = sum(role_words(document).values())
    lost: list[tuple[Section, int]] = []
    chapters: list[int | None] = []
    for section in document.sections:
        if section.role not in ("front_matter", "references", "contents"):
            continue
        named = role_of(section.title) == section.role
        if section.role != "contents" and not (named or flows_down(section.title)):
            chapters.append(section.page)
        words = sum(
            len(_WORD.findall(text))
            for text in map(section.text_of, section.blocks)
            if not _belongs_outside(section, text)
        )
        if words >= _LEAST_LOST:
            lost.append((section, words))
    outside = sum(words for _, words in lost)
    if total and outside > MOST_OUTSIDE * total:
        pages = [s.page for s, _ in sorted(lost, key=lambda item: -item[1])]
        message = f"{outside / total:.0%} of the words are in no indexed section"
        yield _finding("words_outside_index", "error", message, pages)
    if chapters:
        message = f"{len(chapters)} numbered chapters are filed as front matter or references"
        yield _finding("chapter_outside_index", "error", message, chapters)


def _belongs_outside(section: Section, text: str) -> bool:
    if section.role == "contents":
        return bool(_LEADER.search(text))
    return reads_like(section.role, [text])


def _glued(document: Document) -> Iterator[Finding]:
    pages: dict[int | None, list[str]] = {}
    for section in document.sections:
        for block in section.blocks:
            if section.role == "body" and block.table is None:
                pages.setdefault(block.page, []).append(section.text_of(block))
    share = glued_share(text for texts in pages.values() for text in texts)
    if document.format == "pdf" and share >= ALARM:
        bad = [page for page, texts in pages.items() if glued_share(texts) >= ALARM]
        message = f"{share:.1%} of the letters are in words that print no spaces"
        yield _finding("glued_words", "error", message, bad)


def _empty_sections(document: Document) -> list[int | None]:
    """Return pages of numbered body sections that have neither text nor subsections."""
    return [
        section.page
        for section, following in pairwise([*document.sections, None])
        if section is not None
        and section.role == "body"
        and _NUMBERED.match(section.title)
        and not section.text.strip()
        and not (following is not None and following.path[: len(section.path)] == section.path)
    ]


def _mixed_columns(document: Document) -> list[int | None]:
    """Return pages on which rows of cells were read as lines, or broken words go on with another's.

    The parser sees the former (warning `columns_mixed`), the words alone show the latter.
    """
    places = [w.place for w in document.warnings if w.code == "columns_mixed"]
    counts: Counter[int] = Counter(
        {int(page): _MOST_MIXED for place in places for page in re.findall(r"\d+", place or "")}
    )
    for section in document.sections:
        for block in section.blocks:
            if section.role == "body" and block.page is not None and block.table is None:
                counts[block.page] += len(_MIXED.findall(section.text_of(block)))
    return [page for page, count in sorted(counts.items()) if count >= _MOST_MIXED]


def _lone_captions(document: Document) -> list[int | None]:
    """Return pages of captions 'Table n' with no table near, in reading order.

    A list under a caption is what it announces, and captions one after the other are links.
    """
    flow = [(s, b) for s in document.sections if s.role == "body" for b in s.blocks]
    headed = {letters(b.table.caption) for _, b in flow if b.table is not None}
    return [
        block.page
        for index, (section, block) in enumerate(flow)
        if block.kind == "caption"
        and _TABLE.match(text := section.text_of(block))
        and letters(text) not in headed
        and not any(b.table is not None for _, b in flow[index + 1 : index + 2 + _TABLE_NEAR])
        and not _heads_list(flow[index + 1 : index + 1 + _LIST_NEAR])
        and not (_LABEL.match(text) and _is_link(flow, index))
    ]


def _heads_list(following: list[tuple[Section, Block]]) -> bool:
    """True if two of the next blocks are items: between them and the caption is their title."""
    items = [block.kind == "list_item" or is_item(s.text_of(block)) for s, block in following]
    return any(a and b for a, b in pairwise(items))


def _is_link(flow: list[tuple[Section, Block]], index: int) -> bool:
    near = flow[max(index - 1, 0) : index] + flow[index + 1 : index + 2]
    return any(b.kind == "caption" and _LABEL.match(s.text_of(b)) for s, b in near)


def _lone_grades(document: Document) -> list[int | None]:
    """Return pages of blocks that hold a grade and nothing else."""
    found: list[Block] = [
        block
        for section in document.sections
        if section.role == "body"
        for block in section.blocks
        if block.kind in ("paragraph", "list_item", "recommendation")
        and grade_line(section.text_of(block)) is not None
    ]
    return [block.page for block in found]


def _finding(code: str, severity: Severity, message: str, pages: list[int | None]) -> Finding:
    """Return a finding that names its pages in order."""
    known = sorted({page for page in pages if page is not None})
    if known:
        shown = ", ".join(map(str, known[:_SHOWN_PAGES]))
        more = " ..." if len(known) > _SHOWN_PAGES else ""
        message = f"{message} (page {shown}{more})"
    return Finding(code=code, severity=severity, message=message, page=known[0] if known else None)
