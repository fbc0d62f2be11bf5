"""The statements an answer is made from: ranked, fit for the question, with their passages.

What does not fit is dropped here, before a generator sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite_quotes
from clinrag_core.answer.generate.protocol import QuotableStatement
from clinrag_core.answer.select import Wanted, rank_statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.evidence import Evidence
    from clinrag_core.answer.question import AskedQuestion
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement, Unfit
    from clinrag_core.retrieve.engine import SearchEngine

PACK_WORDS = 500
"""Words of statements that a generator gets: they hold .69 of the facts, five passages .37."""
_NEVER_QUOTED: frozenset[Unfit] = frozenset(
    {"unsure_binding", "incomplete", "furniture", "apparatus"}
)


class QuotedPassage(NamedTuple):
    """A passage that statements are quoted from."""

    chunk: Chunk
    knowledge_base: str
    scores: Mapping[str, float]


class Selection(NamedTuple):
    """The statements that fit a question, best first, and the passages that hold them."""

    statements: list[QuotableStatement]
    passages: list[QuotedPassage]


def select_statements(
    question: AskedQuestion,
    evidence: Evidence,
    engines: Sequence[SearchEngine],
    drugs: DrugLexicon,
    idf: Mapping[str, float],
) -> Selection:
    """Return the statements that fit a question, up to about 500 words of them."""
    wanted = Wanted(question.search_text, evidence.analysis, question.targets, idf)
    chosen: list[QuotableStatement] = []
    passages: dict[str, QuotedPassage] = {}
    words = 0
    for ranked in rank_statements(wanted, engines, drugs):
        if words >= PACK_WORDS:
            break
        if not is_quotable(ranked.statement):
            continue
        held = _passages(ranked.statement, engines)
        scores = {"statement": ranked.score, "dense": ranked.cosine}
        for chunk in held.values():
            passages.setdefault(chunk.id, QuotedPassage(chunk, ranked.knowledge_base, scores))
        citations = cite_quotes(ranked.statement, held)
        chosen.append(QuotableStatement(ranked.statement, ranked.score, citations))
        words += len(ranked.statement.said.split())
    return Selection(chosen, list(passages.values()))


def is_quotable(statement: IndexedStatement) -> bool:
    """Return whether a statement says something by itself, whatever is asked."""
    return _NEVER_QUOTED.isdisjoint(statement.unfit) and statement.statement_kind not in (
        "note",
        "lead_in",
    )


def _passages(statement: IndexedStatement, engines: Sequence[SearchEngine]) -> dict[str, Chunk]:
    """Return the passages that a statement quotes, by id."""
    return {
        quote.chunk_id: base.chunk(quote.chunk_id)
        for quote in statement.quotes
        for engine in engines
        for base in engine.knowledge_bases.values()
        if quote.chunk_id in base
    }
