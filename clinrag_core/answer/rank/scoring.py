"""Scores the statements of all knowledge bases for a question: what the answer is chosen from.

A weighted sum of features scaled to about 0..1. The weights are round numbers near those that a
listwise softmax found on 827 questions whose answer is among the statements that fit (ADR 0063),
together with what `exact` adds, which has the weight 1. Every statement is scored; its nearness to
the passage only where it may decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.answer.confidence import question_weights
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.lexicon.vocabulary import same_sense
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clinrag_core.answer.question.forms import QuestionForms
    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.index.bm25 import BM25Index
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.statements import StatementIndex
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.engine import SearchEngine

    BegunRanking = list["BegunPart"]
    Scores = NDArray[np.float32]

READ = 150
"""Statements of a knowledge base that are ranked, at most."""
QUESTION, ASKING, UNNAMED = 2.8, 1.6, 1.0
"""Weights of the cosines with the forms of the question: whole, asking and unnamed."""
LEXICAL, BLOCK, PASSAGE = 1.2, 0.9, 1.5
SENSE, RARE = 0.6, 5.0
"""Share of the BM25 score that another word of the same sense adds, and inverse document frequency
from which a word is in too few statements to be found by itself: one of 150. By judgement: on dev
no share from .3 to 1 gains or loses one vital fact in a hundred."""
NARRATIVE_DENSITY, FURNITURE, NOTE = 0.45, 0.25, 0.1
OWN_WORDS, ASPECT, ADVICE, FIGURE, ROW, RECOMMENDATION = 0.25, 0.9, 0.15, 0.2, 0.15, 0.15
PREFERRED, NEWER, NAMED = 0.1, 0.1, 1.0
"""For the kind of document that comes first, for every ten years after `OLD`, for a document that
the question names: as much as stating what is asked for, by judgement."""
OLD = 2000
ASIDE = 0.25
_ASIDE = frozenset({
    "overdosage", "description", "how_supplied", "nonclinical_toxicology", "clinical_pharmacology",
    "clinical_studies", "patient_information",
})  # fmt: skip
"""Section groups that answer only questions that ask for them."""


class Wanted(NamedTuple):
    """What is looked for."""

    forms: QuestionForms
    analysis: QueryAnalysis
    targets: frozenset[str]
    """Ingredients asked about."""
    aspects: frozenset[Aspect]
    """What is asked for."""
    idf: Mapping[str, float]
    kind: DocumentKind
    """Kind of document that comes first: guidelines on treatment, labels on their products."""
    documents: frozenset[str] = frozenset()
    """Documents that the question names."""
    codes: frozenset[str] = frozenset()
    """Short names of regimens that it names: "BPaLM"."""


class BegunPart(NamedTuple):
    """One knowledge base during a ranking, without what needs the vectors of the question."""

    base: KnowledgeBase
    statements: StatementIndex
    lexical: Scores
    admitted: NDArray[np.bool_]
    stated: Scores
    """Share of what is asked for."""
    words: Scores
    """From words, headings and date."""


def begin_ranking(
    wanted: Wanted, engines: Sequence[SearchEngine], drugs: DrugLexicon
) -> BegunRanking:
    """Compare the statements of all knowledge bases of some engines with the words of a question.

    A statement that names no drug asked about, nor has a title that does, is left out, unless none
    does.
    """
    tokens = tokenize(wanted.forms.whole)
    weights = question_weights(wanted.analysis.tokens, wanted.idf)
    return [
        _part(base, tokens, wanted, weights, drugs)
        for engine in engines
        for base in engine.knowledge_bases.values()
        if base.statements is not None and len(base.statements)
    ]


def rank_statements(
    texts: QuestionForms, parts: BegunRanking, encode: Callable[[str], Vectors]
) -> list[RankedStatement]:
    """Return the best statements of a ranking that was begun, best first."""
    if not parts:
        return []
    question = encode(texts.whole)
    forms = QUESTION * question + ASKING * encode(texts.asking) + UNNAMED * encode(texts.unnamed)
    queries = np.stack([question.ravel(), forms.astype(np.float32).ravel()], axis=1)
    best_words = max(float(part.lexical.max()) for part in parts) or 1.0
    cosines: list[Scores] = []
    scored: list[tuple[float, str, int, int]] = []
    for number, part in enumerate(parts):
        near = _near(part.statements, part.admitted, queries)
        cosines.append(near[:, 0])
        cheap = _cheap_score(part, near, best_words)
        cheap += ASPECT * part.stated
        cheap += part.words
        rows, scores = _best_rows(part, cheap, question, READ)
        ids = part.statements.ids
        pairs: list[tuple[float, int]] = list(zip(scores.tolist(), rows.tolist(), strict=True))
        scored += [(-score, ids[row], number, row) for score, row in pairs]
    best = sorted(scored)[:READ]
    read = [
        dict(zip(rows, part.statements.statements(rows), strict=True))
        for number, part in enumerate(parts)
        for rows in [[row for _, _, of, row in best if of == number]]
    ]
    return [
        RankedStatement(
            read[number][row], parts[number].base.name, -low, float(cosines[number][row])
        )
        for low, _, number, row in best
    ]


def _part(
    base: KnowledgeBase,
    tokens: Sequence[str],
    wanted: Wanted,
    weights: Mapping[str, float],
    drugs: DrugLexicon,
) -> BegunPart:
    """Return the features of a knowledge base that need no other one."""
    index = base.statements
    assert index is not None  # noqa: S101 - the caller's base has statements
    admitted = np.ones(len(index), dtype=bool)
    if wanted.targets:
        admitted = index.of_ingredients(wanted.targets)
        names = drugs.words_for(wanted.targets) | wanted.codes
        for name in names:
            admitted[index.bm25.rows_with(tokenize(name))] = True
        admitted |= index.titled(names)
    lexical = (index.bm25.scores(tokens) + in_other_words(index.bm25, tokens)).astype(np.float32)
    stated = _stated(index, wanted.aspects)
    words = _word_scores(base, index, wanted, weights)
    return BegunPart(base, index, lexical, admitted, stated, words)


def in_other_words(index: BM25Index, tokens: Sequence[str]) -> NDArray[np.float64]:
    """Return the BM25 scores that other words of the same sense add to those of a question.

    Of a row of words the best in a statement counts, as far as it says more than the word itself;
    a word that many statements have is found without.
    """
    added = np.zeros(len(index.chunk_ids), dtype=np.float64)
    for token in set(tokens):
        others = {one for word in same_sense(token) for one in tokenize(word)} - {token}
        if others and not 0 < index.weight(token) < RARE:
            most = np.max([index.scores([one]) for one in sorted(others)], axis=0)
            added += SENSE * np.maximum(most - index.scores([token]), 0.0)
    return added


def _near(index: StatementIndex, admitted: NDArray[np.bool_], queries: Vectors) -> Vectors:
    """Return the cosines of statements in the blocks of admitted ones; 0 for others."""
    wanted = np.zeros(int(index.blocks.max()) + 1, dtype=bool)
    wanted[index.blocks[admitted]] = True
    rows = np.flatnonzero(wanted[index.blocks])
    if len(rows) > len(index) // 2:  # as fast as copying half of the vectors
        return index.vectors @ queries
    near = np.zeros((len(index), queries.shape[1]), dtype=np.float32)
    near[rows] = index.vectors.take(rows, axis=0) @ queries
    return near


def _best_rows(
    part: BegunPart, cheap: Scores, question: Vectors, depth: int
) -> tuple[NDArray[np.int64], Scores]:
    """Return the best statements and their scores with those by passage, best first.

    A passage's vector has to be read, so only where it may decide: a statement whose score is
    further below the worst of the first `depth` than its passage can add is out.
    """
    admitted = np.flatnonzero(part.admitted)

    def full(rows: NDArray[np.int64]) -> Scores:
        """Return the scores of some rows with their passages."""
        passages, of_row = np.unique(part.statements.passages(part.base)[rows], return_inverse=True)
        near = part.base.dense_scores(question, passages)[of_row]
        return (cheap[rows] + PASSAGE * near).astype(np.float32)

    if len(admitted) > depth:
        first = admitted[np.argpartition(-cheap[admitted], depth)[:depth]]
        least = full(first).min() - PASSAGE
        admitted = admitted[cheap[admitted] >= least]
    scores = full(admitted)
    best = np.argsort(-scores)[:depth]
    return admitted[best], scores[best]


def _cheap_score(part: BegunPart, near: Vectors, best_words: float) -> Scores:
    """Return the score of every statement by vectors, BM25 and what kind of text it is.

    `near` are the cosines with the question and the weighted sums of those with all forms of it.
    """
    index = part.statements
    score = (
        near[:, 1]
        + LEXICAL * part.lexical / best_words
        + BLOCK * index.mean_of_blocks(near[:, 0])
        - NARRATIVE_DENSITY * index.narrative_density
        - FURNITURE * index.unfit_for("furniture", "apparatus")
    )
    return score.astype(np.float32)


def _stated(index: StatementIndex, aspects: frozenset[Aspect]) -> Scores:
    """Return the share of what is asked for that each statement says.

    A dose counts half without how often it is given.
    """
    if not aspects:
        return np.zeros(len(index), dtype=np.float32)
    said = {aspect: index.states(aspect) for aspect in aspects}
    if "dose" in said:
        often = (1 + index.states("frequency")) / 2
        said["dose"] = (said["dose"] * often).astype(np.float32)
    return np.mean(list(said.values()), axis=0).astype(np.float32)


def _word_scores(
    base: KnowledgeBase, index: StatementIndex, wanted: Wanted, weights: Mapping[str, float]
) -> Scores:
    """Return the part of every statement's score that comes from its words, headings and date."""
    groups = wanted.analysis.groups
    covered = index.coverage(weights)
    score = (
        OWN_WORDS * covered.own
        + ADVICE * index.advises
        + FIGURE * index.has_figure
        + ROW * index.of_kinds("row")
        + RECOMMENDATION * index.of_kinds("recommendation")
        + NEWER * index.years_since(OLD) / 10
        + PREFERRED * (base.manifest.kind == wanted.kind)
        - ASIDE * index.in_groups(_ASIDE.difference(groups))
        - NOTE * index.of_kinds("note", "lead_in")
    )
    if wanted.documents:
        score = score + NAMED * index.of_documents(wanted.documents)
    return score.astype(np.float32)
