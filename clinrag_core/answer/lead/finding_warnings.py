"""What labels warn of in those with a finding, where nothing says what to do on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.pairs import is_on_pair
from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.people import People

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

_ON_PAIRS = ("interactions", "contraindications")
SHOWN, MOST_READ = 2, 50
"""Statements shown, and those among which one on a pair is; by judgement."""


def warned_of(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return what labels warn of in those with a finding, where nothing says what to do on it.

    That G6PD deficiency makes hemolysis more likely is no advice, and must not be kept back; nor
    must what a label says of the very pair of drugs, or of one and the class of the other.
    """
    of_anyone = slots._replace(findings=(), people=People())
    chosen = [
        one
        for one in ranked[:MOST_READ]
        if slots.partners
        and one.statement.group in _ON_PAIRS
        and (
            is_on_pair(slots, statement_slots(one.statement, sources.drugs))
            or is_fit(of_anyone, one.statement, sources.drugs)
        )
    ][:SHOWN]
    for one in of_labels(slots, sources, (*WARNING_GROUPS, "warnings")) if slots.findings else ():
        has = read_findings(one.statement.said)
        is_met = any(asked.meets(found) for asked in slots.findings for found in has)
        if is_met and not any(says_same(one.statement, other.statement) for other in chosen):
            chosen.append(one)
    return chosen[:SHOWN]
