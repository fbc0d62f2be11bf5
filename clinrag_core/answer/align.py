"""Claim-snippet alignment (seed 000): the evidence sentence that best matches a claim.

By Jaccard similarity of key tokens with every sentence of the evidence; ties by the share of the
claim it contains, then by position. An aid to the reader, not a check: the gates are that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.citations import cite
from clinrag_core.answer.records import Support
from clinrag_core.facts.negation import polarity
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.similarity import containment, jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.chunk import Chunk


CACHED_PASSAGES = 2_048
"""Passages whose sentences are kept, in memory only: those of guidelines are read ahead."""


class EvidenceSentence(NamedTuple):
    """One sentence of a passage with its key stems."""

    chunk: Chunk
    start: int
    end: int
    """Span in the passage's text."""
    stems: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence, verbatim."""
        return self.chunk.text[self.start : self.end]


def evidence_sentences(chunks: Sequence[Chunk]) -> list[EvidenceSentence]:
    """Return every sentence of some passages, in order."""
    return [EvidenceSentence(chunk, *one) for chunk in chunks for one in _sentences(chunk.text)]


@lru_cache(maxsize=CACHED_PASSAGES)
def _sentences(text: str) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """Return the spans of the sentences of a passage, each with its key stems."""
    spans = sentence_spans(text)
    return tuple((start, end, frozenset(key_stems(text[start:end]))) for start, end in spans)


def align(claim: str, sentences: Sequence[EvidenceSentence]) -> Support | None:
    """Return the sentence most like the claim; None where none shares a key token with it."""
    stems = frozenset(key_stems(claim))
    scored = [
        (jaccard(stems, sentence.stems), containment(stems, sentence.stems), -position)
        for position, sentence in enumerate(sentences)
    ]
    best, share, position = max(scored, default=(0.0, 0.0, 0))
    if best <= 0:
        return None
    nearest = sentences[-position]
    return Support(
        citation=cite(nearest.chunk, nearest.start, nearest.end),
        jaccard=round(best, 4),
        containment=round(share, 4),
        negated=len(polarity(claim).cues) % 2 != len(polarity(nearest.text).cues) % 2,
    )
