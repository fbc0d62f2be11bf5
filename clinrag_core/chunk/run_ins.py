"""Run-in headings: words that open a paragraph and head what comes after them.

Labels without subsections print "2. TULAREMIA: 1 g twice daily": the disease is part of every
statement up to the next such heading, though none of them repeats it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

_NUMBER = r"(?:\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})[.)]\s*)?"
_NAME = (
    r"[A-Z][\w/'’-]*"
    r"(?:[ ,/&-]{1,2}(?:[A-Z\d(][\w/'’)-]*|of|the|and|in|for|with|or|due|to|a|by|on))*"
)
_BULLET = lazy_re(r"[•◦▪●]\s*")
_RUN_IN = lazy_re(rf"(?:{_BULLET.pattern})?{_NUMBER}(?P<name>{_NAME})\s*(?::|[–—](?=\s))\s*(?=\S)")
_TITLE_WORD = r"[A-Z][\w/'’-]{2,}"
_JOINS = r"of|the|and|in|for|with|or|on|to|by|after|during"
_SENTENCE_STARTS = (
    r"(?:If|The|In|For|When|Do|After|Patients|Administer|Take|Avoid|Monitor|Discontinue|Advise"
    r"|Inform|All|Because|Use|No|There|Based),? [a-z]"
)
_TITLED = lazy_re(
    rf"(?P<name>{_TITLE_WORD}(?: (?:{_TITLE_WORD}|{_JOINS}))+ {_TITLE_WORD}) (?={_SENTENCE_STARTS})"
)
"""A title that a flattened text runs into the sentence below it, without a colon."""
_ANY_TITLE = lazy_re(
    r"[^.]{0,60}?\b[A-Z][a-z]+ [A-Z][a-z]+|(?:[A-Z]{4,} ){2}"
    r"|[A-Z][\w-]+(?: \([^()]*\))? Advise\b"
)
"""What may be another title at the start of a statement: it ends what such a title heads."""
FEWEST_CAPITALS = 4
"""Words in capitals of such a title; fewer are names at the start of a sentence."""
BELOW_TITLE = 8
"""Statements after its own that such a title heads, up to the next one of its block."""
LONGEST = 80
"""Characters of a run-in heading; longer words before a colon are a sentence."""
_REMARK = lazy_re(
    r"(?:please )?notes?|important|example|sources?|remarks?|warning|caution|nb|alert|excerpt"
    r"|reported by"
    r"|(?:table|figure|box|step|annex|appendix)\b.*",
    re.IGNORECASE,
)
"""Openings that head their own sentence only."""
WEAK_REACH = 2
"""Statements after its own that a heading in small letters heads."""
SHORTEST_CAPITALS = 5
"""Letters of a heading in capitals that heads several blocks; fewer are an abbreviation."""


_OWN_TITLE = lazy_re(r"[A-Z][a-z]+ (?:[A-Z][a-z]+ )*[A-Z][a-z]+\b")
"""Capitals of a title that runs into its sentence: "Elimination Zolumycin has"."""
_CAPITALISED = lazy_re(rf"\b{_TITLE_WORD}")
_ITEM_NUMBER = lazy_re(r"\(?(?:(?P<digit>\d{1,2})|[A-Za-z]|[ivx]{1,4})[.)]\s")


class RunIns:
    """Follows the run-in headings of a section from block to block.

    A numbered heading or one in capitals heads all blocks up to the next; any other heads the next
    two statements of its block and a table or list directly after it: labels of one block print
    dozens of sentences after it.
    """

    def __init__(self, section: Section) -> None:
        self._section = section
        self._is_strong = False
        self._headed, self._reach = 0, WEAK_REACH
        self._numbering: str | None = None
        self._block = self._read_in = ""  # kind of the open block, and of the heading's
        self.current: tuple[int, int] | None = None

    def enter(self, block: Block) -> None:
        """Forget a weak heading at a block of prose, and that of one item at the next item.

        'Rifampicin: 600 mg' is an item of its own: the next drug's dose is not rifampicin's.
        """
        self._block = block.kind
        is_prose = block.table is None and block.kind != "list_item"
        is_sibling = self._read_in == block.kind == "list_item"
        if self.current is not None and not self._is_strong and (is_prose or is_sibling):
            self.current = None

    @property
    def of_table(self) -> tuple[int, int] | None:
        """The heading of a table; one that ends with the next sentences is of those."""
        return self.current if self._is_strong or not self._headed else None

    def end(self) -> None:
        """Forget the heading: a line that may be one comes after it."""
        self.current = self._numbering = None
        self._read_in = ""

    def head(self, start: int, end: int) -> None:
        """Take a line of its own that heads all blocks up to the next heading."""
        self.current, self._is_strong, self._numbering = (start, end), True, None
        self._read_in = ""

    def read(self, start: int, end: int) -> None:
        """Take the heading that a sentence or item opens with, if it has one.

        The next item of the same numbering ends the heading of the one before, headed or not.
        """
        text = self._section.text[start:end]
        match = _RUN_IN.match(text)
        has_bullet = _BULLET.match(text) is not None
        if has_bullet and not self._is_strong:
            self.current = None  # of the bullet before
        numbering = _numbering(text)
        if numbering is not None and numbering == self._numbering:
            self.current = self._numbering = None
        titled = _TITLED.match(text) if match is None else None
        if titled is not None and len(_CAPITALISED.findall(titled["name"])) >= FEWEST_CAPITALS:
            self._read_in, self._is_strong, self._numbering = self._block, False, None
            self._headed, self._reach = 0, BELOW_TITLE
            self.current = (start, start + titled.end("name"))
        if match is None or match.end() > LONGEST or _REMARK.fullmatch(match["name"]):
            return
        name = match["name"]
        if name.casefold() == _ITEM_NUMBER.sub("", self._section.title).casefold():
            return  # a statement has it as its heading
        self._read_in = self._block
        self._headed, self._reach = 0, WEAK_REACH
        self.current = (start + match.start("name"), start + match.end("name"))
        in_capitals = name.isupper() and len(name) >= SHORTEST_CAPITALS
        self._is_strong = in_capitals or (match.start("name") > 0 and not has_bullet)
        self._numbering = numbering

    def of(self, start: int) -> tuple[int, int] | None:
        """Return the heading of a statement; None for the one that opens with it."""
        if self.current is None or self.current[0] >= start:
            return None
        self._headed += 1
        text = self._section.text
        ends = _ANY_TITLE if self._reach == BELOW_TITLE else _OWN_TITLE
        is_headed = ends.match(text, start) is not None
        if not self._is_strong and (is_headed or self._headed > self._reach):
            self.current = None
        return self.current


def _numbering(text: str) -> str | None:
    """Return the kind of number that a text begins with, None without one."""
    match = _ITEM_NUMBER.match(text)
    return None if match is None else "digits" if match["digit"] else "letters"
