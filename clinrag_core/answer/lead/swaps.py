"""Putting one drug in the place of another that cannot be given, where a guideline is against it.

It decides whatever was found in the patient: "the QT is long, so an injection instead?".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import names_class_of
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.sources import RankedStatement, guideline_statements
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

_WORDS = ("replace", "replaced", "replacing", "replacement", "substitute", "substitution")
"""Words by which a swap is looked up."""
SHOWN = 2
PAIR = 2
_ASKS_SWAP = lazy_re(
    r"\b(?:swap\w*|switch\w*|replac\w+|substitut\w+|exchang\w+|instead|in (?:its|the) place"
    r"|in place of)\b"
)
_SAYS_SWAP = lazy_re(r"\b(?:replac|substitut|switch|exchang)\w+")


def swap_advised_against(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what guidelines say against one of two drugs in the other's place.

    Each by its name, class or group: "an injectable agent". No ranking is asked: the words of the
    patient's story are other ones.
    """
    strains = slots.resistance.to | slots.resistance.susceptible
    mentions = read_facts(slots.text, sources.drugs).drugs
    named = {
        one.ingredients for one in mentions if one.about == "drug" and not one.ingredients & strains
    }
    if len(named) != PAIR or not _ASKS_SWAP.search(fold_chars(slots.text)):
        return []
    return [
        RankedStatement(statement, base, 0.0, 0.0)
        for base, statement in guideline_statements(_WORDS, sources.engines)
        if _SAYS_SWAP.search(said := fold_chars(statement.said))
        and statement_slots(statement, sources.drugs).forbids
        and all(_names(drug, said, sources) for drug in named)
    ][:SHOWN]


def _names(drug: frozenset[str], said: str, sources: Sources) -> bool:
    """Return whether a folded text names a drug, its class, or its group of second-line drugs."""
    groups = slot_lexicon().resistance.ingredients.items()
    in_group = any(drug & members and name in said for name, members in groups)
    return in_group or drug <= sources.drugs.ingredients(said) or names_class_of(drug, said)
