"""Boosts: passages of the sections and tables a question asks for count more.

Formulas: section boosting adds alpha = 0.12 to a cosine (seed 000); intents and tables multiply a
fused score by 1 + 2 * confidence, capped at 3 (seed 002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.lexicon.intents import intent_lexicon
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.lexicon.intents import Intent

MAX_MULTIPLIER = 3.0
"""What confidence 1 gives; several boosts of one passage give no more."""


class Boost(Record):
    """One boost of a passage. `section` adds `value` to the cosine, the others multiply."""

    kind: Literal["section", "intent", "table"]
    name: str
    value: float


class Traits(NamedTuple):
    """The properties of a passage that its boosts depend on."""

    group: str | None
    intents: frozenset[Intent]
    """Intents that its section answers."""
    has_table: bool


class TraitTable:
    """Traits of the passages of a knowledge base; sections are classified on first use."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base
        self._paths = base.table.column("section_path")
        self._groups: list[str | None] = base.table.column("group").to_pylist()
        self._tables: list[bool] = base.table.column("has_table").to_pylist()
        self._intents: dict[tuple[str | None, str], frozenset[Intent]] = {}
        self._traits: dict[int, Traits] = {}

    def of(self, chunk_id: str) -> Traits:
        """Return the traits of one passage; KeyError if it is not in the knowledge base."""
        row = self._base.row(chunk_id)
        known = self._traits.get(row)
        if known is None:
            group = self._groups[row]
            heading = " › ".join(part for part in self._paths[row].as_py() if part).casefold()
            known = Traits(group, self._answered(group, heading), self._tables[row])
            self._traits[row] = known
        return known

    def _answered(self, group: str | None, heading: str) -> frozenset[Intent]:
        """Return the intents a section answers, by its group in a label, else by its headings."""
        key = (group, heading if group is None else "")
        if key not in self._intents:
            self._intents[key] = frozenset(
                rule.name
                for rule in intent_lexicon().intent
                if (group in rule.groups if group is not None else rule.headings.search(heading))
            )
        return self._intents[key]


def multiplier(confidence: float) -> float:
    """Return 1 + 2 * confidence, at most 3."""
    return min(1.0 + 2.0 * confidence, MAX_MULTIPLIER)


def score_boosts(
    traits: Traits, intents: Mapping[Intent, float], tabular: float
) -> tuple[Boost, ...]:
    """Return the multiplying boosts of a passage: its strongest intent, and its table."""
    boosts: list[Boost] = []
    if answered := [(intents[name], name) for name in traits.intents if name in intents]:
        confidence, name = max(answered)
        boosts.append(Boost(kind="intent", name=name, value=multiplier(confidence)))
    if traits.has_table and tabular > 0:
        boosts.append(Boost(kind="table", name="tabular", value=multiplier(tabular)))
    return tuple(boosts)


def total_multiplier(boosts: tuple[Boost, ...]) -> float:
    """Return the product of the multiplying boosts, capped at 3."""
    product = 1.0
    for boost in boosts:
        if boost.kind != "section":
            product *= boost.value
    return min(product, MAX_MULTIPLIER)
