"""Copy gate: a copy of a sentence has no denial, modal, unit or drug exchanged.

Other gates compare what a claim says with what its evidence says, in whatever words. A sentence
that differs from its source in one such word alone says something else, whatever they make of it.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import CANONICAL

if TYPE_CHECKING:
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


class CopyGate:
    """Rejects claims that differ from a sentence of their evidence in one word that decides."""

    name = "copies"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `negation_added`, `negation_removed`, `modality_changed`, `..._exchanged`."""
        code = _exchanged(claim)
        return refused(self.name, code, ()) if code else passed(self.name)


def _exchanged(claim: ClaimInContext) -> str:
    """Return the code of what a claim exchanges in a copy of its evidence; "" for nothing."""
    stated = _tokens(claim.cited.text)
    for sentence in claim.claim.sentences:
        own = _tokens(sentence.text)
        if len(own) < FEWEST_WORDS or (Counter(own) - Counter(stated)).total() > 1:
            continue
        pair = _difference(own, stated)
        if pair is None:
            continue
        one, other = (claim.drugs.ingredients(word) for word in pair)
        if one and other and one != other:
            return "drug_exchanged"
        if code := _code(*pair):
            return code
    return ""


def _tokens(text: str) -> list[str]:
    spelt = _SHORT_NOT.sub(r"\1 not", fold_chars(text)).replace("cannot", "can not")
    return _TOKEN.findall(spelt)


def _difference(own: list[str], stated: list[str]) -> tuple[str, str] | None:
    """Return the one word of the evidence and of the claim that differ, "" for none.

    None where more differs, or nothing.
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
    if len(unlike) != 1 or max(map(len, unlike[0])) > 1:
        return None
    old, new = unlike[0]
    return (old[0] if old else "", new[0] if new else "")


def _code(old: str, new: str) -> str:
    """Return the code of what one word for another changes; "" for nothing."""
    if (old in _DENYING) != (new in _DENYING):
        return "negation_added" if new in _DENYING else "negation_removed"
    if (old in _STRONG and new in _WEAK) or (old in _WEAK and new in _STRONG):
        return "modality_changed"
    are_units = old in CANONICAL and new in CANONICAL and CANONICAL[old] != CANONICAL[new]
    return "unit_exchanged" if are_units else ""
