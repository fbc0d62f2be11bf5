"""A question as the answer engine reads it, once, before anything is searched.

Spelling, drugs, route and unknown words are worked out here; the steps after it take the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import QueryError
from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.facts.reader import read_facts
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.retrieve.route import SecondOpinion, route

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import Correction
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.route import RouteDecision


class Question(NamedTuple):
    """What a question says."""

    text: str
    """As asked, with drug names corrected."""
    corrections: tuple[Correction, ...]
    route: RouteDecision
    search_text: str
    """With abbreviations spelt out."""
    unknown: tuple[str, ...]
    """Words of it that no document of the release uses."""
    about_medication: bool
    """Whether labels may answer it without a guideline: it names a drug, a class or a drug task."""

    @property
    def targets(self) -> frozenset[str]:
        """Ingredients asked about."""
        return frozenset(self.route.target_drugs)


class QuestionReader:
    """Reads questions with the names and words of a release.

    Args:
        search: the engine over the release's knowledge bases.
    """

    def __init__(self, search: SearchEngine) -> None:
        self._search = search
        self._opinion = SecondOpinion(search.encode)

    def read(self, text: str) -> Question:
        """Read a question.

        Raises:
            ConfigurationError: a lexicon cannot be read.
        """
        drugs = self._search.drugs
        corrected, corrections = drugs.correct(text)
        decision = route(corrected, drugs, self._opinion)
        facts = read_facts(corrected, drugs)
        known = [(m.start, m.end) for m in facts.drugs]
        known += [(s.start, s.end) for s in facts.topics if s.name in {"tb", "cap"}]
        return Question(
            text=corrected,
            corrections=corrections,
            route=decision,
            search_text=spell_out(corrected, drugs),
            unknown=self._search.vocabulary.unknown(corrected, known),
            about_medication=self._about_medication(corrected, decision),
        )

    def _about_medication(self, text: str, decision: RouteDecision) -> bool:
        kinds = {trigger.kind for trigger in decision.triggers}
        medication = "drug_task" in kinds and bool(kinds & {"tb", "cap"})
        return bool(decision.target_drugs) or medication or self._search.drugs.names_class(text)


def unknown_words(question: Question, uploads: SearchEngine | None) -> tuple[str, ...]:
    """Words of a question that neither the release nor the user's documents use."""
    if uploads is None or not question.unknown:
        return question.unknown
    return tuple(word for word in question.unknown if not uploads.vocabulary.uses(word))


def usable(question: str) -> str:
    """A question without white space around it.

    Raises:
        QueryError: it is empty, too long, or holds a NUL character.
    """
    text = question.strip()
    if not text or "\x00" in text or len(text) > MAX_QUESTION_CHARACTERS:
        raise QueryError(
            f"a question has 1 to {MAX_QUESTION_CHARACTERS} characters and no NUL character"
        )
    return text
