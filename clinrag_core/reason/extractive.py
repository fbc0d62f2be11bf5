"""A reasoner without a model: each option is compared with the evidence for the question.

Words, concepts and vectors say how near an option is to a statement of the evidence; the facts that
the gates compare (figures with units, drugs, what is denied) say whether it contradicts. A tie is
an abstention, never the first option. It is near chance: see docs/multistage.md for the figures.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.reader import read_facts
from clinrag_core.reason.records import Choice
from clinrag_core.text.similarity import containment, weighted_containment
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.reason.records import ChoiceQuestion

TIED = 1e-9  # two sums of the same parts may differ by rounding
WORDS, VECTORS, CONCEPTS = 1.0, 1.0, 0.5
"""Round weights, not fitted: none of the three beats the majority letter by itself."""
CONTRADICTED = 0.5
"""Taken off an option that the evidence contradicts."""
NEAR = 0.6
"""Least share of an option's words in a statement that can contradict it."""
_VERDICT = re.compile(r"(?:yes|no|maybe|true|false)\.?", re.IGNORECASE)


class EvidenceStatement(NamedTuple):
    """A statement of the evidence."""

    text: str
    chunk_id: str
    vector: NDArray[np.float32]


class ExtractiveReasoner:
    """Chooses the option that is nearest to the evidence and not contradicted by it.

    Args:
        retrieve: statements for a question, best first; it never gets the options.
        encode: texts to vectors of norm 1.
        drugs: reads the drugs of options and statements.
        idf: weight of each stem.
        recogniser: reads the concepts of both; None leaves them out.
    """

    name = "extractive"

    def __init__(
        self,
        retrieve: Callable[[str], Sequence[EvidenceStatement]],
        encode: Callable[[Sequence[str]], NDArray[np.float32]],
        drugs: DrugLexicon,
        idf: Mapping[str, float],
        recogniser: ConceptRecogniser | None = None,
    ) -> None:
        self._retrieve = retrieve
        self._encode = encode
        self._drugs = drugs
        self._idf = idf
        self._most = greatest(idf)
        self._recogniser = recogniser

    def choose(self, question: ChoiceQuestion) -> Choice:
        """See `Reasoner`."""
        options = question.options
        if all(_VERDICT.fullmatch(text.strip()) for text in options.values()):
            return Choice(letter=None, reason="not_entailable")
        evidence = self._retrieve(question.question)
        read = tuple(dict.fromkeys(statement.chunk_id for statement in evidence))
        if not evidence:
            return Choice(letter=None, reason="no_evidence")
        stems = [frozenset(key_stems(statement.text)) for statement in evidence]
        near = self._nearness(question, evidence, stems)
        contradicted = tuple(
            letter for letter, text in options.items() if self._contradicted(text, evidence, stems)
        )
        scores = {
            letter: round(value - CONTRADICTED * (letter in contradicted), 9)
            for letter, value in zip(options, near, strict=True)
        }
        best = max(scores.values())
        first = [letter for letter, value in scores.items() if best - value <= TIED]
        return Choice(
            letter=first[0] if len(first) == 1 else None,
            reason="chosen" if len(first) == 1 else "tie",
            scores=scores,
            evidence=read,
            contradicted=contradicted,
        )

    def _nearness(
        self,
        question: ChoiceQuestion,
        evidence: Sequence[EvidenceStatement],
        said: Sequence[frozenset[str]],
    ) -> list[float]:
        """Return how near each option is to its nearest statement."""
        texts = list(question.options.values())
        asked = frozenset(key_stems(question.question))
        vectors = self._encode([f"{question.question} {text}" for text in texts])
        cosines = vectors @ np.stack([statement.vector for statement in evidence]).T
        near = VECTORS * cosines.max(axis=1)
        concepts = [frozenset(self._concepts(statement.text)) for statement in evidence]
        for row, text in enumerate(texts):
            new = [stem for stem in dict.fromkeys(key_stems(text)) if stem not in asked]
            weights = {stem: self._idf.get(stem, self._most) for stem in new}
            near[row] += WORDS * max(weighted_containment(weights, stems) for stems in said)
            named = frozenset(self._concepts(text))
            near[row] += CONCEPTS * max(containment(named, others) for others in concepts)
        return near.tolist()

    def _concepts(self, text: str) -> list[str]:
        return self._recogniser.tokens(text) if self._recogniser is not None else []

    def _contradicted(
        self,
        option: str,
        evidence: Sequence[EvidenceStatement],
        stems: Sequence[frozenset[str]],
    ) -> bool:
        """Return whether a statement on the same thing has another figure, drug or polarity."""
        # Its figures may be what differs.
        own = frozenset(stem for stem in key_stems(option) if not stem[0].isdigit())
        said = read_facts(option, self._drugs)
        near = (
            read_facts(statement.text, self._drugs)
            for statement, others in zip(evidence, stems, strict=True)
            if containment(own, others) >= NEAR
        )
        return any(_differs(said, other) for other in near)


def _differs(said: Facts, other: Facts) -> bool:
    """Return whether two texts on one thing have other figures, other drugs or deny otherwise."""
    figures = {quantity.key for quantity in said.quantities}
    kinds = {quantity.kind for quantity in said.quantities}
    stated = {quantity.key for quantity in other.quantities if quantity.kind in kinds}
    if figures and stated and not figures & stated:
        return True
    if said.ingredients and other.ingredients and not said.ingredients & other.ingredients:
        return True
    return bool(said.polarity.cues) != bool(other.polarity.cues)
