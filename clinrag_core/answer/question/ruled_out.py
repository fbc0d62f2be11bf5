"""Tells the drugs that somebody cannot take, which is why another one is asked about.

"She cannot take X or Y. Z instead?" asks about Z; "she cannot take X with Y?" about X with Y.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import Mention
    from clinrag_core.facts.reader import Facts

_REACH = 40
"""Characters before a drug that say that somebody cannot take it."""
_ASKS_WHETHER = lazy_re(r"\b(?:is|are|was|were)\s+(?:the\s+)?$")
"""What comes before a drug whose standing is asked: "is X not an option?"."""
_END = lazy_re(r"[.;!?](?=\s|$)|$")
_WITH = lazy_re(r"[^,;:.?!]*\b(?:with|alongside|plus|on|taking|receiving)\s+(?:[\w-]+\s+)?")
_BOTH = lazy_re(r"\s*(?:and|&|\+|/)\s*")
_TOGETHER = lazy_re(r"[^,;:.?!]*\b(?:together|combined|at the same time|simultaneously)\b")
_OR = lazy_re(r"\s*(?:/|\+|&|,?\s*(?:and|or|nor))\s*")
_COMMA = lazy_re(r"\s*,\s*")
_LISTED = lazy_re(r"\s*(?:[.;!?,/+&)]|$|\b(?:and|or|nor)\b)")
_IS_SUBJECT = lazy_re(r"\s+(?:is|are|was|were|has|may|can|could|should|would|will|seems?)\b")
"""What comes after a drug that something new is said of: "cannot take X and Y was suggested"."""


def ruled_out(facts: Facts) -> tuple[Mention, ...]:
    """Return the drugs that somebody cannot take, where a text asks about another one."""
    folded = fold_chars(facts.text)
    named = [one for one in facts.drugs if one.about != "resistance"]
    found: list[Mention] = []
    for mention in named:
        last = found[-1] if found else None
        if _cannot_take(named, folded, mention) or (last and _goes_on(folded, last, mention)):
            found.append(mention)
    return tuple(found) if len(found) < len(named) else ()


def _cannot_take(named: Sequence[Mention], folded: str, mention: Mention) -> bool:
    """Return whether a text says that somebody cannot take a drug, with or without others."""
    wordings = slot_lexicon().wordings
    before = folded[max(0, mention.start - _REACH) : mention.start]
    said_next = wordings.unable_next.match(folded, mention.end) and not _ASKS_WHETHER.search(before)
    if not (said_next or wordings.unable.search(before)):
        return False
    others = [one for one in named if one.ingredients != mention.ingredients]
    return not (len(others) == 1 and _is_with(folded, mention, others[0]))


def _is_with(folded: str, mention: Mention, other: Mention) -> bool:
    """Return whether a drug cannot be taken with the only other one that is named."""
    gap = folded[mention.end : other.start]
    is_both = _BOTH.fullmatch(gap) and _TOGETHER.match(folded, other.end)
    return bool(is_both or _WITH.fullmatch(gap))


def _goes_on(folded: str, last: Mention, mention: Mention) -> bool:
    """Return whether a drug goes on with a list of those that somebody cannot take.

    Behind a comma only in what does not ask: "she cannot take X, is Y better?".
    """
    between = folded[last.end : mention.start]
    if _IS_SUBJECT.match(folded, mention.end):
        return False
    if _OR.fullmatch(between):
        return True
    end = _END.search(folded, mention.end)
    is_stated = end is not None and end.group() != "?"
    return bool(is_stated and _COMMA.fullmatch(between) and _LISTED.match(folded, mention.end))
