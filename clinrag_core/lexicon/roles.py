"""The tables of roles and of wordings that say the same.

A role is a value of a family (`organ.liver`, `phase.intensive`): of the values of a family one
excludes the others where they are said of the same thing.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.needed import Words, needed_parts
from clinrag_core.text.numerals import ONES, TENS
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import stem

Phrase = tuple[str, ...]

CACHED_WORDINGS = 4_096
"""Texts whose shared wording is kept: a claim is often a sentence of its evidence."""


class RoleTable(Record):
    """The file `roles.toml`: values of each family with their words."""

    soft: tuple[str, ...]
    limiting: tuple[str, ...]
    rewritable: tuple[str, ...]
    not_roles: tuple[str, ...]
    exact: dict[str, str]
    implied: dict[str, tuple[str, ...]]
    said_by: dict[str, Expression]
    families: dict[str, dict[str, str]]


class SameWordingTable(Record):
    """The file `same_wording.toml`."""

    rewrites: tuple[tuple[Expression, str], ...]
    synonyms: tuple[str, ...]
    general: str
    opposites: tuple[str, ...]
    neutral: str


class RoleWord(NamedTuple):
    """What a phrase means: a value of a family."""

    family: str
    value: str


def word_stem(word: str) -> str:
    """Return the stem by which words of the tables and of texts are compared."""
    return stem(unify_spelling(word))


@cache
def role_phrases() -> dict[str, tuple[tuple[Phrase, RoleWord], ...]]:
    """Return the phrases of every role by the stem of their first word, the longest first."""
    phrases: dict[str, list[tuple[Phrase, RoleWord]]] = {}
    for family, values in load_table("roles", RoleTable).families.items():
        for value, words in values.items():
            for word in words.split():
                phrase = tuple(word_stem(part) for part in word.split("_"))
                phrases.setdefault(phrase[0], []).append((phrase, RoleWord(family, value)))
    return {
        first: tuple(sorted(found, key=lambda one: -len(one[0])))
        for first, found in phrases.items()
    }


def _role(name: str) -> RoleWord:
    family, value = name.split(".", 1)
    return RoleWord(family, value)


@cache
def soft_roles() -> frozenset[RoleWord]:
    """Return values that a claim may name although its evidence does not."""
    return frozenset(map(_role, load_table("roles", RoleTable).soft))


@cache
def implied_roles() -> dict[RoleWord, tuple[RoleWord, ...]]:
    """Return what a role says as well: mortality is of deaths."""
    return {
        _role(name): tuple(map(_role, others))
        for name, others in load_table("roles", RoleTable).implied.items()
    }


def is_said(role: RoleWord, text: str) -> bool:
    """Return whether a case-folded text says a role in other words: "arthralgia" is of a joint."""
    found = (_said_by().get(role), _in_compounds().get(role))
    return any(words is not None and words.search(text) for words in found)


LEAST_IN_COMPOUND = 7
"""Letters of the shortest stem that is looked for in longer words."""
_NO_COMPOUND = "a|ab|an|anti|de|dis|extra|hyper|hypo|im|in|inter|intra|ir|mis|non|over|pre|sub|un"


@cache
def _in_compounds() -> dict[RoleWord, re.Pattern[str]]:
    """Return for each role the words that end like one of its own: "myelosuppression"."""
    stems: dict[RoleWord, set[str]] = {}
    for phrases in role_phrases().values():
        for phrase, role in phrases:
            if len(phrase) == 1 and len(phrase[0]) >= LEAST_IN_COMPOUND:
                stems.setdefault(role, set()).add(re.escape(phrase[0]))
    return {
        role: lazy_re(
            rf"\b(?!(?:{_NO_COMPOUND})-?(?:{'|'.join(own)}))[a-z]{{3,}}-?(?:{'|'.join(own)})"
        )
        for role, own in stems.items()
    }


@cache
def _said_by() -> dict[RoleWord, re.Pattern[str]]:
    return {_role(name): found for name, found in load_table("roles", RoleTable).said_by.items()}


@cache
def not_roles() -> frozenset[str]:
    """Return words that only look like a role: "several" has the stem of "severe"."""
    return frozenset(load_table("roles", RoleTable).not_roles)


@cache
def exact_roles() -> dict[str, RoleWord]:
    """Return roles of words that have the stem of another role: "sensitivity", "sensitive"."""
    return {word: _role(name) for word, name in load_table("roles", RoleTable).exact.items()}


@cache
def rewritable() -> frozenset[str]:
    """Return families of which a rewritten sentence may name a value in nothing's place."""
    return frozenset(load_table("roles", RoleTable).rewritable)


