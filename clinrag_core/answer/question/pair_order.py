"""Which of two drugs comes and which goes: starting one on the other is not the reverse.

"On X, needs Y" is no "start X in a patient on Y"; when an inducer is stopped the other drug rises,
which is the opposite of what is said of giving both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.question.absent_drugs import is_absent
from clinrag_core.answer.question.asking import CACHED_QUESTIONS, asks
from clinrag_core.answer.question.roles import REACH, is_taken
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts

_ENDS = lazy_re(
    r"\b(?:stop(?:s|ped|ping)?|finish(?:es|ed|ing)?|complet(?:es|ed|ing)|com(?:es?|ing) off"
    r"|discontinu\w+|off)\s+(?:(?:the|her|his|their|my|all|a|an|course of)\s+)*$"
    r"|\b(?:her|his|the|their|my)\s+(?:last|final)\s+(?:(?:dose|tablet|capsule|injection)s?\s+of\s+)?$"
)
"""What is said right before a drug whose treatment ends."""
_ENDED = lazy_re(
    r"\s+(?:(?:is|was|has been|(?:has )?had to be|will be|being)\s+)?"
    r"(?:stopped|finished|completed|ends?)\b"
)
_IT_ENDS = lazy_re(
    r"\b(?:after|once|when)\s+(?:s?he (?:has )?)?"
    r"(?:(?:stop|finish|complet|discontinu)\w*|com(?:es?|ing) off)\s+"
    r"(?:it|them|the (?:drug|inducer|course|treatment|tablets))\b"
)
"""The same of the one drug that is named before."""
_COMES = lazy_re(
    r"\b(?:needs?|requires?|wants?|start(?:s|ed|ing)?|begin(?:s|ning)?|add(?:s|ed|ing)?|initiat\w+"
    r"|(?:put|going) on)\s+(?:(?:to|start|the|a|an|her|his|urgent|urgently|on)\s+)*$"
)
_IS_COMING = lazy_re(
    r"\s+(?:is|will be|would be|has to be)\s+(?:(?:the|now|urgently|badly|then|to be)\s+)*"
    r"(?:only\s+(?:option|choice|drug)|needed|required|planned|proposed)\b"
)
"""What is said right before, or right after, a drug that is about to be given."""
_STARTED_ON = lazy_re(
    r"\b(?:start(?:ing|ed)?|initiat\w+|begin(?:ning)?|begun)\b(?P<new>[^.;:]{0,60}?)"
    r"\b(?:in|to|for)\s+(?:an?\s+|any\s+)?(?:patients?|people|persons?|those)\b"
    r"[^.;:]{0,30}?\b(?:treated with|taking|receiving|on)\b(?P<taken>[^.;:]{0,80})"
)
_STOPPING = lazy_re(
    r"\b(?:discontinu\w+|stopp\w+|withdraw\w+|cessation)\b(?P<after>[^.;,:]{0,40})"
    r"|(?P<before>[^.;,:]{0,40}?)\b(?:(?:is|are|was|were|has been|have been)\s+)"
    r"(?:\w+ly\s+)?(?:discontinued|stopped|withdrawn)\b"
)
SWITCH = lazy_re(
    r"\b(?:switch|convert|conversions? (?:from|to)|chang|transition|transfer|swap)\w*\b"
)
"""Going over from one drug to another."""
_REPLACED = lazy_re(
    r"\b(?:discontinu\w+|stop\w*)\b(?P<old>[^.;]{0,60}?)"
    r"\b(?:begin|start|initiat)\w*\b(?P<new>[^.;]{0,80})"
)
"""The same without the word: "discontinue X and begin Y"."""
PAIR = 2


def tells_switch(slots: QuestionSlots, said: str, drugs: DrugLexicon) -> bool | None:
    """Return whether a text says how one drug takes the place of another, where that is asked.

    "Switching from X to Y" says nothing of the way back (False), nor of other drugs (None).
    """
    asked = _switched(slots.text, drugs)
    stated = asked and _switched(said, drugs)
    if not stated or (asked != stated and asked != stated[::-1]):
        return None
    return asked == stated


def _switched(text: str, drugs: DrugLexicon) -> tuple[frozenset[str], ...]:
    """Return the drug that another takes the place of, and that one; nothing without a switch."""
    folded = fold_chars(text)
    found = SWITCH.search(folded)
    if found is None:
        replaced = _REPLACED.search(folded)
        pair = [drugs.ingredients(replaced[name]) for name in ("old", "new")] if replaced else []
        return tuple(pair) if all(pair) else ()
    drugs_named = read_facts(text, drugs).drugs
    named = [one for one in drugs_named if one.about == "drug" and not is_absent(folded, one)]
    if len(named) < PAIR:
        return ()
    after = [one for one in named if one.start > found.end()]
    pair = after if len(after) >= PAIR else [named[0], *after]  # "on X, is to change to Y"
    return tuple(one.ingredients for one in pair[:PAIR]) if len(pair) >= PAIR else ()


def ending(sentences: Iterable[Facts]) -> frozenset[str]:
    """Return the ingredients whose treatment ends, as some sentences say."""
    found: set[str] = set()
    for facts in sentences:
        folded = fold_chars(facts.text)
        named = {one.ingredients for one in facts.drugs}
        if len(named) == 1 and _IT_ENDS.search(folded):
            found = found.union(*named)
        for one in facts.drugs:
            before = folded[max(0, one.start - REACH) : one.start]
            if _ENDS.search(before) or _ENDED.match(folded, one.end):
                found |= one.ingredients
    return frozenset(found)


def is_on_ending(slots: QuestionSlots, said: str, drugs: DrugLexicon) -> bool:
    """Return whether a text says what to do when just the drug of a pair that ends is stopped.

    By its name, or as an inducer or inhibitor of enzymes.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    ends = ending([read_facts(slots.text, drugs)]) & named
    asks_pill = asks(slots.text, "contraception")
    if not ends or (ends == named and not asks_pill):
        return False  # nothing else is taken
    effects = {name for name, of in slot_lexicon().enzyme_effects.items() if of & ends}
    for match in _STOPPING.finditer(fold_chars(said)):
        stopped = match["after"] or match["before"] or ""
        if any(name in stopped for name in (*effects, *ends)):
            return True
    return False


def starts_other_way(slots: QuestionSlots, said: str, drugs: DrugLexicon) -> bool:
    """Return whether a text is on starting the drug that is taken, in people on the one to come."""
    taken, coming = _taken_and_coming(slots.text, drugs)
    if not taken or not coming:
        return False
    for match in _STARTED_ON.finditer(fold_chars(said)):
        new, on = (drugs.ingredients(match[name]) for name in ("new", "taken"))
        if new & taken and on & coming:
            return True
    return False


@lru_cache(maxsize=CACHED_QUESTIONS)
def _taken_and_coming(text: str, drugs: DrugLexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ingredients that a question says are taken, and those about to be given."""
    folded = fold_chars(text)
    taken, coming = set[str](), set[str]()
    for one in read_facts(text, drugs).drugs:
        if is_taken(folded, one):
            taken |= one.ingredients
        before = folded[max(0, one.start - REACH) : one.start]
        if _COMES.search(before) or _IS_COMING.match(folded, one.end):
            coming |= one.ingredients
    return frozenset(taken), frozenset(coming - taken)
