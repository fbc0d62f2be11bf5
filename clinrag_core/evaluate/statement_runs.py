"""Rankings of statements for nugget questions, whose first are pooled for a person to judge.

Several rankings, so that the pool favours none: by words alone, by vectors alone, the order that
answers are chosen from, and what answers show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.answer.generate.protocol import context
from clinrag_core.answer.question.reader import QuestionReader
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.answer.select.ranked import ranked_statements
from clinrag_core.answer.sources import Sources, is_quotable
from clinrag_core.evaluate.nugget_answers import checked_answer
from clinrag_core.evaluate.pooling import DEPTH, PoolText
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.evaluate.nuggets import NuggetQuestion
    from clinrag_core.index.statements import StatementIndex
    from clinrag_core.model.statement import IndexedStatement

FIRST = DEPTH["statement"]


class FoundStatements(NamedTuple):
    """What the rankings and the answers show first."""

    candidates: dict[str, set[str]]
    """Statement ids by question."""
    texts: dict[str, PoolText]
    """By statement id."""


class _QuotableBase(NamedTuple):
    """The statements of one knowledge base, and which of them an answer may quote."""

    indexed: StatementIndex
    statements: list[IndexedStatement]
    quotable: NDArray[np.bool_]


class StatementRankings:
    """Ranks the quotable statements of an engine's knowledge bases, all bases in one order."""

    def __init__(self, engine: AnswerEngine) -> None:
        self._engine = engine
        self._reader = QuestionReader(engine.search)
        self._parts = list(_parts(engine))
        self._by_said = {one.said: one for part in self._parts for one in part.statements}

    def find(
        self,
        questions: Sequence[NuggetQuestion],
        on_progress: Callable[[int, int], None] | None = None,
    ) -> FoundStatements:
        """Return the first statements of every ranking and those that the answers quote.

        Raises:
            ComponentUnavailableError: as `checked_answer`.
        """
        found = FoundStatements({}, {})
        for done, question in enumerate(questions, start=1):
            candidates = found.candidates.setdefault(question.id, set())
            for one in self._first(question):
                candidates.add(one.id)
                found.texts[one.id] = PoolText(one.document_id, context(one), one.said)
            if on_progress is not None:
                on_progress(done, len(questions))
        return found

    def _first(self, question: NuggetQuestion) -> Iterator[IndexedStatement]:
        """Yield the first statements of each ranking; one may come more than once."""
        tokens, vector = tokenize(question.text), self._engine.search.encode(question.text)
        yield from self._best(lambda index: index.bm25.scores(tokens).astype(np.float32))
        yield from self._best(lambda index: index.vectors @ vector.ravel())
        yield from self._ranked(question)
        yield from self._shown(question)

    def _best(self, score: Callable[[StatementIndex], Vectors]) -> Iterator[IndexedStatement]:
        """Yield the quotable statements with the best scores above 0."""
        best: list[tuple[float, str, IndexedStatement]] = []
        for part in self._parts:
            scores = np.where(part.quotable, score(part.indexed), 0.0)
            for row in np.argsort(-scores, kind="stable")[:FIRST].tolist():
                if scores[row] > 0:
                    one = part.statements[row]
                    best.append((-float(scores[row]), one.id, one))
        yield from (one for *_, one in sorted(best, key=lambda scored: scored[:2])[:FIRST])

    def _ranked(self, question: NuggetQuestion) -> Iterator[IndexedStatement]:
        """Yield what the answer to each part of the question is chosen from, before its gates."""
        drugs = self._engine.drugs
        asked = self._reader.read(question.text)
        sources = Sources([self._engine.search], drugs, self._engine.idf)
        for text in split_questions(asked.text, drugs):
            ranked = ranked_statements(text, asked, read_slots(text, drugs), sources)
            yield from (one.statement for one in ranked[:FIRST])

    def _shown(self, question: NuggetQuestion) -> Iterable[IndexedStatement]:
        """Return the statements that the answer quotes."""
        answer = checked_answer(self._engine, question.id, question.text)
        said = [text for claim in answer.claims for text in claim.sources]
        return [self._by_said[text] for text in said if text in self._by_said]


def _parts(engine: AnswerEngine) -> Iterator[_QuotableBase]:
    for base in engine.search.knowledge_bases.values():
        if (index := base.statements) is not None and len(index):
            statements = index.statements(range(len(index)))
            quotable = np.array([is_quotable(one) for one in statements])
            yield _QuotableBase(index, statements, quotable)
