"""Boosts: passages of the sections and tables a question asks for count more.

Formulas: section boosting adds alpha = 0.12 to a cosine (seed 000); intents and tables multiply a
fused score by 1 + 2 * confidence, capped at 3 (seed 002 as decided in DESIGN.md 6.3). Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.lexicon.intents import Intent

MAX_MULTIPLIER = 3.0
"""DESIGN.md 6.3: confidence 1."""

BoostKind = Literal["section", "intent", "table"]


class Boost(NamedTuple):
    """One boost a passage earned. `section` adds `value` to the cosine, the others multiply."""

    kind: BoostKind
    name: str
    value: float


class Traits(NamedTuple):
    """What boosts of a passage depend on."""

    group: str | None
    intents: frozenset[Intent]
    """Intents that its section answers."""
    has_table: bool


def multiplier(confidence: float) -> float:
    """Return 1 + 2 * confidence, at most 3; 1 where there is no confidence."""
    return min(1.0 + 2.0 * confidence, MAX_MULTIPLIER)


def section_bonus(traits: Traits, groups: frozenset[str], alpha: float) -> Boost | None:
    """Return what a passage's section adds to its cosine; None where it is not asked for."""
    if traits.group is not None and traits.group in groups:
        return Boost("section", traits.group, alpha)
    return None


def score_boosts(
    traits: Traits, intents: Mapping[Intent, float], tabular: float
) -> tuple[Boost, ...]:
    """Return the multiplying boosts of a passage: its strongest intent, and its table."""
    found: list[Boost] = []
    own = [(intents[name], name) for name in traits.intents if name in intents]
    if own:
        confidence, name = max(own)
        found.append(Boost("intent", name, multiplier(confidence)))
    if traits.has_table and tabular > 0:
        found.append(Boost("table", "tabular", multiplier(tabular)))
    return tuple(found)


def total_multiplier(boosts: tuple[Boost, ...]) -> float:
    """Return the product of the multiplying boosts, capped at 3."""
    product = 1.0
    for boost in boosts:
        if boost.kind != "section":
            product *= boost.value
    return min(product, MAX_MULTIPLIER)
