"""Spells out abbreviations that clinicians use, for searching.

No passage is close to a terse question ("INH + RIF, dose?") although documents answer it. Routing
and gates read the question as it was asked; only search gets this form of it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon

SHORT = 4
"""Most letters of a drug's abbreviation; longer names in capitals are brands and stay as they were
written (ADR 0061)."""


class AbbreviationTable(Record):
    """Abbreviation to meaning, by field."""

    clipped: dict[str, str]
    tuberculosis: dict[str, str]
    pneumonia: dict[str, str]
    general: dict[str, str]


@cache
def abbreviations() -> dict[str, str]:
    """Return the meaning of every abbreviation."""
    table = load_table("abbreviations", AbbreviationTable)
    return {**table.tuberculosis, **table.pneumonia, **table.general}


@cache
def _pattern() -> re.Pattern[str]:
    shorts = sorted(abbreviations(), key=lambda short: (-len(short), short))
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, shorts))})s?(?![\w-]*\w)")


@cache
def _any_case() -> re.Pattern[str]:
    shorts = sorted((s for s in abbreviations() if s.isupper()), key=lambda s: (-len(s), s))
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, shorts))})s?(?![\w-])", re.IGNORECASE)


def abbreviation_spans(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return start, end and meaning of every abbreviation of a text, in any case, plurals too."""
    meanings = abbreviations()
    found = _any_case().finditer(text)
    return tuple((m.start(), m.end(), meanings[m.group(1).upper()]) for m in found)


_WITH = lazy_re(r"(?<![\w'/-])(?<!\d )w(?= [a-z])")
"""Short for "with"; after a number, for "weeks"."""


_CAP_DOSE = lazy_re(r"\bCAP(?= (?:dos|mg\b))")
"""The disease by its initials before what is given for it."""


@cache
def _clipped() -> re.Pattern[str]:
    clipped = sorted(load_table("abbreviations", AbbreviationTable).clipped, key=len, reverse=True)
    words = "|".join(map(re.escape, clipped))
    return re.compile(rf"(?<![\w'-])(?:{words})(?:(?<=[/ ])|(?![\w'-]))", re.IGNORECASE)


def with_whole_words(question: str) -> str:
    """Return a question with whole words for those that are clipped: "chemo", "strep".

    Written in capitals a short word is an abbreviation of something else.
    """
    clipped = load_table("abbreviations", AbbreviationTable).clipped

    def whole(match: re.Match[str]) -> str:
        word = match.group()
        first = word.split()[0]
        is_other = first.isupper() and first.isalpha() and len(first) > 1
        return word if is_other else clipped[word.casefold()]

    if not question.isupper():  # in small letters it is the ceiling of a dose
        question = _CAP_DOSE.sub("community-acquired pneumonia", question)
    return _clipped().sub(whole, _WITH.sub("with", question))


def spell_out(question: str, drugs: DrugLexicon) -> str:
    """Return a question with short drug names in full, other abbreviations with their meaning."""
    parts: list[str] = []
    at = 0
    for mention in drugs.mentions(question):
        name = question[mention.start : mention.end]
        if len(name) <= SHORT and name.isupper() and len(mention.ingredients) == 1:
            parts += [question[at : mention.start], *mention.ingredients]
            at = mention.end
    text = "".join([*parts, question[at:]])
    meanings = abbreviations()
    return _pattern().sub(lambda match: f"{meanings[match[1]]} ({match[0]})", text)
