"""Where an answer's statements come from, and which of them may be quoted at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.model_orders import gives_orders

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement, Unfit
    from clinrag_core.retrieve.engine import SearchEngine

_NEVER_QUOTED: frozenset[Unfit] = frozenset(
    {"unsure_binding", "incomplete", "furniture", "apparatus"}
)


class Sources(NamedTuple):
    """Where statements come from: the engines, their drugs, the weights of words."""

    engines: Sequence[SearchEngine]
    drugs: DrugLexicon
    idf: Mapping[str, float]


def is_quotable(statement: IndexedStatement) -> bool:
    """Return whether a statement says something by itself, whatever is asked."""
    return (
        _NEVER_QUOTED.isdisjoint(statement.unfit)
        and statement.statement_kind not in ("note", "lead_in")
        and not gives_orders(statement.said)
    )
