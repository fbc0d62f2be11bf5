"""Chooses the warnings that are shown with every answer on a drug for some people or with a partner.

A contraindication or boxed warning of the label for the population or partner asked about must not
depend on how a ranking ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit_people import is_about
from clinrag_core.answer.fit_subject import involves
from clinrag_core.answer.statement_slots import statement_slots
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.statement_slots import StatementSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

SHOWN = 2
WARNING_GROUPS = ("contraindications", "boxed_warning")
"""Section groups of a label that warn, the strongest first."""


def safety_companions(
    slots: QuestionSlots, statements: Iterable[IndexedStatement], drugs: DrugLexicon
) -> tuple[IndexedStatement, ...]:
    """Return up to two warnings on the drugs asked for the people or partner asked about.

    `statements` are those of the labels of the drugs and partners named; others are passed over.
    Contraindications come first, then boxed warnings, then sentences that forbid or advise against.
    """
    ranked: list[tuple[int, int, IndexedStatement]] = []
    for statement in statements:
        if statement.unfit or statement.statement_kind in {"note", "lead_in"}:
            continue
        own = statement_slots(statement, drugs)
        rank = _rank(own)
        if rank is not None and _concerns(slots, own):
            ranked.append((rank, statement.order, statement))
    ranked.sort(key=lambda one: one[:2])
    return tuple(one for _, _, one in ranked[:SHOWN])


def _rank(own: StatementSlots) -> int | None:
    """Return how strong a warning is, 0 the strongest; None if it is no warning."""
    group = own.statement.group
    forbids = slot_lexicon().wordings.prohibits.search(fold_chars(own.statement.said)) is not None
    if group in WARNING_GROUPS:
        return WARNING_GROUPS.index(group)
    return len(WARNING_GROUPS) if forbids else None


def _concerns(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a warning is about a drug asked, with a partner or people asked."""
    asked = [*slots.drugs, *(ingredients for _, ingredients in slots.regimens)]
    named = [one for one in asked if one & own.label or (not own.label and one <= own.said_drugs)]
    pair = [*asked, *slots.partners]
    if slots.partners and any(one & own.label or one <= own.said_drugs for one in asked):
        if any(involves(own, p, own.said_drugs) for p in slots.partners):
            return True
    if slots.partners and any(p <= own.label for p in slots.partners):
        if any(involves(own, one, own.said_drugs) for one in pair if not one & own.label):
            return True
    return bool(named) and is_about(slots, own)
