"""Says that a label is of a product that acts where it is put, where a question names no route.

What the label of an inhaled or a topical product says of kidneys, or of what forbids it, does not
hold for the same drug as a tablet or an injection.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.answer.rank.brands import named_brands
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

_USE = {"inhaled": "inhalation", "topical": "the skin", "ophthalmic": "the eyes"}
"""Routes of products that act where they are put, with what these are for in words."""
_FORM = lazy_re(
    r"\b(?:inhal\w*|nebuli[sz]\w+|topical\w*|gel|cream|ointment|lotion|foam|spray|skin|scalp"
    r"|appl(?:y|ied|ication)|capful)\b",
    re.IGNORECASE,
)
"""What tells how a product is used."""


def of_local_product(
    slots: QuestionSlots, shown: Iterable[IndexedStatement], drugs: DrugLexicon, question: str
) -> str:
    """Return for which use alone the product is whose label an answer begins with; mostly empty.

    Empty also where the question, of which `slots` may be of a part, names a route or the product,
    or where the label itself says it.
    """
    if slots.routes or not slots.drugs or named_brands(slots, drugs) or _FORM.search(question):
        return ""
    first = next(iter(shown), None)
    if first is None or not first.routes or not _USE.keys() >= {*first.routes}:
        return ""
    asked = frozenset[str]().union(*slots.drugs)
    if asked != frozenset(first.ingredients) or _FORM.search(first.said):
        return ""
    use = " and ".join(_USE[route] for route in sorted(first.routes))
    return (
        f"The question names no route; the label of {first.document_title} is for {use} only, and "
        "what it says does not hold for other products."
    )


def guideline_before_local(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a guideline's on the drug before those of a label for local use only.

    Where the question names neither a route nor the product, and the two are about as near.
    """
    if not fitting or not of_local_product(slots, [fitting[0].statement], drugs, slots.text):
        return fitting
    asked = frozenset[str]().union(*slots.drugs)
    near = (one for one in fitting if one.score >= NEAR * fitting[0].score)
    general = next(
        (
            one
            for one in near
            if one.statement.kind == "guideline"
            and asked <= statement_slots(one.statement, drugs).said_drugs
        ),
        None,
    )
    if general is None:
        return fitting
    rest = [one for one in fitting if one is not general]
    return [general._replace(score=fitting[0].score), *rest]
