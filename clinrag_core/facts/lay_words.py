"""Reads what patients and nurses say as what labels and guidelines write for it.

"Tearful on zolumycin" is answered by what is said of depression, which no word of it names.
"""

from __future__ import annotations

import re
from functools import cache

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record


class LayTable(Record):
    """Expressions over a text in any case, in order, each with what replaces it."""

    phrases: list[tuple[str, str]]


def in_clinical_words(question: str) -> str:
    """Return a question with clinical words for those of patients.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    for words, meaning in _phrases():
        question = words.sub(meaning, question)
    return question


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = load_table("lay_words", LayTable).phrases
    return tuple((re.compile(words, re.IGNORECASE), meaning) for words, meaning in rows)
