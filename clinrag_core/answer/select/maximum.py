"""The highest dose, where that is asked for: statements that give it, or that none does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import PROSE
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.subject import name_of
from clinrag_core.facts.highest_doses import states_highest_dose
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement

_START = lazy_re(r"\b(?:start|initial|usual|precaution|monitor)")
"""What asks for more than the highest dose: what else is found stays."""
TOTAL = lazy_re(r"\btotal dose of (?:not more than |up to )?\d")
"""What begins the amount of a whole course."""
_OF_STUDIES = ("clinical_pharmacology", "clinical_studies", "nonclinical_toxicology")
"""Section groups of a label whose highest figures are those of studies."""


def with_maximum(fitting: list[RankedStatement], slots: QuestionSlots) -> list[RankedStatement]:
    """Return the statements that state a maximum, where that alone is asked for and any does.

    That of the very people comes first: "not more than 300 mg over 75 years".
    """
    if not _asks_maximum(slots):
        return fitting
    found = [one for one in fitting if _states_maximum(one, slots)]
    best = max((one.score for one in found), default=0.0)
    prose = (one for one in found if one.statement.statement_kind in PROSE)
    theirs = [one for one in prose if names_them(slots, one.statement.said)]
    rest = [one for one in found if one not in theirs]
    return [*(one._replace(score=best) for one in theirs), *rest] or fitting


def no_maximum(slots: QuestionSlots, fitting: Sequence[RankedStatement]) -> str:
    """Return that the statements give the usual dose of a drug and no maximum; empty otherwise."""
    if not (fitting and slots.drugs and _asks_maximum(slots)):
        return ""
    if any(_states_maximum(one, slots) for one in fitting):
        return ""
    drugs = " or ".join(name_of(one) for one in slots.drugs)
    return f"No statement found names a maximum dose of {drugs}; what is recommended is shown."


def _asks_maximum(slots: QuestionSlots) -> bool:
    wordings = slot_lexicon().wordings
    folded = wordings.asks_longest.sub(" ", fold_chars(slots.text))
    asked = wordings.maximum.search(folded) or wordings.asks_maximum.search(folded)
    return asked is not None and not _START.search(folded)


def _states_maximum(one: RankedStatement, slots: QuestionSlots) -> bool:
    """Return whether a statement has a highest amount, or time where the question names one."""
    by_time = slot_lexicon().wordings.names_time.search(fold_chars(slots.text)) is not None
    is_of_study = one.statement.group in _OF_STUDIES
    return not is_of_study and states_highest_dose(one.statement.said, or_time=by_time)
