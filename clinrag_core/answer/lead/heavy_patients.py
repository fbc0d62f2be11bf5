"""By which weight a label has a dose worked out for somebody obese, or very heavy.

So many milligrams per kilogram of what somebody of 150 kg weighs may be twice the dose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

HEAVY = 120.0
"""Kilograms from which an adult of any usual height is obese: a body mass index of 30 kg/m² (WHO
2000) at 2.00 m."""
_OBESE = lazy_re(
    r"\b(?:obes\w+|bariatric|bmi (?:is |of |over |above |[>=:~] ?)*(?:3[0-9]|[4-9][0-9]))\b"
)
_WEIGHT = lazy_re(
    r"\bobes\w+|\b(?:lean|ideal|adjusted) body (?:weight|mass)\b|\btotal body weight\b|\bibw\b"
)
_GIVES = lazy_re(r"\bdos(?:e|es|age|ages|ing)\b|\badminister\w*")
_GROUPS = ("dosage", "warnings", "specific_populations")


def weight_to_dose_by(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what a label says of the weight that a dose is for, if somebody heavy is to get it.

    At most one statement, of the dosage section if it has one.
    """
    is_heavy = any(one.low >= HEAVY for one in slots.people.weights)
    is_heavy = is_heavy or _OBESE.search(fold_chars(slots.text)) is not None
    if not (slots.asks_dosing and slots.drugs and is_heavy):
        return []
    found = (
        one
        for group in _GROUPS
        for one in of_labels(slots, sources, (group,))
        if _says_weight(fold_chars(one.statement.said))
    )
    return [one for one in [next(found, None)] if one is not None]


def _says_weight(said: str) -> bool:
    return _WEIGHT.search(said) is not None and _GIVES.search(said) is not None
