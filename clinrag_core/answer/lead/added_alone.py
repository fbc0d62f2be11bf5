"""One drug added to a regimen: what guidelines and labels say against it.

Strains that outlive a failing regimen learn to resist the one new drug, whatever its label allows;
and what is advised against adding for a resistance has no dose there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asks
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.answer.sources import RankedStatement, guideline_statements
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.resistance import read_resistance
from clinrag_core.lexicon.drugs import field_drugs
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

SHOWN = 1
_TUBERCULOSIS = "tuberculosis"
_FAILING = ("failing", "failed")
_ADDED = ("add", "added")
"""Words by which the advice of guidelines is looked up."""
_TWO = lazy_re(r"\badd(?:ed|ing)? [\w-]+(?: and| plus| or|,| \+) [\w-]+")
_ONE = lazy_re(r"\b(?:one|a|another|single|new) (?:\w+ )?(?:drug|agent|medicine)\b")
_FAILS = lazy_re(
    r"\bfail\w*|\bnot (?:\w+ )?(?:responding|converting)\b|\bno (?:response|conversion)\b"
    r"|\b(?:still|remains?|again) (?:\w+ ){0,2}(?:positive|pos)\b"
    r"|\b(?:positive|pos) (?:at|after|in|by) (?:the end of )?(?:month )?(?:[4-9]|1\d)\b"
)
_WARNS = lazy_re(
    r"\badd(?:ing|ed|ition)?\b[^.;]{0,40}\b(?:single|sole|only one)\b[^.;]{0,60}\bfail\w*"
)
_NOT_ADDED = lazy_re(
    r"\bnot (?:be )?(?:recommended|advised|advisable) to add\b|\b(?:should|must) not be added\b"
)


def added_alone(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what says that one drug must not be added to a failing regimen, if that is asked.

    By the label of the drug, or by guidelines where tuberculosis is treated; empty where several
    drugs are to be added, or nothing fails.
    """
    folded = fold_chars(slots.text)
    named = len(slots.drugs) or len(slots.classes)
    is_one = named == 1 or (not named and _ONE.search(folded))
    is_added = asks(slots.text, "adds") and not _TWO.search(folded)
    if not (is_one and is_added and _FAILS.search(folded)):
        return []
    found = [
        one
        for one in of_labels(slots, sources, (*WARNING_GROUPS, "warnings"))
        if _WARNS.search(fold_chars(one.statement.said))
    ]
    is_of_field = _TUBERCULOSIS in slots.diseases or bool(slots.regimens)
    if is_of_field and not any(drug - field_drugs() for drug in slots.drugs):
        found += [
            RankedStatement(statement, base, 0.0, 0.0)
            for base, statement in guideline_statements(_FAILING, sources.engines)
            if _WARNS.search(fold_chars(statement.said))
            and diseases(fold_chars(statement.said)) <= {_TUBERCULOSIS}
        ]
    return found[:SHOWN]


def not_added_for_resistance(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the guideline's advice against adding the drug asked about for a resistance.

    Empty where no single drug is added, or its advice is on strains that resist other drugs.
    """
    resistance = slots.resistance
    if len(slots.drugs) != 1 or not resistance.to or not asks(slots.text, "adds"):
        return []
    drug = slots.drugs[0]
    return [
        RankedStatement(statement, base, 0.0, 0.0)
        for base, statement in guideline_statements(_ADDED, sources.engines)
        if _NOT_ADDED.search(fold_chars(statement.said))
        and drug <= statement_slots(statement, sources.drugs).said_drugs
        and resistance.to == read_resistance(fold_chars(statement.said)).to
    ][:SHOWN]
