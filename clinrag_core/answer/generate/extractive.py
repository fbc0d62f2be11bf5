"""The extractive generator: evidence sentences, chosen and ordered, each with its exact citation.

Deterministic, and nothing is written that is not in the evidence. A sentence scores by the share of
the question it covers (by inverse document frequency), higher where it contains what the question
asks for (a dose, a test), lower the further down its passage was ranked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite
from clinrag_core.answer.generate.protocol import Draft, DraftClaim
from clinrag_core.answer.generate.table_rows import Row, row_claim
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.lexicon.intents import intent_lexicon
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.similarity import jaccard, weighted_containment
from clinrag_core.text.stems import FUNCTION_WORDS
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from clinrag_core.answer.generate.protocol import Task
    from clinrag_core.model.chunk import Chunk

_NOTE = re.compile(r"(?:[a-z]|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}) ")
"""A footnote with its label: without the cell that calls it, it says nothing. Signs are not labels
here: labels print `*` before items of a list, some of them warnings."""
MIN_TOKENS = 4
MAX_CHARACTERS = 600
"""A longer 'sentence' is a table or a list that lost its marks."""
SAME = 0.8
"""Jaccard similarity from which two sentences say the same."""
TITLE_WEIGHT = 0.5
WANTED_BONUS = 0.4
SECTION_BONUS = 0.15
RANK_DISCOUNT = 0.25
_DOSES = frozenset({"dose", "concentration"})


class _Sentence(NamedTuple):
    """A sentence that may answer, with its score."""

    score: float
    rank: int
    chunk: Chunk
    start: int
    claim: str
    spans: tuple[tuple[int, int], ...]
    tokens: frozenset[str]


class ExtractiveGenerator:
    """Drafts an answer from sentences of the evidence, without a model."""

    name = "extractive"
    revision = "extractive/3"

    def generate(self, task: Task) -> Draft:
        """Return the best sentences, in the order of the evidence."""
        weights = {
            token: task.idf.get(token, 0.0)
            for token in task.analysis.tokens
            if token not in FUNCTION_WORDS
        }
        if not any(weights.values()):
            return Draft(())
        candidates = [
            sentence
            for rank, chunk in enumerate(task.evidence, start=1)
            for sentence in _scored_sentences(task, chunk, rank, weights)
        ]
        candidates.sort(key=lambda s: (-s.score, s.rank, s.start))
        chosen: list[_Sentence] = []
        for sentence in candidates:
            if len(chosen) == task.sentences:
                break
            if all(jaccard(sentence.tokens, other.tokens) < SAME for other in chosen):
                chosen.append(sentence)
        chosen.sort(key=lambda s: (s.rank, s.start))
        return Draft(
            tuple(
                DraftClaim(s.claim, tuple(cite(s.chunk, start, end) for start, end in s.spans))
                for s in chosen
            )
        )


def _scored_sentences(
    task: Task, chunk: Chunk, rank: int, weights: dict[str, float]
) -> list[_Sentence]:
    """Return the sentences of a passage that may answer, each with its score."""
    answers = _section_answers(task, chunk)
    about = set(tokenize(" ".join((chunk.document_title, *chunk.section_path))))
    scored: list[_Sentence] = []
    for start, end in sentence_spans(chunk.text):
        text = chunk.text[start:end]
        tokens = frozenset(tokenize(text))
        if len(tokens) < MIN_TOKENS or len(text) > MAX_CHARACTERS or _NOTE.match(text):
            continue
        row = Row(text, ((start, end),)) if "\t" not in text else row_claim(chunk, start, end)
        if row is None:
            continue
        share = weighted_containment(weights, tokens)
        # What the title says of the passage is true of its sentences, at less weight.
        titled = weighted_containment(weights, about - tokens)
        wanted = _wanted_share(task, text)
        if share <= 0 and not (wanted and titled > 0):
            continue
        score = share + TITLE_WEIGHT * titled + WANTED_BONUS * wanted + SECTION_BONUS * answers
        discounted = score / rank**RANK_DISCOUNT
        scored.append(_Sentence(discounted, rank, chunk, start, *row, tokens))
    return scored


def _wanted_share(task: Task, text: str) -> float:
    """Return how far a sentence contains what the question asks for, in [0, 1]."""
    if task.analysis.diagnosis:
        return float(names_diagnostics(text))
    if "DOSAGE" in task.analysis.intents:
        kinds = {quantity.kind for quantity in quantities(text)}
        # A dose with how often it is given, rather than the strength of a tablet.
        return (bool(kinds & _DOSES) + ("frequency" in kinds and bool(kinds & _DOSES))) / 2
    return 0.0


def _section_answers(task: Task, chunk: Chunk) -> bool:
    """Return whether a passage is in a section that answers the question's intent."""
    heading = chunk.section_path[-1].casefold() if chunk.section_path else ""
    return chunk.group in task.analysis.groups or any(
        rule.name in task.analysis.intents and rule.headings.search(heading)
        for rule in intent_lexicon().intent
    )
