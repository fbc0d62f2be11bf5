"""Reads which amounts of a text are given, and which are strengths of a product or measured values.

"Isoniazid (100, 300 mg)" and "7.5 mg/325 mg" are products, 0.5 µg/mL is a concentration, 60 kg is
a weight: none of them is a dose.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.intervals import intervals
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import units_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity

_FORM = r"(?:vials?|ampoules?|ampules?|tablets?|capsules?|tabs?|caps?)"
_NAMES_FORM = lazy_re(_FORM, re.IGNORECASE)
_BRACKET = lazy_re(
    rf"\((?=[\d.,/ ])(?![^()]*kg)(?:[\d.,;/ ]|{units_of('mass', 'volume')}|or |and )++{_FORM}?\)",
    re.IGNORECASE,
)
"""A bracket with nothing but strengths: "Streptomycin (1 g vial)", "Isoniazid (100, 300 mg)".

Without a nested repeat: one took a minute to reject a bracket of thirty numbers.
"""
_PRODUCT = lazy_re(
    r"(?<![\d./-])\d{1,3}(?:\.\d+)?(?: ?mg)?(?: ?/ ?\d{2,4}(?: ?mg)?)+(?![\d./-]| ?(?:mm|years))"
)
"""Milligrams of each drug in a tablet: "7.5 mg/325 mg", "75/50/150"."""
_CONCENTRATION = (("ml",), ("l",), ("dl",))
"""What an amount is per that is measured, not given: an MIC of 0.5 µg/mL."""
_MEASURED = lazy_re(r"\bmics?\b[^a-z]{0,8}$")


def is_strength(text: str, quantity: Quantity) -> bool:
    """Return whether an amount is that of a product's form: "26.3 mg tablets", "1 g X vial"."""
    form = rf"[\s-]*(?:{_FORM}|[a-z]+ (?:vials?|ampoules?|ampules?))\b"
    return re.match(form, text[quantity.end :], re.IGNORECASE) is not None


def product_strengths(text: str, drugs: int) -> frozenset[str]:
    """Return the strengths of products of so many drugs, at least two, that a text names."""
    named = (re.sub(r"\s|mg", "", m.group()) for m in _PRODUCT.finditer(fold_chars(text)))
    return frozenset(one for one in named if one.count("/") + 1 == drugs)


def given_amounts(
    text: str, quantities: Iterable[Quantity], *, in_row: bool
) -> tuple[Quantity, ...]:
    """Return the doses among the quantities of a text that are given, in order.

    Strengths in brackets are left out where they name a form ("1 g vial"); in a row of a table all.
    """
    doses = [q for q in quantities if q.kind == "dose"]
    if not doses:
        return ()
    left_out = {(i.start, i.end) for i in intervals(text)}
    left_out |= {
        match.span()
        for match in _BRACKET.finditer(text)
        if in_row or _NAMES_FORM.search(match.group())
    }
    return tuple(
        q
        for q in doses
        if q.unit != "cell"
        and q.per[:1] not in _CONCENTRATION
        and not _MEASURED.search(text[: q.start].lower())
        and not any(a <= q.start < b for a, b in left_out)
    )
