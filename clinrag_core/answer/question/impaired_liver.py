"""A patient whose liver something else harmed, as one with an impaired liver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.people import DECOMPENSATED
from clinrag_core.lexicon.drugs import field_drugs
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots

_HARM = frozenset({"liver_injury", "jaundice", "active_liver_disease"})
_IMPAIRED = "hepatic impairment"


def with_impaired_liver(slots: QuestionSlots) -> str:
    """Return a question on a drug with "hepatic impairment" for what is said of a patient's liver.

    With severe impairment where it is decompensated: what is for the worse of two degrees decides.

    Empty where nothing harmed it, or where a drug against tuberculosis or pneumonia is named: of
    these it is asked whether to stop what may have done it.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    harms = [one for one in slots.findings if one.name in _HARM and not one.is_measured]
    if not harms or not slots.drugs or named & field_drugs():
        return ""
    text = slots.text
    impaired = f"severe {_IMPAIRED}" if DECOMPENSATED.search(fold_chars(text)) else _IMPAIRED
    for one in sorted(harms, key=lambda harm: -harm.start):
        text = f"{text[: one.start]}{impaired}{text[one.end :]}"
    return text
