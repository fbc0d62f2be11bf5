"""Checks of the question gate that its tests share: a statement fits, misfits or qualifies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.question_gate import each_misfit, is_fit, misfits
from clinrag_core.answer.question.slots import read_slots

if TYPE_CHECKING:
    from clinrag_core.answer.fit.misfit import Misfit
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

QUALIFY = frozenset({"partner", "phase"})
"""Slots of dosing advice that may be a special case of the question: a partner, another phase."""


def found_misfits(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> tuple[Misfit, ...]:
    """Return the slots in which a statement does not fit a question.

    Fails if reading them one by one, to stop at the first that rejects, finds others.
    """
    slots = read_slots(question, drugs)
    found = misfits(slots, quoted, drugs)
    one_by_one = list(each_misfit(slots, quoted, drugs))
    rejects = any(not one.is_qualifier for one in found)
    assert set(found) == set(one_by_one) or (rejects and set(found) < set(one_by_one))
    assert is_fit(slots, quoted, drugs) == (not found)
    return found


def check_fit(question: str, quoted: IndexedStatement, drugs: DrugLexicon) -> None:
    """Fail unless a statement may be the direct answer, or names a partner or phase as well."""
    found = found_misfits(question, quoted, drugs)
    assert [one for one in found if not (one.is_qualifier and one.slot in QUALIFY)] == []


def check_misfit(question: str, quoted: IndexedStatement, slot: str, drugs: DrugLexicon) -> None:
    """Fail unless a statement is dropped by a slot."""
    found = found_misfits(question, quoted, drugs)
    assert slot in {one.slot for one in found if not one.is_qualifier}


def check_qualifier(question: str, quoted: IndexedStatement, drugs: DrugLexicon) -> None:
    """Fail unless a statement is a special case: never the direct answer, not dropped either."""
    found = found_misfits(question, quoted, drugs)
    assert found
    assert all(one.is_qualifier for one in found)
