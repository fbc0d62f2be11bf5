"""Statements for a question as answers rank them, for what is not an answer.

Stage 3 orders passages by the best of their statements where there is no cross-encoder; the
extractive reasoner reads the statements themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.reader import QuestionReader
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.ranked import ranked_statements
from clinrag_core.answer.sources import Sources
from clinrag_core.answer.word_weights import WordWeights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.retrieve.engine import SearchEngine


class StatementOrder:
    """Ranks the statements of an engine's knowledge bases; one object serves all threads."""

    def __init__(self, engine: SearchEngine) -> None:
        self._reader = QuestionReader(engine)
        idf = WordWeights(engine.knowledge_bases.values())
        self._sources = Sources([engine], engine.drugs, idf)

    @property
    def idf(self) -> Mapping[str, float]:
        """Inverse document frequency by token, the greatest of the knowledge bases."""
        return self._sources.idf

    def ranked(self, question: str) -> list[RankedStatement]:
        """Return the quotable statements for a question, best first."""
        asked = self._reader.read(question)
        slots = read_slots(asked.text, self._sources.drugs)
        return ranked_statements(asked.text, asked, slots, self._sources)

    def passage_scores(self, question: str) -> dict[str, float]:
        """Return the score of the best statement of each passage, by passage id."""
        scores: dict[str, float] = {}
        for one in self.ranked(question):
            for quote in one.statement.quotes[:1]:  # its own text; the others are its frame
                scores[quote.chunk_id] = max(scores.get(quote.chunk_id, one.score), one.score)
        return scores
