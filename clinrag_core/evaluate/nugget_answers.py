"""Puts the nugget questions that a release can be judged by to an answer engine."""

from __future__ import annotations

import functools
from itertools import chain
from typing import TYPE_CHECKING

from clinrag_core.errors import ComponentUnavailableError
from clinrag_core.evaluate.claim_drugs import gives_other_dose
from clinrag_core.evaluate.judging import batched, in_this_process
from clinrag_core.evaluate.nugget_metrics import NuggetJudge
from clinrag_core.evaluate.term_match import holds_all, matchable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Answer
    from clinrag_core.evaluate.benchmark import Split
    from clinrag_core.evaluate.judging import Spread
    from clinrag_core.evaluate.nugget_metrics import NuggetResult
    from clinrag_core.evaluate.nuggets import Nugget, NuggetQuestion

BATCH = 16
"""Questions that are handed over at once: about a second of work."""


def checked_answer(engine: AnswerEngine, question_id: str, text: str) -> Answer:
    """Return the answer to a question, without its timings.

    Raises:
        ComponentUnavailableError: it failed or lacks a component: it is not what is judged.
    """
    answer = engine.ask(text).model_copy(update={"timings_ms": {}})
    if answer.component_errors or answer.reason == "internal_error":
        failed = ", ".join(answer.component_errors) or "the answer; its traceback is in the log"
        raise ComponentUnavailableError(f"{question_id}: failed: {failed}")
    return answer


def answers_to(
    engine: AnswerEngine, questions: Sequence[tuple[str, str]], spread: Spread | None = None
) -> Iterator[Answer]:
    """Yield the answer to each question, given by id and text, in their order.

    Args:
        engine: answers in this process where there is no `spread`.
        questions: id and text of each.
        spread: does the work on engines of the same state.

    Raises:
        ComponentUnavailableError: as `checked_answer`.
    """
    spread = spread or in_this_process(engine)
    return chain.from_iterable(spread(_answer_batch, batched(questions, BATCH)))


def _answer_batch(engine: AnswerEngine, questions: Sequence[tuple[str, str]]) -> list[Answer]:
    return [checked_answer(engine, question_id, text) for question_id, text in questions]


def nugget_judge(engine: AnswerEngine, questions: Sequence[NuggetQuestion]) -> NuggetJudge:
    """Return the judge of the documents that an engine answers from."""
    bases = engine.search.knowledge_bases.values()
    documents = {name for base in bases for name in base.table["document_id"].to_pylist()}
    return NuggetJudge(questions, sorted(documents))


def answer_nuggets(
    engine: AnswerEngine,
    questions: Sequence[NuggetQuestion],
    judged: Mapping[str, Mapping[str, int]],
    answers: Mapping[str, Answer] | None = None,
    split: Split | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    spread: Spread | None = None,
) -> list[NuggetResult]:
    """Return what the answers hold, for the questions that the release can be judged by.

    `judged` are the grades of statements by question and digest. Questions with an answer in
    `answers`, by id, are not asked again; `split` leaves out the other. For `spread` see
    `answers_to`.

    Raises:
        ComponentUnavailableError: as `checked_answer`.
    """
    judge = nugget_judge(engine, questions)
    given, places = answers or {}, _Places(engine)
    results: list[NuggetResult] = []
    asked = [q for q in judge.questions if split in (None, q.split)]
    new = answers_to(engine, [(q.id, q.text) for q in asked if q.id not in given], spread)
    for done, question in enumerate(asked, start=1):
        answer = given.get(question.id) or next(new)
        doses = (
            sum(gives_other_dose(engine, question.text, claim) for claim in answer.claims)
            if question.asks_usual_dose
            else 0
        )
        result = judge.judge(question, answer, judged.get(question.id, {}), doses)
        missing_at = tuple(map(places.holding, missing_nuggets(question, result)))
        results.append(result.model_copy(update={"missing_at": missing_at}))
        if on_progress is not None:
            on_progress(done, len(asked))
    return results


def missing_nuggets(question: NuggetQuestion, result: NuggetResult) -> list[Nugget]:
    """Return the vital nuggets of a question that its answer does not hold."""
    missing = (question.nuggets[number] for number in result.counted if number not in result.said)
    return [nugget for nugget in missing if nugget.vital]


class _Places:
    """Finds a passage that holds a nugget, to show a reader where it is written."""

    def __init__(self, engine: AnswerEngine) -> None:
        columns = ("id", "document_id", "start", "end", "text")
        self._passages = [
            tuple(row[name] for name in columns)
            for base in engine.search.knowledge_bases.values()
            for row in base.table.select(columns).to_pylist()
        ]
        self._documents = sorted({document for _, document, *_ in self._passages})
        self._matchable = functools.cache(lambda number: matchable(self._passages[number][-1]))

    def holding(self, nugget: Nugget) -> str:
        """Return the first passage of the nugget's documents that holds it; empty without one."""
        own = {document for document in self._documents if nugget.is_in([document])}
        for number, (passage, document, start, end, _) in enumerate(self._passages):
            if document in own and holds_all(self._matchable(number), nugget.terms):
                return f"{passage}:{start}-{end}"
        return ""
