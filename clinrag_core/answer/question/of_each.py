"""Whether a question of two drugs asks of each, not how the two go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import asking_sentences
from clinrag_core.answer.question.joined_drugs import of_regimens
from clinrag_core.facts.people import read_people
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.facts.reader import Facts

_ON = lazy_re(r"\bon (?:[\w-]+ ){0,2}$")
_JOINED = lazy_re(r"\s*(?:\+|&|\band|\bplus|\bwith)\s+")
_PAIR = 2


def asks_of_each(facts: Facts) -> bool:
    """Return whether a question names two drugs, one right after the other, and asks of each.

    Somebody is on both, and whether to go on is asked: "on X + Y, platelets 20. Continue?". Or both
    are against tuberculosis, and the patient is pregnant or breastfeeds: "start X + Y, 12 weeks
    pregnant".
    """
    if len(facts.drugs) != _PAIR:
        return False
    first, second = facts.drugs
    folded = fold_chars(facts.text)
    if not _JOINED.fullmatch(folded, first.end, second.start):
        return False
    return _goes_on(facts, folded[: first.start]) or _is_for_mother(facts, folded)


def _goes_on(facts: Facts, before: str) -> bool:
    """Return whether it is asked if the drugs that somebody is on are continued."""
    asking = asking_sentences(facts.text)
    is_named = any(one.drugs for one in facts.sentences if one.text in asking)
    stops = slot_lexicon().aspects["stopping"].search(fold_chars(asking))
    return bool(not is_named and _ON.search(before) and stops)


def _is_for_mother(facts: Facts, folded: str) -> bool:
    """Return whether drugs against tuberculosis are for somebody pregnant or breastfeeding."""
    are_known = all(one.ingredients <= of_regimens() for one in facts.drugs)
    if not are_known or slot_lexicon().aspects["interaction"].search(folded):
        return False
    return not read_people(facts.text).conditions.isdisjoint(OF_MOTHERS)
