"""Takes two things apart that are asked of one subject: "side effects and interactions of X".

Each is looked up for itself: of both at once a text that says much of one is nearest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.slots import Aspect

_PAIR = r"(?P<first>[a-z][a-z -]{2,40}?),? (?:and|plus|&) (?:the )?(?P<second>[a-z][a-z -]{2,40}?)"
_JOINED = lazy_re(
    rf"\W*(?:(?:what|which) (?:is|are) (?:the )?)?{_PAIR}"
    r" (?P<subject>(?:of|for|in|with|on|to|during) .+)",
    re.IGNORECASE | re.DOTALL,
)
_HEADED = lazy_re(rf"\W*(?P<subject>[\w/-]+):? {_PAIR}\W*", re.IGNORECASE)
"""Two aspects before the one subject, or after it: "X dose and side effects"."""
_CHOICE: frozenset[Aspect] = frozenset({"regimen", "comparison"})
_TOGETHER = DOSING | _CHOICE
"""Aspects that one text gives together: a dose, how often, how long."""
_WARNINGS: frozenset[Aspect] = frozenset({"contraindication"})
_BOXED = lazy_re(r"\b(?:boxed|black[- ]box|box)\b", re.IGNORECASE)


def each_aspect(question: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return a question for each of two aspects that it asks of one subject; itself for one."""
    for form in (_JOINED, _HEADED):
        match = form.fullmatch(question)
        if match is None or not names_subject(read_slots(match["subject"], drugs)):
            continue
        pair = [read_slots(match[name], drugs) for name in ("first", "second")]
        if not any(map(names_subject, pair)) and _are_apart(*map(_aspects, pair)):
            begin, end = match.start("first"), match.end("second")
            around = question[:begin], question[end:]
            return tuple(match[name].join(around) for name in ("first", "second"))
    return (question,)


def _are_apart(first: frozenset[Aspect], second: frozenset[Aspect]) -> bool:
    """Return whether two phrases ask for things that no text gives together."""
    return bool(first and second) and first.isdisjoint(second) and not first | second <= _TOGETHER


def _aspects(phrase: QuestionSlots) -> frozenset[Aspect]:
    """Return what a phrase asks for; a boxed warning is what forbids."""
    return phrase.aspects | (_WARNINGS if _BOXED.search(phrase.text) else frozenset())


def names_subject(slots: QuestionSlots) -> bool:
    """Return whether a phrase names a drug, a regimen, a class or a disease."""
    return bool(slots.drugs or slots.partners or slots.regimens or slots.classes or slots.diseases)
