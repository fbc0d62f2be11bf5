"""The table of words that exclude each other: opposites, sister terms, and parts of words.

Broader than the roles: nothing is read of these words but that one is not the other.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import permutations

from clinrag_core.lexicon.loader import load_table
from clinrag_core.lexicon.roles import synonym_of, word_stem
from clinrag_core.model.base import Record
from clinrag_core.text.spelling import unify_spelling

LEAST_STEM = 4
"""Letters that a word has behind a beginning, or before an end, of the table: "over" and "under"
begin "overall" and "underlying", but their rests are not the same."""
CACHED_WORDS = 8_192


class OpposedTable(Record):
    """The file `opposed_terms.toml`."""

    pairs: tuple[str, ...]
    sisters: tuple[str, ...]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    not_of_endings: tuple[str, ...]


@cache
def opposed_terms() -> OpposedTable:
    """Return the table."""
    return load_table("opposed_terms", OpposedTable)


@lru_cache(maxsize=CACHED_WORDS)
def _said(word: str) -> str:
    stem = word_stem(word)
    return synonym_of().get(stem, stem)


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    rows = (tuple(map(_said, row.split())) for row in opposed_terms().pairs)
    return frozenset(pair for row in rows for pair in permutations(row, 2))


@cache
def _sisters() -> frozenset[tuple[str, str]]:
    rows = (tuple(map(_said, row.split())) for row in opposed_terms().sisters)
    return frozenset((a, b) for row in rows for a, b in permutations(row, 2) if a != b)


@cache
def _beginnings() -> tuple[tuple[str, str], ...]:
    rows = (tuple(row.split()) for row in opposed_terms().beginnings)
    return tuple((a, b) for row in rows for a, b in permutations(row, 2))


@lru_cache(maxsize=CACHED_WORDS)
def sort_of(word: str) -> str:
    """Return the end by which a case-folded word names a thing of a sort ("itis"); "" for none."""
    word = unify_spelling(word)
    if word in opposed_terms().not_of_endings:
        return ""
    for end in opposed_terms().endings:
        for form in (word, word.removesuffix("s")):
            if form.endswith(end) and len(form) >= LEAST_STEM + len(end):
                return end
    return ""


@lru_cache(maxsize=CACHED_WORDS)
def are_opposites(one: str, other: str) -> bool:
    """Return whether of two case-folded words one denies what the other says."""
    if (_said(one), _said(other)) in _opposites():
        return True
    return any(
        other.startswith(turned) and rest == other.removeprefix(turned).lstrip("-")
        for turned, rest in _turned(one)
    )


@lru_cache(maxsize=CACHED_WORDS)
def _turned(word: str) -> tuple[tuple[str, str], ...]:
    """Return each beginning that turns what a word says, with the rest of the word."""
    found = (
        (turned, word.removeprefix(begin).lstrip("-"))
        for begin, turned in _beginnings()
        if word.startswith(begin)
    )
    return tuple((turned, rest) for turned, rest in found if len(rest) >= LEAST_STEM)


@lru_cache(maxsize=CACHED_WORDS)
def are_sisters(one: str, other: str) -> bool:
    """Return whether two case-folded words name different things of one sort."""
    if (_said(one), _said(other)) in _sisters():
        return True
    return bool(sort_of(one)) and sort_of(one) == sort_of(other) and _said(one) != _said(other)
