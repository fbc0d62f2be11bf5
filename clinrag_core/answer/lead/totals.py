"""The most of a drug that a label allows in all, where a patient has had much of it so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.lead.label_warnings import distinct
from clinrag_core.answer.question.asking import says_so_far
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.facts.highest_doses import states_highest_dose
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

GROUPS = ("boxed_warning", "contraindications", "dosage", "warnings")
MOST = 2
"""Statements that lead, by judgement: a label repeats its limit."""
_TOTAL = lazy_re(
    r"\b(?:cumulative|lifetime|total)\b(?! daily)(?![^.;]{0,60}\b(?:per|a|each|every) day\b)"
    r"[^.;]{0,60}?\bdose\b(?![^.;]{0,40}\bdaily\b)[^.;]{0,40}?\d"
)
_OF_OTHERS = frozenset({"subject", "product", "indication"})


def totals_allowed(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what labels say of the most in all of a drug; nothing where no amount had is given.

    Whatever else was found in the patient: a good heart allows no dose above the limit.
    """
    if not (slots.drugs and says_so_far(slots.text)):
        return []
    prohibits = slot_lexicon().wordings.prohibits
    found = [
        one
        for one in of_labels(slots, sources, GROUPS)
        for said in [fold_chars(one.statement.said)]
        if _TOTAL.search(said) and (prohibits.search(said) or states_highest_dose(said))
        if not any(
            misfit.slot in _OF_OTHERS for misfit in each_misfit(slots, one.statement, sources.drugs)
        )
    ]
    found.sort(key=lambda one: GROUPS.index(one.statement.group or GROUPS[-1]))
    shown = distinct(found)[:MOST]
    of_them = [
        one
        for one in of_labels(slots, sources, GROUPS)
        if shown
        and one.statement.document_id in {limit.statement.document_id for limit in shown}
        and names_them(slots, one.statement.said)
        and not any(each_misfit(slots, one.statement, sources.drugs))
    ]
    return distinct([*shown, *of_them])[: MOST + 1]
