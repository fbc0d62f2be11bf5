"""The extractive answer: evidence sentences, each with its exact citation, or an abstention.

Nothing is written that does not stand in the evidence. Gates, routing and calibration are not here
yet; until a threshold is calibrated the fallback decides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.errors import ComponentUnavailableError
from clinrag_core.model import Citation, Record
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model import Chunk
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import SearchHit
    from clinrag_core.settings import AnswerSettings

Status = Literal["answered", "abstained"]
Reason = Literal["no_evidence", "low_confidence", "no_supporting_sentence"]
EVIDENCE_CHUNKS = 5
MIN_SENTENCE_TOKENS = 4


class ExtractiveAnswer(Record):
    """An answer made of evidence sentences; empty, with its reason, where it abstains."""

    status: Status
    reason: Reason | None = None
    confidence: float
    """Cosine of the best passage, the signal the threshold is on."""
    citations: tuple[Citation, ...] = ()


class _Sentence(NamedTuple):
    score: float
    rank: int
    chunk: Chunk
    start: int
    end: int


def cite(chunk: Chunk, start: int, end: int) -> Citation:
    """A citation of a span of a chunk's text; `start` and `end` count from the chunk's start."""
    return Citation(
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document_title=chunk.document_title,
        section_path=chunk.section_path,
        start=chunk.start + start,
        end=chunk.start + end,
        snippet=chunk.text[start:end],
        page=chunk.page,
        page_label=chunk.page_label,
        loinc=chunk.loinc,
        label_version=chunk.label_version,
        effective=chunk.effective,
    )


def answer_extractively(
    engine: SearchEngine,
    question: str,
    knowledge_bases: Sequence[str] | None,
    settings: AnswerSettings,
) -> ExtractiveAnswer:
    """Answer from the best passages, or abstain.

    Abstains without evidence, when the best passage is less similar than `abstain_below`, and when
    no sentence shares a word with the question.

    Raises:
        QueryError: a knowledge base name is unknown.
        ComponentUnavailableError: a retriever failed; nothing is answered from half a search.
    """
    bases = tuple(knowledge_bases) if knowledge_bases is not None else None
    request = SearchRequest(query=question, knowledge_bases=bases, top_k=EVIDENCE_CHUNKS)
    result = engine.search(request)
    if result.component_errors:
        raise ComponentUnavailableError(f"components failed: {', '.join(result.component_errors)}")
    if not result.hits:
        return ExtractiveAnswer(status="abstained", reason="no_evidence", confidence=0.0)
    confidence = max(hit.component_scores.get("dense", 0.0) for hit in result.hits)
    if confidence < settings.abstain_below:
        return ExtractiveAnswer(status="abstained", reason="low_confidence", confidence=confidence)
    weights = _question_weights(engine, question)
    sentences = [s for hit in result.hits for s in _sentences(hit, weights)]
    best = sorted(sentences, key=lambda s: (-s.score, s.rank, s.start))[: settings.sentences]
    if not best:
        return ExtractiveAnswer(
            status="abstained", reason="no_supporting_sentence", confidence=confidence
        )
    return ExtractiveAnswer(
        status="answered",
        confidence=confidence,
        citations=tuple(cite(s.chunk, s.start, s.end) for s in best),
    )


def _question_weights(engine: SearchEngine, question: str) -> dict[str, float]:
    """Inverse document frequency of each token of the question, the largest of the bases'."""
    tokens = set(tokenize(question))
    return {
        token: max(base.idf.get(token, 0.0) for base in engine.knowledge_bases.values())
        for token in sorted(tokens)
    }


def _sentences(hit: SearchHit, weights: dict[str, float]) -> Iterator[_Sentence]:
    """Sentences that share a token with the question, scored by its weight, damped by length."""
    for start, end in sentence_spans(hit.chunk.text):
        tokens = tokenize(hit.chunk.text[start:end])
        if len(tokens) < MIN_SENTENCE_TOKENS:
            continue
        shared = math.fsum(weights.get(token, 0.0) for token in sorted(set(tokens)))
        if shared > 0:
            score = shared / (1 + math.log(len(tokens))) / math.sqrt(hit.rank)
            yield _Sentence(score, hit.rank, hit.chunk, start, end)


def citation_problems(citation: Citation, chunk: Chunk | None) -> list[str]:
    """What is wrong with a citation: `missing`, `out_of_range`, `not_verbatim`; empty: nothing."""
    if chunk is None:
        return ["missing"]
    if not chunk.start <= citation.start < citation.end <= chunk.end:
        return ["out_of_range"]
    start, end = citation.start - chunk.start, citation.end - chunk.start
    return [] if chunk.text[start:end] == citation.snippet else ["not_verbatim"]
