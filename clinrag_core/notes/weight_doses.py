"""Compares a dose of a note with doses by body weight, where the note prints the weight.

A source that states 10 mg per kg, at most 600 mg, means 450 mg for 45 kg. A dose within a tenth of
a single figure, or within a stated range, is the stated one; one further away than tablets explain
is another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.by_weight import figures_per_kg, most_allowed
from clinrag_core.facts.quantities import stated_frequencies
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.notes.doses import StatedDose

_ROUNDED, _ROUNDED_RANGE = 0.1, 0.02
"""Shares by which tablets may round a dose: of a single figure, and beyond a stated range."""
_LEAST, _MOST = 3 / 4, 4 / 3
"""Parts of a single figure beyond which a dose is another one, by judgement: a tablet of four."""
_LEAST_OF_RANGE, _MOST_OF_RANGE = 0.85, 1.15
"""Those of a stated range, which allows for rounding itself."""
_CLAUSE = re.compile(r"[;\n]|\.\s")
_DIVIDED = re.compile(r"\bdivided\b")


class _Range(NamedTuple):
    """A dose by weight, in mg for one patient, and how often it is given."""

    low: float
    high: float
    frequencies: frozenset[object]
    is_range: bool
    """Whether the source states a range, and no single figure."""

    def is_same(self, low: float, high: float) -> bool:
        """Return whether a dose is this one, as tablets round."""
        rounded = _ROUNDED_RANGE if self.is_range else _ROUNDED
        return self.low * (1 - rounded) <= low and high <= self.high * (1 + rounded)

    def is_other(self, low: float, high: float) -> bool:
        """Return whether a dose is too far from this one to be it."""
        least, most = tolerance(is_range=self.is_range)
        return high < self.low * least or low > self.high * most


def tolerance(*, is_range: bool) -> tuple[float, float]:
    """Return the parts of a stated dose beyond which a dose is another one."""
    return (_LEAST_OF_RANGE, _MOST_OF_RANGE) if is_range else (_LEAST, _MOST)


def weigh_dose(
    one: StatedDose, sources: Iterable[str], weight: float, daily: frozenset[object]
) -> Literal["supports", "contradicts", "related"]:
    """Return what doses by weight say of a dose of a note for somebody of some kilograms.

    Only doses given as often are compared; it contradicts where all of them are far from it.
    """
    if one.unit != "mg":
        return "related"
    ranges = [r for text in sources for r in _ranges(text, weight, daily)]
    same = [r for r in ranges if one.frequencies and one.frequencies & r.frequencies]
    low, high = float(min(one.amounts)), float(max(one.amounts))
    if any(r.is_same(low, high) for r in same):
        return "supports"
    is_other = bool(same) and all(r.is_other(low, high) for r in same)
    return "contradicts" if is_other else "related"


def _ranges(text: str, weight: float, daily: frozenset[object]) -> list[_Range]:
    """Return the doses by weight of a text, each with the most it may be."""
    folded = fold_chars(text)
    found: list[_Range] = []
    clauses = _CLAUSE.split(folded)
    for place, clause in enumerate(clauses):
        figures = figures_per_kg(clause)
        if not figures or _DIVIDED.search(clause):
            continue
        often = _often(clause, clauses, place) or daily
        cap = most_allowed(clause) or most_allowed("".join(clauses[place + 1 : place + 2]))
        low, high = min(figures) * weight, max(figures) * weight
        is_range = min(figures) < max(figures)
        found.append(_Range(min(low, cap or low), min(high, cap or high), often, is_range))
    return found


def _often(clause: str, clauses: Sequence[str], place: int) -> frozenset[object]:
    """Return how often the dose of a clause is given; of a cell, the next one may say it."""
    for text in (clause, *clauses[place + 1 : place + 2]):
        if found := stated_frequencies(text):
            return found
    return frozenset()
