"""Recognises the form of a drug's international nonproprietary name.

No table knows every drug. A question about one that the documents do not name must not be answered
with the dose of another, so a word of this form is never read as a misspelt ordinary word.
"""

from __future__ import annotations

from functools import cache

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record

MIN_DRUG_NAME = 6
"""Fewest letters of such a word: "april" ends like "enalapril"."""


class InnTable(Record):
    """Stems of nonproprietary names, as words with blanks between them."""

    endings: str
    beginnings: str
    not_drugs: str


@cache
def _stems_of_names() -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Return endings, beginnings and the words that have one and name no drug."""
    table = load_table("inn_stems", InnTable)
    endings = tuple(table.endings.split())
    return endings, tuple(table.beginnings.split()), frozenset(table.not_drugs.split())


def is_drug_shaped(word: str) -> bool:
    """Return whether a case-folded word has the form of a nonproprietary name."""
    endings, beginnings, not_drugs = _stems_of_names()
    if len(word) < MIN_DRUG_NAME or not word.isalpha() or word in not_drugs:
        return False
    return word.endswith(endings) or word.startswith(beginnings)
