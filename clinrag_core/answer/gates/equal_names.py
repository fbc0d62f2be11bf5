"""Gives a claim and its evidence one name for what they name alike, so that they can be compared.

Guided by the pair: a short form that a text explains itself or that the tables know, ages that are
a group of people, and a figure for the band it is in. Nothing is renamed that only one
of the two texts names. Pure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.facts.abbreviations import abbreviations
from clinrag_core.facts.populations import GROUPS_BY_AGE, UNITS_OF_AGE
from clinrag_core.facts.reader import read_facts
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.quantities import Quantity

_EXPLAINED = lazy_re(r"(?P<long>(?:[\w'/-]+ ){1,8})\((?P<short>[A-Z][A-Za-z]?[A-Z0-9][\w/-]*)\)")
_IN_BRACKETS = lazy_re(r"\([A-Z][A-Za-z]?[A-Z0-9]")
_WORD = lazy_re(r"\w+")
_SHORT = lazy_re(r"\b[A-Z]{3,6}\b")
"""A short form of letters alone; of two letters too many words begin with them."""
_INITIAL = lazy_re(r"(?<![A-Za-z'])[A-Za-z]")
_WORD_END = lazy_re(r"(?![A-Za-z])")
_BOUND = {"<": "less than ", ">": "more than ", "<=": "at most ", ">=": "at least ", "": ""}
_GROWN = {"month": 216, "year": 18}
"""The age from which people are adults (ICH E11), by its unit."""
_CHILDREN = lazy_re(r"\b(?:children|toddlers)\b", re.IGNORECASE)
_ADULTS = lazy_re(r"\badults?(?: patients| people)?\b", re.IGNORECASE)


def with_equal_names(claim: str, evidence: str, drugs: DrugLexicon) -> tuple[str, str]:
    """Return a claim and its evidence with one name for what both name."""
    for long, short in _explained(evidence) + _explained(claim):
        claim, evidence = _renamed(claim, evidence, long, short)
    named = set(_WORD.findall(evidence))
    for short, long in _known().items():
        if short in named and long.search(claim) and not long.search(evidence):
            claim = long.sub(short, claim)
    for long, short in _initialled(claim, evidence):
        claim = claim.replace(long, short)
    claim = _adults_by_age(claim, evidence, drugs)
    return _banded(claim, evidence, drugs), evidence


def _explained(text: str) -> list[tuple[str, str]]:
    """Return the long and the short forms that a text explains: "preventive therapy (PT)"."""
    found: list[tuple[str, str]] = []
    for match in _EXPLAINED.finditer(text) if _IN_BRACKETS.search(text) else ():
        words = match["long"].split()
        letters = [c for c in match["short"].casefold() if c.isalpha()]
        initials = [word[0].casefold() for word in words[-len(letters) :]]
        if len(letters) > 1 and initials == letters:
            found.append((" ".join(words[-len(letters) :]), match["short"]))
    return found


def _initialled(claim: str, evidence: str) -> list[tuple[str, str]]:
    """Return words of a claim of which its evidence has only the first letters: "SGC"."""
    shorts = dict.fromkeys(_SHORT.findall(evidence))
    words = list(_INITIAL.finditer(claim)) if shorts else []
    letters = "".join(match.group().casefold() for match in words)
    found: list[tuple[str, str]] = []
    for short in shorts:
        at = letters.find(short.casefold())
        if at < 0 or re.search(rf"\b{short}\b", claim):
            continue
        end = _WORD_END.search(claim, words[at + len(short) - 1].start())
        found.append((claim[words[at].start() : end.start() if end else len(claim)], short))
    return found


def _renamed(claim: str, evidence: str, long: str, short: str) -> tuple[str, str]:
    """Return both texts with the name that one of them does not have in place of the other."""
    texts = [text.replace(f"{long} ({short})", short) for text in (claim, evidence)]
    if any(f"({short})" in text for text in texts):
        return claim, evidence  # one of them calls something else so
    if any(re.search(rf"\b{re.escape(short)}\b", text) is None for text in texts):
        texts = [text.replace(f"{long} ({short})", long) for text in (claim, evidence)]
    else:
        texts = [re.sub(re.escape(long), short, text, flags=re.IGNORECASE) for text in texts]
    return texts[0], texts[1]


@cache
def _known() -> dict[str, re.Pattern[str]]:
    """Return the short forms of the tables with their long ones."""
    return {
        short: lazy_re(rf"\b{re.escape(long)}\b", re.IGNORECASE)
        for short, long in abbreviations().items()
        if " " in long and short.isalnum()
    }


def _adults_by_age(claim: str, evidence: str, drugs: DrugLexicon) -> str:
    """Return a claim with the ages of its evidence for the group of people that they make.

    "Adults" are patients of 18 years and more; children of an age are patients of that age.
    """
    said, stated = read_facts(claim, drugs), read_facts(evidence, drugs)
    named = {span.name for span in stated.populations}
    ages = {q.key: q for q in stated.quantities if _may_be_age(q)}
    own = [q.key for q in said.quantities if _may_be_age(q)]
    if own and all(key in ages for key in own) and not named & GROUPS_BY_AGE:
        if all(value < _GROWN["month"] for values, *_ in own for value in values[:1]):
            return _CHILDREN.sub("patients", claim)
        return claim
    if "adults" in named or own:
        return claim
    for age in ages.values():
        if age.comparator == ">=" and age.values == (_GROWN.get(age.unit),):
            return _ADULTS.sub(f"patients at least {evidence[age.start : age.end]} of age", claim)
    return claim


def _may_be_age(quantity: Quantity) -> bool:
    bounded = quantity.comparator or len(quantity.values) > 1
    return quantity.unit in UNITS_OF_AGE and not quantity.per and bool(bounded)


def _banded(claim: str, evidence: str, drugs: DrugLexicon) -> str:
    """Return a claim with the band of its evidence for the one age or weight that it names."""
    own = read_facts(claim, drugs).ages_and_weights
    bands = [q for q in read_facts(evidence, drugs).quantities if q.unit in {*UNITS_OF_AGE, "kg"}]
    for one in reversed(own):
        if one.comparator or len(one.values) != 1 or any(q.key == one.key for q in bands):
            continue
        fits = [band for band in bands if _is_within(one, band)]
        if len(fits) == 1:
            (band,) = fits
            said = _BOUND[band.comparator] + evidence[band.start : band.end]
            claim = claim[: one.start] + said + claim[one.end :]
    return claim


def _is_within(one: Quantity, band: Quantity) -> bool:
    """Return whether an age or weight is in a band that has the same unit."""
    if one.key[1] != band.key[1] or one.per or band.per:
        return False
    value, low, high = one.key[0][0], band.key[0][0], band.key[0][-1]
    if len(band.values) > 1:
        return low <= value <= high
    fits = {"<": value < low, "<=": value <= low, ">": value > low, ">=": value >= low}
    return fits.get(band.comparator, False)
