"""What labels forbid with a drug of a question that no lexicon has: "on apomorphine, is X safe?".

The contraindication that names it leads, whatever else of the question it does not meet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.label_warnings import of_labels, says_same
from clinrag_core.answer.topic_words import RARE, not_said, topic_words
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.negation import since_denial
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.scoring import RankedStatement
    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

_TAKEN = re.compile(
    r"\b(?:on|with|plus|and|takes|taking|receiving|uses|using|start(?:ed|ing)?) ([a-z]{6,})"
)
"""What somebody takes, or is to be given with a drug: each word after these may be a drug."""
GROUPS = ("contraindications",)
MOST = 2
"""Contraindications that lead, by judgement."""


def forbidden_by_word(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications of the drugs asked about that name what else somebody takes.

    Not what the question denies: "not on apomorphine".
    """
    folded = fold_chars(slots.text)
    rare = RARE * greatest(sources.idf)
    taken = frozenset(_TAKEN.findall(folded))
    words = [
        one
        for one in topic_words(slots.text, sources.drugs, sources.idf)
        if one.weight >= rare
        and (one.word in taken or is_drug_shaped(one.word))
        and since_denial(folded, folded.find(one.word)) is None
    ]
    if not (words and slots.drugs):
        return []
    asked = frozenset[str]().union(*slots.drugs)
    found: list[RankedStatement] = []
    for one in of_labels(slots, sources, GROUPS):
        statement = one.statement
        is_said = len(not_said(words, [statement])) < len(words)
        is_new = not any(says_same(statement, other.statement) for other in found)
        if is_said and is_new and asked & {*statement.ingredients}:
            found.append(one)
    return found[:MOST]
