"""A regimen that a question names by its length: "which drugs are in the 4-month regimen?".

Two months followed by four are six, so that they do not describe a regimen of four.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.facts.quantities import quantities
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

_NAMED = lazy_re(r"[- ]months?(?: [\w-]+){0,2} regimen\b")
_PHASES = lazy_re(r"\b(?:followed by|thereafter|then|continuation)\b")


def whole_length_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit where a statement's months make no regimen of the length that is named."""
    named = _NAMED.search(fold_chars(slots.text)) if "regimen" in slots.aspects else None
    if named is None or "duration" in slots.aspects:
        return
    asked = [one.values for one in quantities(slots.text) if one.unit == "month"]
    lengths = [one.values for one in own.facts.quantities if one.unit == "month"]
    if len(asked) != 1 or len(asked[0]) != 1 or not lengths:
        return
    (months,) = asked[0]
    if not _may_last(months, lengths, bool(_PHASES.search(fold_chars(own.statement.said)))):
        yield Misfit("phase", f"a regimen of {months} months", "one of another length")


def _may_last(months: Decimal, lengths: list[tuple[Decimal, ...]], has_phases: bool) -> bool:
    """Return whether a regimen with some lengths, of it or of its phases, may last some months."""
    is_said = any(min(one) <= months <= max(one) for one in lengths)
    if not has_phases or len(lengths) == 1:
        return is_said
    sums = [(min(a) + min(b), max(a) + max(b)) for a, b in combinations(lengths, 2)]
    is_sum = any(low <= months <= high for low, high in sums)
    return is_sum or (is_said and months >= min(low for low, _ in sums))
