"""Search by concepts: what a question names, and what the thesaurus leads to from there.

Three uses of one expansion: a component of its own, a part of the lexical score, and the control
of both, which only counts the recognised words more. Every concept added says what brought it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clinrag_core.errors import ComponentUnavailableError, ThesaurusError
from clinrag_core.index.ranking import best_rows
from clinrag_core.lexicon.concepts.rows import RELATIONS
from clinrag_core.model.base import Record
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.retrieve.components import Hits, Query
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings import ConceptSettings
    from clinrag_core.settings.multistage import RelationSettings


class AddedConcept(Record):
    """A concept that a question is searched with, and what brought it."""

    concept: str
    name: str
    relation: Literal["named", "is_a", "narrower", "related"]
    source: str
    """The words of the question, or the name of the concept, that lead to it."""
    weight: float


class Expansion(NamedTuple):
    """The concepts of a question, and its recognised words."""

    concepts: tuple[AddedConcept, ...] = ()
    recognised: tuple[str, ...] = ()
    """Passages of the question that name a concept."""

    @property
    def weights(self) -> dict[str, float]:
        """Weight by concept id."""
        return {added.concept: added.weight for added in self.concepts}


class ConceptExpander:
    """Reads the concepts of a question and follows the relations that have a weight."""

    def __init__(self, recogniser: ConceptRecogniser, settings: ConceptSettings) -> None:
        self.recogniser = recogniser
        self.settings = settings

    def expand(self, question: str, holds: Callable[[str], bool] = lambda _: True) -> Expansion:
        """Return the concepts of a question; only those that the collection holds are added.

        A concept that is both named and led to keeps the greater weight.
        """
        thesaurus = self.recogniser.thesaurus
        added: dict[str, AddedConcept] = {}
        mentions = self.recogniser.recognise(question)
        for mention in mentions:
            words = question[mention.start : mention.end]
            for concept in mention.concepts:
                key = thesaurus.id(concept)
                added[key] = AddedConcept(
                    concept=key, name=thesaurus.name(concept), relation="named", source=words,
                    weight=1 / len(mention.concepts),
                )  # fmt: skip
        for concept in dict.fromkeys(c for mention in mentions for c in mention.concepts):
            self._follow(concept, holds, added)
        recognised = tuple(question[m.start : m.end] for m in mentions)
        return Expansion(tuple(a for a in added.values() if holds(a.concept)), recognised)

    def _follow(
        self, concept: int, holds: Callable[[str], bool], added: dict[str, AddedConcept]
    ) -> None:
        """Add what one concept leads to, by relation, level by level, up to the limit of each."""
        thesaurus = self.recogniser.thesaurus
        for relation in RELATIONS:
            follow: RelationSettings = getattr(self.settings, relation)
            left, level, seen = follow.limit, [concept], {concept}
            weight = follow.weight
            for _ in range(follow.levels if weight else 0):
                reached = (r.concept for c in level for r in thesaurus.related(c)
                           if r.relation == relation)  # fmt: skip
                level = [c for c in dict.fromkeys(reached) if c not in seen]
                seen.update(level)
                for key, target in [(thesaurus.id(c), c) for c in level]:
                    if left and holds(key) and (key not in added or added[key].weight < weight):
                        left -= 1
                        added[key] = AddedConcept(
                            concept=key, name=thesaurus.name(target), relation=relation,
                            source=thesaurus.name(concept), weight=weight,
                        )  # fmt: skip
                weight *= follow.weight


def _expanded(expander: ConceptExpander, base: KnowledgeBase, query: Query) -> Expansion:
    """Return the expansion of a question by what one knowledge base holds.

    Raises:
        ComponentUnavailableError: it has no concept index, or one of another thesaurus.
    """
    index = base.concepts
    if index is None:
        raise ComponentUnavailableError(f"concepts: {base.name} has no concept index")
    if index.thesaurus != expander.recogniser.thesaurus.record.fingerprint:
        raise ComponentUnavailableError(f"concepts: {base.name} is of another thesaurus")
    return expander.expand(
        query.text, lambda concept: index.share(concept) <= expander.settings.common_from
    )


class ConceptRetriever:
    """The component: passages by the concepts that they share with the question.

    Args:
        load: the expander; called for every search, so it keeps what it opens.
        timeout_ms: limit where components run concurrently.
    """

    name: Component = "concepts"

    def __init__(self, load: Callable[[], ConceptExpander], timeout_ms: float = 300) -> None:
        self._load = load
        self.timeout_ms = timeout_ms

    def prepare(self, query: Query) -> object:
        """Return the expansion of the question, whatever a collection holds; for the report."""
        return self._load().expand(query.text)

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """See `Retriever`."""
        del prepared
        weights = _expanded(self._load(), base, query).weights
        assert base.concepts is not None  # noqa: S101 - `_expanded` has checked it
        return best_rows(base.concepts.scores(weights), base.ids, k, query.masks.get(base.name))


class ConceptBM25Retriever:
    """BM25 with concepts inside: words, plus the weighted score of the concepts.

    With `word_factor` above 1 it is the control: recognised words count more, concepts do not.
    """

    name: Component = "bm25"

    def __init__(self, load: Callable[[], ConceptExpander]) -> None:
        self._load = load

    def prepare(self, query: Query) -> object:
        """Nothing is common to the knowledge bases: each holds other concepts."""
        del query
        return None

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """See `Retriever`."""
        del prepared
        expander = self._load()
        settings = expander.settings
        expansion = _expanded(expander, base, query)
        scores = word_scores(base.bm25.scores, query.tokens, expansion, settings.word_factor)
        if settings.lexical_weight:
            assert base.concepts is not None  # noqa: S101 - `_expanded` has checked it
            scores = scores + settings.lexical_weight * base.concepts.scores(expansion.weights)
        return best_rows(scores, base.ids, k, query.masks.get(base.name))


def word_scores(
    score: Callable[[Sequence[str]], NDArray[np.float64]],
    tokens: Sequence[str],
    expansion: Expansion,
    factor: float,
) -> NDArray[np.float64]:
    """Return the scores of words, those of the recognised ones times a factor."""
    scores = score(tokens)
    if factor > 1:
        recognised = [token for part in expansion.recognised for token in tokenize(part)]
        known = set(tokens)
        scores = scores + (factor - 1) * score([t for t in recognised if t in known])
    return scores


def open_expander(settings: ConceptSettings, folder: Path) -> ConceptExpander:
    """Return the expander of a profile; its thesaurus is compiled in a folder on first use.

    Raises:
        ComponentUnavailableError: the thesaurus cannot be read.
    """
    from clinrag_core.lexicon.concepts.open import open_recogniser  # reads XML

    try:
        return ConceptExpander(open_recogniser(settings.thesauri, folder), settings)
    except ThesaurusError as error:
        raise ComponentUnavailableError(f"concepts: {error}") from error
