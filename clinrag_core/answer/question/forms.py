"""The texts of a question that statements are compared with, and their vectors ahead of time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import CACHED_QUESTIONS, asking_sentences
from clinrag_core.facts.abbreviations import spell_out

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon


class QuestionForms(NamedTuple):
    """A question in three texts."""

    whole: str
    """With abbreviations spelt out."""
    asking: str
    """The sentences of it that ask."""
    unnamed: str
    """With "it" for each drug: where all statements are on the drug, its name tells none apart."""


@lru_cache(maxsize=CACHED_QUESTIONS)
def question_forms(text: str, drugs: DrugLexicon) -> QuestionForms:
    """Return the texts of a question, or of a part of one, that statements are compared with."""
    whole = unnamed = spell_out(text, drugs)
    for mention in sorted(drugs.mentions(whole), key=lambda one: -one.start):
        unnamed = f"{unnamed[: mention.start]}it{unnamed[mention.end :]}"
    return QuestionForms(whole, asking_sentences(whole), unnamed)
