"""What the labels of drugs say, section group by section group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.sources import RankedStatement, is_quotable, statement_bases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.drugs import DrugLexicon

WARNING_GROUPS = ("contraindications", "boxed_warning")
"""Section groups of a label that warn, the strongest first."""


def of_labels(
    slots: QuestionSlots, sources: Sources, groups: Sequence[str]
) -> Iterator[RankedStatement]:
    """Yield what may be quoted from some section groups of the labels of the drugs named.

    Of a drug that has a label of its own not what labels of other products with it say: a tablet of
    three drugs may be forbidden with what one of two is only advised against.
    """
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    for one in label_statements(named, sources, groups):
        if is_quotable(one.statement) and not is_of_other_product(slots, one, sources.drugs):
            yield one


def is_of_other_product(slots: QuestionSlots, one: RankedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a label is of another product with drugs asked about that have their own."""
    own = frozenset(one.statement.ingredients)
    shared = [drug for drug in (*slots.drugs, *slots.partners) if drug & own]
    return bool(shared) and own not in shared and all(map(drugs.is_product, shared))


def label_statements(
    named: frozenset[str], sources: Sources, groups: Sequence[str]
) -> Iterator[RankedStatement]:
    """Yield all that some section groups of the labels with some drugs say."""
    for base, index in statement_bases(sources.engines):
        for statement in index.statements(index.rows_of(named, groups)):
            yield RankedStatement(statement, base.name, 0.0, 0.0)
