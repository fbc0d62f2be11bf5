"""Whether a statement on a regimen is on the very one: of its length, or on people kept from it."""

from __future__ import annotations

from string import digits
from typing import TYPE_CHECKING

from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots


def is_of_other_length(own: StatementSlots, code: str) -> bool:
    """Return whether a statement has another number with the letters, or of months: 1HP, 3HP."""
    letters = code.lstrip(digits)
    months = code.removesuffix(letters)
    if not months or not letters:
        return False
    others = {one.lstrip(digits) for one in own.codes if one[0].isdigit()}
    lengths = [q for q in own.facts.quantities if q.kind == "duration" and q.unit == "month"]
    is_other = bool(lengths) and not any(
        min(q.values) <= int(months) <= max(q.values) for q in lengths
    )
    return letters in others or is_other


def excludes_from_part(own: StatementSlots, ingredients: frozenset[str]) -> bool:
    """Return whether a statement keeps people from a regimen that lacks only one of the drugs.

    Who must not have BPaL must not have BPaLM for the same reason; rifampin with pyrazinamide is
    no RHZE.
    """
    missing = ingredients - own.said_drugs
    is_part = len(own.said_drugs) > 1 and own.said_drugs < ingredients and len(missing) == 1
    return is_part and says(fold_chars(own.statement.said), slot_lexicon().wordings.not_eligible)
