"""What a question says besides two drugs that it asks of: how they go together turns on the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.pairs import names_pair
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement


def sites_of_pair(slots: QuestionSlots) -> frozenset[str]:
    """Return the words for a site of disease, where it is asked how two drugs go together.

    "Efavirenz with rifampicin for TB spine" turns on the drugs.
    """
    if not slots.partners:
        return frozenset()
    folded = fold_chars(slots.text)
    spans = concept_spans(slots.text, slot_lexicon().facets["site"])
    return frozenset(word for s in spans for word in folded[s.start : s.end].split())


def warns_of_pair(
    slots: QuestionSlots, shown: Iterable[IndexedStatement], drugs: DrugLexicon
) -> bool:
    """Return whether what is shown warns of a drug together with one that somebody takes.

    The warning holds whatever either is given for.
    """
    if not slots.partners:
        return False
    every = (statement_slots(one, drugs) for one in shown)
    return any(
        (own.forbids or own.statement.group == "interactions")
        and names_pair(slots, own)
        and any(asked <= own.said_drugs | own.label for asked in slots.drugs)
        for own in every
    )
