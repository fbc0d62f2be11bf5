"""The warnings of labels that an answer always shows, whatever the ranking says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.companions import WARNING_GROUPS, safety_companions
from clinrag_core.answer.select import RankedStatement
from clinrag_core.answer.sources import is_quotable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources


def label_warnings(
    slots: QuestionSlots, ranked: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the warnings of labels that are shown whatever the ranking says."""
    if not slots.partners and not slots.people:
        return []
    known = {one.statement.id: one for one in ranked}
    for one in _label_warnings(slots, sources, WARNING_GROUPS):
        known.setdefault(one.statement.id, one)
    chosen = safety_companions(slots, [one.statement for one in known.values()], sources.drugs)
    return [known[statement.id] for statement in chosen]


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
