"""Doses as far apart as a question asks: what guidelines advise against them, and for whom.

An older text that allowed "twice weekly" is near in words; what came of it is in the newer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import names_class_of
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.facets import names_hiv
from clinrag_core.answer.sources import RankedStatement, guideline_statements
from clinrag_core.facts.quantities import quantities
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.model.statement import IndexedStatement

SHOWN = 1
_WORDS = ("weekly", "intermittent")
"""Words by which the advice of guidelines is looked up."""
_A_WEEK = ("week",)
_AGAINST = lazy_re(
    r"\b(?:should|must) not (?:be|receive|have)\b|\b(?:is|are) not recommended\b|\bavoid\w*\b"
)
_LATENT = frozenset({"latent"})


def spaced_doses(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return a guideline's advice against doses of a drug so many times a week, if they are asked.

    By the drug's name or class, or under a title with it; for people with HIV only where they are
    asked about; of the newest, what says most. Empty for latent infection, which has weekly
    regimens of its own.
    """
    asked = _times_a_week(slots.text)
    if not (asked and slots.drugs) or slots.regimens or _LATENT & slots.facet("stage"):
        return []
    is_on_hiv = names_hiv(slots.text)
    found = [
        RankedStatement(statement, base, 0.0, 0.0)
        for base, statement in guideline_statements(_WORDS, sources.engines)
        if _is_against(statement, asked)
        and (is_on_hiv or not names_hiv(statement.said))
        and any(_names(drug, statement, sources) for drug in slots.drugs)
    ]
    found.sort(key=lambda one: (-(one.statement.year or 0), -len(one.statement.said)))
    return found[:SHOWN]


def _is_against(statement: IndexedStatement, asked: Sequence[Quantity]) -> bool:
    """Return whether a statement is against doses as often a week as one of those asked."""
    if _AGAINST.search(fold_chars(statement.said)) is None:
        return False
    said = _times_a_week(statement.said)
    return any(
        one.values[0] <= often.values[0] and often.values[-1] <= one.values[-1]
        for one in said
        for often in asked
    )


def _times_a_week(text: str) -> list[Quantity]:
    """Return how many times a week a text names: "once- or twice-weekly" as a range."""
    return [one for one in quantities(text) if one.kind == "frequency" and one.per == _A_WEEK]


def _names(drug: frozenset[str], statement: IndexedStatement, sources: Sources) -> bool:
    """Return whether a statement or its titles name a drug or its class, not for latent infection.

    A class under which the text names other drugs is not enough.
    """
    own = statement_slots(statement, sources.drugs)
    if own.facet("stage") == _LATENT:
        return False
    said = own.said_drugs
    titles = fold_chars(" ".join((statement.said, *statement.headings, statement.document_title)))
    return drug <= said or (not said and names_class_of(drug, titles))
