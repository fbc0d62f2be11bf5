"""Finds a share of one thing that a claim makes a share of another.

"80 % of the patients had smoked" is not "80 % of the smokers were patients". Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.concepts import FIGURE, JOINING, WORD
from clinrag_core.lexicon.roles import general_stems
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.facts.concepts import Concept

Keys = frozenset[tuple[str, str]]

_SHARE = lazy_re(r"\d ?%(?: of)?(?: all)?(?: the| these| those)?\s+(?=[a-z])", re.IGNORECASE)
_LEADING = lazy_re(r"^(?:of|among|in) (?P<of>[^,;]*), (?:[\w.]+ ){0,3}?\d[\d.]* ?%", re.IGNORECASE)
"""What a share is of, before it: "of the deaths, 70 %"."""
_WHO = lazy_re(r"(?:[a-z]+ )?(?:who (?:have|had|are|were)|with|having)\b", re.IGNORECASE)
_VERB = lazy_re(
    r"[,;]|(?<!\b[A-Z])\.(?=\s|$)|\b(?:have|has|had|is|are|was|were|do|does|did|can|may|should|must|need\w*|get|gets|got"
    r"|occur\w*|die[sd]?|develop\w*|progress\w*|report\w*|experienc\w+|receiv\w+|surviv\w+"
    r"|relaps\w+|recover\w*|become|became|show\w*|respond\w*|test\w*|live\w*|arise\w*|arose|come"
    r"|came|stem\w*|result\w*|belong\w*|follow\w*|take\w*|took|need\w*|start\w*|complet\w+|stop\w*"
    r"|return\w*|from|because|after|before|when|if|by)\b",
    re.IGNORECASE,
)


class _Share(NamedTuple):
    """What a percentage is a share of, and what is so of the share."""

    whole: Keys
    rest: Keys


def share_turned(pair: AlignedSentences) -> list[str]:
    """Return what a claim takes a share of, where its evidence says it of the share."""
    said, stated = _share_of(pair.said, pair.claim), _share_of(pair.stated, pair.text)
    if said is None or stated is None:
        return []
    turned = said.whole & (stated.rest - stated.whole)
    kept = said.whole & (stated.whole - stated.rest)
    return sorted(value for _, value in turned) if len(turned) > len(kept) else []


def _share_of(sentence: Sequence[Concept], text: str) -> _Share | None:
    """Return the share of a sentence that has one percentage; None of any other."""
    found = list(_SHARE.finditer(text))
    if text.count("%") != 1:
        return None
    if leading := _LEADING.search(text):
        begin, end = leading.span("of")
    elif found:
        begin = found[0].end()
        who = _WHO.match(text, begin)
        verb = _VERB.search(text, who.end() if who else begin)
        end = verb.start() if verb else len(text)
    else:
        return None
    content = [c for c in sentence if _says(c)]
    whole = frozenset(c.key for c in content if begin <= c.start < end)
    rest = frozenset(c.key for c in content if not begin <= c.start < end)
    return _Share(whole, rest) if whole else None


def _says(concept: Concept) -> bool:
    if concept.family == WORD:
        return len(concept.value) > 1 and concept.value not in general_stems()
    return concept.family != JOINING and not (
        concept.family == FIGURE and "percent" in concept.value
    )
