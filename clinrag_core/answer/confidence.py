"""The confidence signal: how well the best passage fits the question, in [0, 1].

The mean of two scores of one passage, the largest over the passages left: its cosine with the
question, and the share of the question's key words it covers, weighted by inverse document
frequency. Without dense search the second alone. Never a fused rank score, which says nothing
about fit. It is meant to be calibrated, not read.
"""

from __future__ import annotations

from functools import lru_cache
from string import digits
from typing import TYPE_CHECKING

from clinrag_core.answer.word_weights import greatest
from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.similarity import weighted_containment
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.request import SearchHit

MIN_LETTERS = 3
"""Letters after figures from which a token is a name, as "2RHZE" is; "400mg" is a figure."""
CACHED_PASSAGES = 2_048
"""Passages whose stems are kept, in memory only: those that are found again and again."""

SIGNAL = "mean-of-cosine-and-coverage/3"


def question_weights(tokens: Sequence[str], idf: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of each key stem of a question; words in no passage weigh most.

    The join of a hyphen compound counts only where passages contain it: its parts count as well.
    """
    most = greatest(idf)
    weights: dict[str, float] = {}
    for token in tokens:
        key = stem(token)
        letters = token.lstrip(digits)
        is_name = token in idf and letters.isalpha() and len(letters) >= MIN_LETTERS
        is_figure = token[0].isdigit() and not is_name
        if token in FUNCTION_WORDS or is_figure or key in plain_stems():
            continue
        joined = any(token != part and token.startswith(part) for part in tokens)
        if token in idf or not joined:
            weights[key] = max(weights.get(key, 0.0), idf.get(token, most))
    return weights


def coverage(chunk: Chunk, weights: Mapping[str, float]) -> float:
    """Return the weighted share of a question's key stems in a passage or its titles, in [0, 1]."""
    text = " ".join((chunk.text, chunk.document_title, *chunk.section_path))
    return weighted_containment(weights, _stems(text))


@lru_cache(maxsize=CACHED_PASSAGES)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, set(tokenize(text))))


def fit(hit: SearchHit, weights: Mapping[str, float], *, dense: bool) -> float:
    """Return how well one passage fits a question, in [0, 1]."""
    share = coverage(hit.chunk, weights)
    if dense:
        share = (share + _cosine(hit)) / 2
    return share


def _cosine(hit: SearchHit) -> float:
    return min(max(hit.component_scores.get("dense", 0.0), 0.0), 1.0)


def confidence(hits: Sequence[SearchHit], weights: Mapping[str, float], *, dense: bool) -> float:
    """Return the signal of passages of one knowledge base; 0 without any.

    `dense` says whether dense search answered, so that cosines are known.
    """
    best = 0.0
    for hit in sorted(hits, key=_cosine, reverse=True):
        if dense and (1 + _cosine(hit)) / 2 <= best:
            break  # no word of those left can make them fit better
        best = max(best, fit(hit, weights, dense=dense))
    return round(best, 6)
