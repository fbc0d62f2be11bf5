"""What labels forbid with something of a question that no lexicon has: "on apomorphine, X?".

The contraindication that names it leads, whatever else of the question it does not meet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.asking import asking_sentences
from clinrag_core.answer.label_warnings import of_labels, says_same
from clinrag_core.answer.topic_words import RARE, not_said, topic_words
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.negation import since_denial
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.scoring import RankedStatement
    from clinrag_core.answer.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.answer.topic_words import TopicWord

_TAKEN = re.compile(
    r"\b(?:on|with|plus|and|takes|taking|receiving|uses|using|start(?:ed|ing)?) ([a-z]{6,})"
)
"""What somebody takes, or is to be given with a drug: each word after these may be a drug."""
_ALLERGY = re.compile(r"\bhyper-?sensitiv|\ballerg|\banaphyla")
GROUPS = ("contraindications",)
MOST = 2
"""Contraindications that lead, by judgement."""


def forbidden_by_word(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications of the drugs asked about that name what else somebody takes.

    Where it is asked whether a drug may be given, also those that name what else somebody has. Not
    what the question denies: "not on apomorphine".
    """
    folded = fold_chars(slots.text)
    rare = RARE * greatest(sources.idf)
    words = [
        one
        for one in topic_words(slots.text, sources.drugs, sources.idf)
        if one.weight >= rare and since_denial(folded, folded.find(one.word)) is None
    ]
    taken = frozenset(_TAKEN.findall(folded))
    drugs = [one for one in words if one.word in taken or is_drug_shaped(one.word)]
    asks = slot_lexicon().wordings.asks_permission.search(fold_chars(asking_sentences(slots.text)))
    if not (slots.drugs and words and (drugs or asks)):
        return []
    asked = frozenset[str]().union(*slots.drugs)
    every = [
        one for one in of_labels(slots, sources, GROUPS) if asked & {*one.statement.ingredients}
    ]
    others = [one for one in words if asks and not _names_what_is_forbidden(one, every)]
    found: list[RankedStatement] = []
    for one in every:
        turns_on = drugs if _is_on_allergy(one) else [*drugs, *others]
        is_said = len(not_said(turns_on, [one.statement])) < len(turns_on)
        if is_said and not any(says_same(one.statement, other.statement) for other in found):
            found.append(one)
    return found[:MOST]


def _is_on_allergy(one: RankedStatement) -> bool:
    """Return whether a contraindication is an allergy to the drug: it names the drug's parts."""
    return _ALLERGY.search(fold_chars(one.statement.said)) is not None


def _names_what_is_forbidden(word: TopicWord, every: Sequence[RankedStatement]) -> bool:
    """Return whether most contraindications say a word: it is the product, not what bars it."""
    said = sum(not not_said([word], [one.statement]) for one in every)
    return 2 * said > max(len(every), 2)
