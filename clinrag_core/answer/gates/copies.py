"""Copy gate: a copy of a sentence has no denial, modal, unit or drug exchanged, and no limit cut.

Other gates compare what a claim says with what its evidence says, in whatever words. A sentence
that differs from its source in one place alone, by such words, says something else, whatever they
make of it.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.concepts import read_concepts
from clinrag_core.facts.populations import names_people
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision

FEWEST_WORDS = 6
"""Words of a sentence, by judgement, from which one that differs is an exchange: a shorter one may
be reworded in one word."""
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_SHORT_NOT = re.compile(r"\b([a-z]+)n['’]t\b")
_DENYING = frozenset({"not", "no", "never", "without", "neither", "nor"})
_WEAK = frozenset({"may", "might", "can", "could"})
_STRONG = frozenset({"should", "must", "shall"})
_ORDER = frozenset({"before", "after", "during", "within", "since"})
_INSTEAD = 4
"""Words in the one place where a copy differs, by judgement; with more it is worded anew."""
_LIMIT = frozenset({"if", "when", "unless", "until", "except", "excluding", "provided"})
_TAKES_IN = frozenset({"including", "even", "with", "and", "also"})
_CUT = re.compile(r"\s(?:only |except )?(?:if|when|unless|until|except|provided that)\b")
_STRENGTH = frozenset({"quantifier", "certainty", "commonness", "severity"})
"""Families of words of which another one says more or less."""


class CopyGate:
    """Rejects claims that differ from a sentence of their evidence in one word that decides."""

    name = "copies"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `negation_...`, `modality_changed`, `..._dropped` or `..._exchanged`."""
        code = _exchanged(claim)
        return refused(self.name, code, ()) if code else passed(self.name)


def _exchanged(claim: ClaimInContext) -> str:
    """Return the code of what a claim exchanges in a copy of its evidence; "" for nothing."""
    text = claim.cited.text
    stated = _tokens(text)
    for sentence in claim.claim.sentences:
        if sentence.text in text:
            continue
        if _cut_before_limit(sentence.text, text):
            return "limit_dropped"
        own = _tokens(sentence.text)
        new = (Counter(own) - Counter(stated)).total()
        if len(own) < FEWEST_WORDS or new > _INSTEAD:
            continue
        pair = _difference(own, stated)
        if pair is None:
            continue
        if max(map(len, pair)) <= 1 and (code := _word_exchanged(claim, *map(" ".join, pair))):
            return code
        if code := _phrase_exchanged(claim, *pair):
            return code
    return ""


def _word_exchanged(claim: ClaimInContext, old: str, new: str) -> str:
    """Return the code of what one word for another changes; "" for nothing."""
    one, other = (claim.drugs.ingredients(word) for word in (old, new))
    if one and other and one != other:
        return "drug_exchanged"
    return _code(old, new)


def _phrase_exchanged(claim: ClaimInContext, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the code of what some words for others, or for none, change; "" for nothing."""
    if _WEAK.intersection(old) and not _WEAK.intersection(new):
        return "modality_changed"
    if not new and names_people(" ".join(old)):
        return "population_dropped"
    if _LIMIT.intersection(old) and (not new or _TAKES_IN.intersection(new)):
        return "limit_dropped"
    if "at" in new:
        return ""  # "at most" is a bound
    said, stated = (read_concepts(" ".join(words), claim.drugs) for words in (new, old))
    keys = {c.key for c in stated}
    stronger = any(c.family in _STRENGTH and c.key not in keys for c in said)
    return "strength_exchanged" if stronger and stated else ""


def _cut_before_limit(sentence: str, text: str) -> bool:
    """Return whether a sentence is the beginning of one that goes on with a condition."""
    said = sentence.rstrip(".; ")
    at = text.find(said)
    return at >= 0 and _CUT.match(text, at + len(said)) is not None


def _tokens(text: str) -> list[str]:
    spelt = _SHORT_NOT.sub(r"\1 not", fold_chars(text)).replace("cannot", "can not")
    return _TOKEN.findall(spelt)


def _difference(own: list[str], stated: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the words of the evidence and of the claim in the one place where they differ.

    None where they differ in more places, or in more words, or in nothing.
    """
    blocks = SequenceMatcher(None, stated, own, autojunk=False).get_matching_blocks()[:-1]
    if not blocks:
        return None
    pairs: list[tuple[list[str], list[str]]] = []
    first = blocks[0]
    pairs.append((stated[max(first.a - first.b, 0) : first.a], own[: first.b]))
    for one, after in pairwise(blocks):
        pairs.append((stated[one.a + one.size : after.a], own[one.b + one.size : after.b]))
    last = blocks[-1]
    rest = own[last.b + last.size :]
    end = last.a + last.size
    pairs.append((stated[end : end + len(rest)], rest))
    unlike = [pair for pair in pairs if pair[0] or pair[1]]
    if len(unlike) != 1 or max(map(len, unlike[0])) > _INSTEAD:
        return None
    return unlike[0]


def _code(old: str, new: str) -> str:
    """Return the code of what one word for another changes; "" for nothing."""
    if (old in _DENYING) != (new in _DENYING):
        return "negation_added" if new in _DENYING else "negation_removed"
    if (old in _STRONG and new in _WEAK) or (old in _WEAK and new in _STRONG):
        return "modality_changed"
    if old != new and {old, new} <= _ORDER:
        return "order_exchanged"
    are_units = old in CANONICAL and new in CANONICAL and CANONICAL[old] != CANONICAL[new]
    return "unit_exchanged" if are_units else ""
