"""The table of abbreviations that clinicians use, with their meaning."""

from __future__ import annotations

from functools import cache

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record


class AbbreviationTable(Record):
    """Abbreviation to meaning, by field."""

    tuberculosis: dict[str, str]
    pneumonia: dict[str, str]
    general: dict[str, str]


@cache
def abbreviations() -> dict[str, str]:
    """Return the meaning of every abbreviation."""
    table = load_table("abbreviations", AbbreviationTable)
    return {**table.tuberculosis, **table.pneumonia, **table.general}
