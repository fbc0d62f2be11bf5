"""Reads what patients and nurses say as what labels and guidelines write for it.

"Tearful on zolumycin" is answered by what is said of depression, which no word of it names.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.loader import load_table
from clinrag_core.lexicon.roles import calls_for
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.needed import needed_parts

if TYPE_CHECKING:
    from clinrag_core.text.needed import Words


class LayTable(Record):
    """Expressions over a text in any case, in order, each with what replaces it."""

    phrases: list[tuple[str, str]]


def in_clinical_words(question: str) -> str:
    """Return a question with clinical words for those of patients.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    lower = question.lower()
    for needed, words, meaning in _phrases():
        if calls_for(lower, needed):
            question = words.sub(meaning, question)
            lower = question.lower()
    return question


@cache
def _phrases() -> tuple[tuple[tuple[Words, ...], re.Pattern[str], str], ...]:
    """Return each expression with the words that a text needs for it, and what replaces it."""
    rows = load_table("lay_words", LayTable).phrases
    return tuple(
        (needed_parts(words), lazy_re(words, re.IGNORECASE), meaning) for words, meaning in rows
    )