@cache
def limiting_families() -> frozenset[str]:
    """Return families whose words narrow the word that they are said of."""
    return frozenset(load_table("roles", RoleTable).limiting)


@cache
def synonym_of() -> dict[str, str]:
    """Return for each stem of a row of synonyms the first stem of its first row."""
    first: dict[str, str] = {}
    for row in load_table("same_wording", SameWordingTable).synonyms:
        stems = [word_stem(word) for word in row.split()]
        same = next((first[one] for one in stems if one in first), stems[0])
        for one in stems:
            first.setdefault(one, same)
    return first


@cache
def general_stems() -> frozenset[str]:
    """Return stems of words that add nothing to a statement."""
    words = load_table("same_wording", SameWordingTable).general.split()
    return frozenset(synonym_of().get(one, one) for one in map(word_stem, words))


@cache
def neutral_stems() -> frozenset[str]:
    """Return stems of everyday words that may take the place of another word."""
    words = load_table("same_wording", SameWordingTable).neutral.split()
    return general_stems() | {synonym_of().get(one, one) for one in map(word_stem, words)}


@cache
def opposite_stems() -> frozenset[tuple[str, str]]:
    """Return pairs of stems, in both orders, of which one turns round what the other says."""
    table = load_table("same_wording", SameWordingTable)
    rows = [row.split() for row in table.opposites]
    stems = [(word_stem(one), word_stem(other)) for one, other in rows]
    # A word of a row of synonyms is read as the first of it.
    same = [(synonym_of().get(one, one), synonym_of().get(two, two)) for one, two in stems]
    named = [
        (a, b)
        for (one, two), (first, last) in zip(rows, same, strict=True)
        for a, b in ((one, two), (first, two), (one, last))
    ]  # roles go by their names
    pairs = stems + named + [(one, two) for one, two in same if one != two]
    return frozenset(pairs) | {(other, one) for one, other in pairs}


@cache
def _rewrites() -> tuple[tuple[tuple[Words, ...], re.Pattern[str], str], ...]:
    """Return each expression of the table with the words that it needs, and what it becomes."""
    table = load_table("same_wording", SameWordingTable)
    return tuple(
        (needed_parts(one.pattern), lazy_re(one.pattern, re.IGNORECASE), to)
        for one, to in table.rewrites
    )


_TENS = lazy_re(rf"\b({'|'.join(TENS)})[- ]({'|'.join(ONES)})\b", re.IGNORECASE)
"""A number of two words: "twenty-three"."""


def _as_figure(match: re.Match[str]) -> str:
    tens, ones = (word.lower() for word in match.groups())
    return f"{TENS.index(tens) + 2}{ONES.index(ones) + 1}"


def calls_for(folded: str, parts: tuple[Words, ...]) -> bool:
    """Return whether a text has a word of each set; in loops, for speed."""
    for words in parts:
        for word in words:
            if word in folded:
                break
        else:
            return False
    return True


@lru_cache(maxsize=CACHED_WORDINGS)
def reworded(text: str) -> str:
    """Return a text in the wording that texts of one sense share; a sentence keeps its capital."""
    text = _TENS.sub(_as_figure, text)
    folded = text.casefold()
    for parts, expression, to in _rewrites():
        if calls_for(folded, parts):
            text, times = expression.subn(to, text)
            if times:
                folded = text.casefold()
    return text[:1].upper() + text[1:]
