"""Reads doses as notes print them: behind the name of a medicine, or anywhere in a statement.

Units that only medicines have; `quantities` reads what a dose is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.quantities import quantities
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOSED = lazy_re(
    r"(?P<name>[^\W\d_][\w-]{3,})\s+(?:\([^()]{1,20}\)\s+)?\d+(?:\.\d+)?\s?"
    r"(?:mg|mcg|\u00b5g|micrograms?|units?|iu|puffs?)\b"
)
_BEGINS = lazy_re(r"\s*(?:\([^()]*\) ?)?\d[\d.,]* ?(?:m?c?g|micrograms?|ng|units?|iu|ml)\b")
_DOSE = lazy_re(r"\d ?(?:mg|g|mcg|micrograms?|ml|units?|puffs?|tab\w*)\b(?!/)")


def names_before_doses(folded: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a folded text that a dose follows, each with its span."""
    for match in _DOSED.finditer(folded):
        yield match["name"], *match.span("name")


def begins_with_dose(folded: str) -> bool:
    """Return whether a folded text begins with a dose, maybe behind a bracket."""
    return _BEGINS.match(folded) is not None


def has_dose(folded: str) -> bool:
    """Return whether a folded text has a dose, and not a concentration alone."""
    return _DOSE.search(folded) is not None


def is_only_length(text: str) -> bool:
    """Return whether a text says how long something lasted and nothing else: "3 days"."""
    plain = text.strip(" .,;:()-").lower().replace("night", "day")
    return any(
        q.kind == "duration" and (q.start, q.end) == (0, len(plain)) for q in quantities(plain)
    )
