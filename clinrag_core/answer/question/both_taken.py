"""Whether a question asks if the two drugs that somebody is on are continued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import asking_sentences
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.facts.reader import Facts

_ON = lazy_re(r"\bon (?:[\w-]+ ){0,2}$")
_WITH = lazy_re(r"\s*(?:\+|&|\band|\bplus|\bwith)\s+")
_PAIR = 2


def goes_on_with_both(facts: Facts, folded: str) -> bool:
    """Return whether it is asked if two drugs that somebody is on are continued.

    "On X + Y, platelets 20. Continue?" asks of each, not how the two go together.
    """
    asking = asking_sentences(facts.text)
    is_named = any(one.drugs for one in facts.sentences if one.text in asking)
    if len(facts.drugs) != _PAIR or is_named:
        return False
    first, second = facts.drugs
    are_taken = _ON.search(folded[: first.start]) and _WITH.fullmatch(
        folded, first.end, second.start
    )
    stops = slot_lexicon().aspects["stopping"].search(fold_chars(asking))
    return bool(are_taken and stops)
