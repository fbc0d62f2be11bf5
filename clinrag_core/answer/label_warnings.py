"""The warnings of labels that an answer always shows, whatever the ranking says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.companions import WARNING_GROUPS, safety_companions
from clinrag_core.answer.select import RankedStatement
from clinrag_core.answer.sources import is_quotable, turning_words
from clinrag_core.text.similarity import weighted_containment
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

SHOWN_WARNINGS = 2
LEAST_SHARED = 0.15
"""Share of a case's words, by weight, that a warning shown with it has at least: one of a dozen
rare words; by judgement."""


def label_warnings(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the warnings of labels that are shown whatever the ranking says."""
    if slots.is_case:
        return _case_warnings(slots, sources)
    if not slots.partners and not slots.people:
        return []
    known = {one.statement.id: one for one in ranked}
    for one in _label_warnings(slots, sources, WARNING_GROUPS):
        known.setdefault(one.statement.id, one)
    chosen = safety_companions(slots, [one.statement for one in known.values()], sources.drugs)
    return [known[statement.id] for statement in chosen]


def _case_warnings(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the warnings of the labels of a patient's drugs that speak of what the case does."""
    weights = turning_words(slots.text, sources.drugs, sources.idf)
    found = [
        (weighted_containment(weights, frozenset(key_stems(one.statement.said))), one)
        for one in _label_warnings(slots, sources, (*WARNING_GROUPS, "warnings", "interactions"))
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1].statement.order))
    return [one for share, one in found[:SHOWN_WARNINGS] if share >= LEAST_SHARED]


def _label_warnings(
    slots: QuestionSlots, sources: Sources, groups: Sequence[str]
) -> Iterator[RankedStatement]:
    """Yield the statements in some section groups of the labels of the drugs named."""
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    for engine in sources.engines:
        for base in engine.knowledge_bases.values():
            if base.statements is None:
                continue
            rows = base.statements.rows_of(named, groups)
            for statement in base.statements.statements(rows):
                if is_quotable(statement):
                    yield RankedStatement(statement, base.name, 0.0, 0.0)
