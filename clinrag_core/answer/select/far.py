"""Whether nothing can be near a question, or the first statement is too far from its story."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import tells_story
from clinrag_core.answer.question.facets import LENGTH
from clinrag_core.answer.rank.topic_words import share_said, topic_words
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

LEAST_ON_STORY, LEAST_ON_DRUG = 4.3, 3.6
"""Scores below which nothing answers a question that tells a story: without a drug, and with one.
Chosen on 60 such questions that readers judged: 3 of 24 answers off the point or misleading lie
below, none of 14 correct ones."""
_WARNINGS = "warnings"
NO_SUBJECT = "The question names no drug, regimen or disease that a dose could be of."


def is_dose_of_nothing(slots: QuestionSlots) -> bool:
    """Return whether somebody's dose is asked for, and of nothing: any row would fit the age."""
    named = slots.diseases or slots.findings or any(values for _, values in slots.facets)
    return "dose" in slots.aspects and bool(slots.people) and slots.names_no_drug and not named


def is_length_of_nothing(slots: QuestionSlots) -> bool:
    """Return whether it is asked how long, of nothing that a table of slots has."""
    named = slots.diseases or slots.findings or slots.people
    facets = any(values for name, values in slots.facets if name != "purpose")
    is_on_length = slots.aspects == LENGTH
    return is_on_length and slots.names_no_drug and not (named or facets)


def is_far(slots: QuestionSlots, fitting: Sequence[RankedStatement], sources: Sources) -> bool:
    """Return whether the first statement is too far from a question that tells a story.

    Not a warning of the drug that says when to stop it, where that is asked. Or whether it lacks
    one of the words of a question on how long, that names nothing it could be on.
    """
    if fitting and is_length_of_nothing(slots):
        words = topic_words(slots.text, sources.drugs, sources.idf)
        return len(words) > 1 and share_said(words, fitting[0].statement) < 1
    names_drug = bool(slots.drugs or slots.partners or slots.regimens)
    least = LEAST_ON_DRUG if names_drug else LEAST_ON_STORY
    if not (fitting and tells_story(slots.text) and fitting[0].score < least):
        return False
    first = fitting[0].statement
    is_on_stopping = slots.drugs and "stopping" in slots.aspects and first.group == _WARNINGS
    stops = finding_lexicon().wordings.stops
    return not (is_on_stopping and says(fold_chars(first.said), stops))
