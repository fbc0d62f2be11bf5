"""Copy gate: a copy of a sentence has no denial, modal, unit or drug exchanged, and no limit cut.

Other gates compare what a claim says with what its evidence says, in whatever words. A sentence
that differs from its source in one place alone, by such words, says something else, whatever they
make of it.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.concepts import read_concepts
from clinrag_core.facts.negation import polarity
from clinrag_core.facts.populations import PEOPLE_WORDS
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision

FEWEST_WORDS = 6
"""Words of a sentence, by judgement, from which one that differs is an exchange: a shorter one may
be reworded in one word."""
FEWEST_LEFT = 3
"""The same of a sentence that has no new word, only fewer."""
_TOKEN = lazy_re(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_SHORT_NOT = lazy_re(r"\b([a-z]+)n['’]t\b")
_DENYING = frozenset({"not", "no", "never", "without", "neither", "nor"})
_WEAK = frozenset({"may", "might", "can", "could"})
_STRONG = frozenset({"should", "must", "shall"})
_ORDER = frozenset({"before", "after", "during", "within", "since"})
_INSTEAD = 4
"""Words in the one place where a copy differs, by judgement; with more it is worded anew."""
_FIRM = frozenset({"prove", "proves", "proved", "proven", "confirm", "confirms", "always"})
_TURNS = frozenset({"direction"})
"""Families of which one value for another in a copy says the opposite."""
_PEOPLE = lazy_re(rf"\b(?:{PEOPLE_WORDS})\b")
_OPENS = frozenset({
    "if", "when", "unless", "until", "except", "excluding", "provided", "other", "only", "in",
    "for", "to", "among", "who", "whose",
})  # fmt: skip
"""Words that a limit or the people of a statement begin with."""
_LIMIT = frozenset({"if", "when", "unless", "until", "except", "excluding", "provided"})
_TAKES_IN = frozenset({"including", "even", "with", "and", "also"})
_CUT = lazy_re(r"\s(?:only |except )?(?:if|when|unless|until|except|provided that)\b")
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
        if len(own) < (FEWEST_WORDS if new else FEWEST_LEFT) or new > _INSTEAD:
            continue
        like = _most_alike(own, claim)
        if _figures_exchanged(own, like):
            return "figure_exchanged"
        for pair in (_difference(own, stated), _in_one_place(own, like)):
            if pair is not None and (code := _changed(claim, *pair)):
                return code
    return ""


def _most_alike(own: list[str], claim: ClaimInContext) -> list[str]:
    """Return the words of the shortest sentence of the evidence that has most of a claim's."""
    counted = Counter(own)
    return max(
        (_tokens(sentence.text) for sentence in claim.source_sentences),
        key=lambda words: ((counted & Counter(words)).total(), -len(words)),
        default=[],
    )


def _figures_exchanged(own: list[str], stated: list[str]) -> bool:
    """Return whether a sentence differs from another one in its figures alone, not in their units.

    Or in the order of its figures, units with them.
    """
    said, there = ([word for word in words if word[0].isdigit()] for words in (own, stated))
    if said == there:
        return False
    words, others = ([one for one in text if not one[0].isdigit()] for text in (own, stated))
    if len(said) == len(there) and words == others:
        return True
    plain, rest = ([one for one in text if one not in CANONICAL] for text in (words, others))
    return sorted(said) == sorted(there) and plain == rest


def _in_one_place(own: list[str], stated: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the words of two sentences between those that they begin and end with alike.

    None where these have words in common, or more than some are new. Of words left out the first
    ones say what they are.
    """
    most = min(len(own), len(stated))
    begin = next((n for n in range(most) if own[n] != stated[n]), most)
    rest = most - begin
    end = next((n for n in range(rest) if own[-1 - n] != stated[-1 - n]), rest)
    old, new = stated[begin : len(stated) - end], own[begin : len(own) - end]
    if max(len(new), len(old) if new else 0) > _INSTEAD or set(old) & set(new):
        return None
    if not new and len(old) > _INSTEAD and old[0] not in _OPENS:
        return None
    return old[:_INSTEAD], new


def _changed(claim: ClaimInContext, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the code of what some words for others, or for none, change; "" for nothing."""
    is_word = max(len(old), len(new)) <= 1
    code = _word_exchanged(claim, "".join(old), "".join(new)) if is_word else ""
    return code or _phrase_exchanged(claim, old, new)


def _word_exchanged(claim: ClaimInContext, old: str, new: str) -> str:
    """Return the code of what one word for another changes; "" for nothing."""
    one, other = (claim.drugs.ingredients(word) for word in (old, new))
    if one and other and one != other:
        return "drug_exchanged"
    stated, said = (read_concepts(word, claim.drugs)[:1] for word in (old, new))
    if any(a.family == b.family in _TURNS and a != b for a, b in zip(stated, said, strict=False)):
        return "role_exchanged"
    return _code(old, new)


def _phrase_exchanged(claim: ClaimInContext, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the code of what some words for others, or for none, change; "" for nothing."""
    if _made_firm(old, new):
        return "modality_changed"
    if not new and _PEOPLE.search(" ".join(old)):
        return "population_dropped"
    limits = _LIMIT.intersection(old) and (not new or _TAKES_IN.intersection(new))
    if limits or ("only" in old and not new):
        return "limit_dropped"
    if "at" in new:
        return ""  # "at most" is a bound
    said, stated = (read_concepts(" ".join(words), claim.drugs) for words in (new, old))
    keys = {c.key for c in stated}
    stronger = any(c.family in _STRENGTH and c.key not in keys for c in said)
    return "strength_exchanged" if stronger and stated else ""


def _made_firm(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether words that oblige or prove are in the place of some that allow or suggest."""
    if _WEAK.intersection(old):
        return not _WEAK.intersection(new)
    if not new:
        return False
    stated, said = (polarity(" ".join(words)).modality for words in (old, new))
    firm = "obligation" in said or bool(_FIRM.intersection(new))
    return firm and "permission" in stated and "permission" not in said


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
