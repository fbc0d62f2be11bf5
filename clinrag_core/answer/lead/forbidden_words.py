"""What labels forbid with something of a question that no lexicon has: "on apomorphine, X?".

The contraindication that names it leads, whatever else of the question it does not meet. Where a
patient's story has nothing that is known, all that the label forbids leads: silence on what bars
the patient must not read as consent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import join_lists, list_around
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.question.asking import asking_sentences, tells_story
from clinrag_core.answer.question.pair_order import SWITCH
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.rank.topic_words import RARE, not_said, topic_words
from clinrag_core.answer.sources import is_quotable
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.missed_doses import missed_doses, since_last_dose
from clinrag_core.facts.negation import since_denial
from clinrag_core.facts.people import read_people
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import Aspect

_TAKEN = lazy_re(
    r"\b(?:on|with|plus|and|takes|taking|receiving|uses|using|start(?:ed|ing)?)"
    r" (?!condoms?\b)([a-z]{6,})"
)
"""What somebody takes, or is to be given with a drug: each word after these may be a drug."""
_ALLERGY = lazy_re(r"\bhyper-?sensitiv|\ballerg|\banaphyla")
_IS_NORMAL = lazy_re(
    r"[^\s,;:.?]+(?: (?:status|level|test|screen|gene|allele|result))?"
    r"(?: (?:is|was|came back))?[:,]? (?:normal|neg(?:ative)?|fine|ok(?:ay)?|absent)\b"
)
"""What a test did not find: "G6PD normal", "HLA-B*5701 was negative"."""
GROUPS = ("contraindications",)
_BARS: frozenset[Aspect] = frozenset({"contraindication"})
MOST = 2
MOST_OF_ANYONE = 4
"""Contraindications that lead, by judgement: of one word, and where no word decides."""
MOST_WORDS = 120
"""Words of a list of contraindications that is shown whole: a part of it clears the others."""


def forbidden_by_word(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications of the drugs asked about that name what else somebody takes.

    Where it is asked whether a drug may be given, also those that name what else somebody has, and
    warnings not to use it so; what names most of it comes first. Not what the question denies: "not
    on apomorphine".
    """
    folded = fold_chars(slots.text)
    rare = RARE * greatest(sources.idf)
    words = [
        one
        for one in topic_words(slots.text, sources.drugs, sources.idf)
        if one.weight >= rare and not _is_ruled_out(folded, one)
    ]
    taken = frozenset(_TAKEN.findall(folded))
    drugs = [one for one in words if one.word in taken or is_drug_shaped(one.word)]
    asks = slot_lexicon().wordings.asks_permission.search(fold_chars(asking_sentences(slots.text)))
    if not (slots.drugs and words and (drugs or asks)):
        return []
    asked = frozenset[str]().union(*slots.drugs)
    every = [
        one
        for one in of_labels(slots, sources, (*GROUPS, "warnings"))
        if asked & {*one.statement.ingredients} and (one.statement.group in GROUPS or _bars(one))
        if slots.people or not read_people(one.statement.said).conditions & OF_MOTHERS
    ]
    others = [one for one in words if asks and not _names_what_is_forbidden(one, every)]
    found: list[RankedStatement] = []
    for one in sorted(every, key=lambda one: len(not_said(words, [one.statement]))):
        turns_on = drugs if _is_on_allergy(one) else [*drugs, *others]
        is_said = len(not_said(turns_on, [one.statement])) < len(turns_on)
        if is_said and not any(says_same(one.statement, other.statement) for other in found):
            found.append(one)
    return found[:MOST]


def bars_of_anyone(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return all that the label of a drug forbids, but allergies, where it is asked for a patient.

    Only if nothing known of the patient decides: no people, partner, or finding that was not ruled
    out. "Used to hear voices. G6PD normal. Can he have X?" turns on the voices; "missed two pills,
    how soon can she start?" asks for a time, "switch from Y, start today?" for how that is done.
    """
    asks = slot_lexicon().wordings.asks_permission.search(fold_chars(asking_sentences(slots.text)))
    tells = slots.is_patient and tells_story(slots.text)
    is_known = slots.people or slots.partners or slots.findings or slots.allergies
    asks_else = slots.aspects - _BARS or since_last_dose(slots.text) or missed_doses(slots.text)
    asks_else = asks_else or slot_lexicon().wordings.missed.search(fold_chars(slots.text))
    asks_else = asks_else or SWITCH.search(fold_chars(slots.text))
    if not (asks and tells and len(slots.drugs) == 1) or asks_else or is_known:
        return []
    every = [
        one
        for one in of_labels(slots, sources, GROUPS)
        if slots.drugs[0] == frozenset(one.statement.ingredients) and not _is_on_allergy(one)
    ]
    statements = [one.statement for one in every]
    joined = join_lists(
        every,
        lambda one: list_around(statements, statements.index(one.statement)),
        is_quotable,
        most=MOST_WORDS,
    )
    return joined[:MOST_OF_ANYONE]


def _is_ruled_out(folded: str, word: TopicWord) -> bool:
    """Return whether a question denies what a word names, or a test did not find it."""
    at = folded.find(word.word)
    is_denied = since_denial(folded, at) is not None
    return is_denied or _IS_NORMAL.match(folded, at) is not None


def _bars(one: RankedStatement) -> bool:
    """Return whether a warning says what a product is not to be used for."""
    not_used = slot_lexicon().wordings.not_used
    return not_used.search(fold_chars(one.statement.said)) is not None


def _is_on_allergy(one: RankedStatement) -> bool:
    """Return whether a contraindication is an allergy to the drug: it names the drug's parts."""
    return _ALLERGY.search(fold_chars(one.statement.said)) is not None


def _names_what_is_forbidden(word: TopicWord, every: Sequence[RankedStatement]) -> bool:
    """Return whether most contraindications say a word: it is the product, not what bars it."""
    said = sum(not not_said([word], [one.statement]) for one in every)
    return 2 * said > max(len(every), 2)
