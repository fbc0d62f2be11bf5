"""Rows of tables for patients: what the row is about, then a line for each cell with its heading.

Every word stays in its order; only "the" and "is" are added, so that a cell reads as a sentence.
"""

from __future__ import annotations

import re

from clinrag_core.answer.plain.split import LINE
from clinrag_core.text.expressions import lazy_re

_MEMBER = lazy_re(r"; +(?=\S)")
_CELL = lazy_re(r"; +(?=(?:[^;:()]|\([^()]*\))*: )")
_VERB = lazy_re(r"\b(?:is|are|was|were|has|have|can|may|might|should|must|will|do|does)\b")
_AMOUNT = lazy_re(r"^[a-z ]*\b(?:dose|dosage|duration|amount|length)s?$", re.IGNORECASE)
FIGURE = lazy_re(r"(?:up to |about )?[\d<>≤≥]")
BESIDES = frozenset({"the", "is", "are"})
"""Words that a line may have in addition to those of its row."""


def is_row(text: str) -> bool:
    """Return whether a text is a row of a table: cells apart by tabs, or several with a heading."""
    return "\t" in text or sum(": " in cell for cell in _MEMBER.split(text)) > 1


def row_lines(text: str) -> list[str] | None:
    """Return "Heading: cell; Heading: cell" as lines, None for anything else.

    The first line is what the row is about, its first cell, and the others go on from it.
    """
    first, *rest = (cell.strip() for cell in _CELL.split(text.rstrip(". ")))
    pairs = [cell.split(": ", 1) for cell in rest]
    headings = [first.rpartition(": ")[0], *(heading for heading, _ in pairs)]
    if not rest or "\t" in text or len(set(headings)) < len(headings):
        return None  # which of two cells with one heading is which, nobody knows
    return [first.rstrip(":"), *(f"{LINE}{_said_of(heading, cell)}" for heading, cell in pairs)]


def _said_of(heading: str, cell: str) -> str:
    """Return a cell with its heading: "the daily dose is 5 mg", or "Comment: stop it"."""
    cell = cell.rstrip(".")
    if not (_AMOUNT.search(heading) and FIGURE.match(cell)) or _VERB.search(cell):
        return f"{heading}: {cell}."
    plural = heading.endswith("s")
    return f"the {_lowered(heading)} {'are' if plural else 'is'} {cell}."


def _lowered(words: str) -> str:
    """Return words with a small first letter, unless the first word has more capitals."""
    first = words.split(maxsplit=1)[0] if words else ""
    return words[:1].lower() + words[1:] if first[1:].islower() else words
