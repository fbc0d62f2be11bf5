"""Takes two things apart that are asked of one subject: "side effects and interactions of X".

Each is looked up for itself: of both at once a text that says much of one is nearest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.question.slots import read_slots

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.slots import Aspect

_JOINED = re.compile(
    r"(?P<before>\W*(?:(?:what|which) (?:is|are) (?:the )?)?)"
    r"(?P<first>[a-z][a-z -]{2,40}?),? (?:and|plus|&) (?:the )?(?P<second>[a-z][a-z -]{2,40}?)"
    r" (?P<tail>(?:of|for|in|with|on|to|during) .+)",
    re.IGNORECASE | re.DOTALL,
)
_CHOICE: frozenset[Aspect] = frozenset({"regimen", "comparison"})
_TOGETHER = DOSING | _CHOICE
"""Aspects that one text gives together: a dose, how often, how long."""
_WARNINGS: frozenset[Aspect] = frozenset({"contraindication"})
_BOXED = re.compile(r"\b(?:boxed|black[- ]box|box)\b", re.IGNORECASE)


def each_aspect(question: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return a question for each of two aspects that it asks of one subject; itself for one."""
    match = _JOINED.fullmatch(question)
    if match is None or not _names_subject(read_slots(match["tail"], drugs)):
        return (question,)
    pair = [read_slots(match[name], drugs) for name in ("first", "second")]
    if any(map(_names_subject, pair)):
        return (question,)
    first, second = (_aspects(one) for one in pair)
    if not (first and second) or first & second or first | second <= _TOGETHER:
        return (question,)
    before, tail = match["before"], match["tail"]
    return (f"{before}{match['first']} {tail}", f"{before}{match['second']} {tail}")


def _aspects(phrase: QuestionSlots) -> frozenset[Aspect]:
    """Return what a phrase asks for; a boxed warning is what forbids."""
    return phrase.aspects | (_WARNINGS if _BOXED.search(phrase.text) else frozenset())


def _names_subject(slots: QuestionSlots) -> bool:
    """Return whether a phrase names a drug, a regimen, a class or a disease."""
    return bool(slots.drugs or slots.partners or slots.regimens or slots.classes or slots.diseases)
