"""Reads how drugs relate to what is next to them: the noun behind a name, and ordered pairs.

"Phenytoin toxicity" is a fact about phenytoin; "rifabutin rather than rifampin" has a direction.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import Mention

_NEXT_WORD = lazy_re(
    r"[ -]((?:toxicity|levels?|concentrations?|exposure|auc|doses?|dosage|resistance|resistant|"
    r"hypersensitivity|allergy|clearance|absorption|elimination|excretion|"
    r"bioavailability|metabolism|metabolites?|monotherapy|therapy|"
    r"treatment|prophylaxis|tablets?|capsules?|injections?|overdose|poisoning)(?![^\W_]))",
    re.IGNORECASE,
)
_NOUN_OF = lazy_re(
    r"(?<![^\W_])(levels?|concentrations?|exposures?|auc|clearance|absorption"
    r"|metabolism|elimination|excretion|bioavailability) (?:of|to) (?:the )?$",
    re.IGNORECASE,
)
"""What comes before a drug in "exposure to midazolam"."""
_LEVEL, _LEVELS = "level", frozenset(key_stems("level levels concentration exposure auc"))
"""How much of a drug is in the body, whatever it is called."""
_DIRECTED = lazy_re(
    r"\b(?:over|than|instead of|rather than|in place of|replac\w+|substitut\w+|switch\w*"
    r"|followed by|before|after)\b"
)

_TURNED = lazy_re(r"\b(?:replaced|substituted) (?:by|with)\b")
"""In the passive the drug that comes in is named last."""


def nouns_of_drugs(text: str, mentions: Sequence[Mention]) -> dict[str, set[str]]:
    """Return each drug with the stems of the nouns said of it: behind it, or before its "of"."""
    nouns: dict[str, set[str]] = {}
    for mention in mentions:
        stems = nouns.setdefault(mention.name, set())
        before = _NOUN_OF.search(text, lookback(mention.start), mention.start)
        for match in (_NEXT_WORD.match(text, mention.end), before):
            if match:
                found = key_stems(match.group(1))
                stems.update(_LEVEL if stem in _LEVELS else stem for stem in found)
    return nouns


def ordered_pairs(
    text: str, mentions: Sequence[Mention]
) -> set[tuple[frozenset[str], frozenset[str]]]:
    """Return neighbouring drugs with a word between them that makes their order count."""
    lower = text.lower()
    pairs: set[tuple[frozenset[str], frozenset[str]]] = set()
    for one, other in pairwise(mentions):
        if _DIRECTED.search(lower, one.end, other.start):
            turned = _TURNED.search(lower, one.end, other.start)
            first, last = (other, one) if turned else (one, other)
            pairs.add((first.ingredients, last.ingredients))
    return pairs
