"""Compares a dose that a note states with the doses that a source states of the same drug.

Only figures of one clause and of the same frequency are compared. A dose above the most that is
stated contradicts; one that is stated supports; where doses depend on weight nothing else is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.quantities import quantities
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from clinrag_core.facts.quantities import Quantity

DoseVerdict = Literal["supports", "contradicts", "related"]
_CLAUSE = re.compile(r"[;\n]|\.\s|\t|\bor\b(?= \d)")
_MOST = re.compile(r"\b(?:max(?:imum)?|at most|up to|not (?:to )?exceed\w*|no more than)\b")


class StatedDose(NamedTuple):
    """A dose of a clause: its amount and unit, and how often the clause says it is given."""

    amounts: tuple[Decimal, ...]
    unit: str
    frequencies: frozenset[object]
    is_most: bool


def stated_doses(text: str) -> tuple[tuple[StatedDose, ...], bool]:
    """Return the doses that are not per kilogram, and whether any dose depends on weight."""
    doses: list[StatedDose] = []
    by_weight = False
    for clause in _CLAUSE.split(text):
        found = quantities(clause)
        often = frozenset(_often(q) for q in found if q.kind == "frequency")
        is_most = _MOST.search(fold_chars(clause)) is not None
        by_weight = by_weight or any("kg" in (q.unit, *q.per) for q in found)
        for one in found:
            if one.kind == "dose" and not one.per:
                amounts, unit, _ = one.key
                doses.append(StatedDose(amounts, unit, often, is_most))
    return tuple(doses), by_weight


def compare_doses(note: str, sources: Iterable[str]) -> DoseVerdict:
    """Return what sources on one drug say of the doses of a note's statement on it."""
    own, _ = stated_doses(note)
    read = [stated_doses(source) for source in sources]
    stated = [dose for doses, _ in read for dose in doses]
    verdicts = [_verdict(one, stated) for one in own]
    if "contradicts" in verdicts:
        return "contradicts"
    if verdicts and all(v == "supports" for v in verdicts):
        return "supports"
    comparable = any(_comparable(one, other) for one in own for other in stated)
    depends = any(by_weight for _, by_weight in read)
    return "contradicts" if comparable and "supports" not in verdicts and not depends else "related"


def _verdict(one: StatedDose, stated: Iterable[StatedDose]) -> DoseVerdict:
    """Return what the stated doses say of one dose."""
    comparable = [other for other in stated if _comparable(one, other)]
    most = [max(other.amounts) for other in comparable if other.is_most]
    if most and max(one.amounts) > max(most):
        return "contradicts"
    within = any(_within(one, other) for other in comparable)
    return "supports" if within else "related"


def _comparable(one: StatedDose, other: StatedDose) -> bool:
    """Return whether two doses have a unit in common and no different frequency."""
    differ = one.frequencies and other.frequencies and not one.frequencies & other.frequencies
    return one.unit == other.unit and not differ


def _within(one: StatedDose, other: StatedDose) -> bool:
    return min(other.amounts) <= min(one.amounts) and max(one.amounts) <= max(other.amounts)


def _often(one: Quantity) -> object:
    return one.key
