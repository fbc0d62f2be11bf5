"""What a question's figures of a patient come to, or cannot be: said before the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.creatinine import estimated_clearance

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots

HEAVIEST_EVER, OLDEST_EVER = 350, 120
"""Kilograms and years above which a figure is taken for a slip, by judgement."""


def implausible(slots: QuestionSlots) -> str:
    """Return what to check of a patient's age or weight that no patient has; else nothing."""
    for of, limit, unit, some in (
        ("weight", HEAVIEST_EVER, "kg", slots.people.weights),
        ("age", OLDEST_EVER, "years", slots.people.ages),
    ):
        for one in some:
            if one.low > limit:
                written = slots.text[one.start : one.end]
                return f"The {of}, {written}, would be {one.low:g} {unit}; check it and its unit."
    return ""


def estimated_kidneys(slots: QuestionSlots) -> str:
    """Return the creatinine clearance that was estimated from the figures of a question."""
    people = slots.people
    estimate = estimated_clearance(slots.text, people.ages, people.weights)
    if estimate is None or estimate not in people.kidney:
        return ""
    written = slots.text[estimate.start : estimate.end]
    return (
        f"With {written}, the age, the weight and the sex given, creatinine clearance is about "
        f"{estimate.low:g} mL/min (Cockcroft-Gault)."
    )
