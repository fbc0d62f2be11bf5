"""Other wordings of a question: abbreviations written out, keywords, symptoms in clinical words.

By rules and the thesaurus. Seed 004, stage 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.retrieve.stages.records import QuestionVariant
from clinrag_core.text.stems import FUNCTION_WORDS

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser

SYMPTOM_TYPES = frozenset({"symptom", "Sign or Symptom", "adverse effect"})
FEWEST_WORDS = 2
"""Of a keyword variant: one word alone is another question."""


def question_variants(
    question: str,
    drugs: DrugLexicon,
    recogniser: ConceptRecogniser | None,
    most: int,
) -> list[QuestionVariant]:
    """Return up to `most` variants that differ from the question and from each other."""
    made = [QuestionVariant(text=spell_out(question, drugs), made_by="abbreviations")]
    if recogniser is not None:
        made += [
            QuestionVariant(text=_renamed(question, recogniser, symptoms=True), made_by="symptoms"),
            QuestionVariant(
                text=_renamed(question, recogniser, symptoms=False), made_by="concepts"
            ),
        ]
    made.append(QuestionVariant(text=_keywords(question), made_by="keywords"))
    seen = {_key(question)}
    kept: list[QuestionVariant] = []
    for variant in made:
        key = _key(variant.text)
        if key and key not in seen:
            seen.add(key)
            kept.append(variant)
    return kept[:most]


def _renamed(question: str, recogniser: ConceptRecogniser, *, symptoms: bool) -> str:
    """Return a question with the preferred names of its concepts after their own words."""
    thesaurus = recogniser.thesaurus
    text, at = "", 0
    for mention in recogniser.recognise(question):
        words = question[mention.start : mention.end]
        name = thesaurus.name(mention.concepts[0])
        is_symptom = bool(SYMPTOM_TYPES & thesaurus.types(mention.concepts[0]))
        if is_symptom is symptoms and name.casefold() != words.casefold():
            text += f"{question[at : mention.end]} ({name})"
            at = mention.end
    return text + question[at:]


def _keywords(question: str) -> str:
    """Return the words of a question that are no grammar; nothing if too few are left."""
    words = [word.strip("?,.;:!()") for word in question.split()]
    kept = [word for word in words if word and word.casefold() not in FUNCTION_WORDS]
    return " ".join(kept) if len(kept) >= FEWEST_WORDS else ""


def _key(text: str) -> str:
    return " ".join(text.casefold().strip(" ?.!").split())
