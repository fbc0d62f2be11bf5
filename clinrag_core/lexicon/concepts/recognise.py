"""Finds the concepts that a text names: the longest names, from left to right, not overlapping.

All windows of n words are compared at once, from one word to `LONGEST`, in sorted hashes. A short
form (TB, PE, MS) counts in capitals only, and where the text supports what it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.lexicon.concepts.thesaurus import SHORT, SURE
from clinrag_core.lexicon.concepts.words import LONGEST, MULTIPLIER, is_short_form, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clinrag_core.lexicon.concepts.thesaurus import Thesaurus

AMBIGUOUS = 4
"""Concepts that a name may have; one of more names nothing in particular."""


class ConceptMention(NamedTuple):
    """A name of concepts in a text."""

    start: int
    end: int
    concepts: list[int]
    words: int


class ConceptRecogniser:
    """Recognises the concepts of a thesaurus; one object serves all threads."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self.thesaurus = thesaurus

    def recognise(self, text: str) -> list[ConceptMention]:
        """Return the concepts that a text names, in reading order."""
        words = words_of(text)
        rows, sizes, places = self._longest(words.hashes)
        concepts = self.thesaurus.concepts_at(places)
        mentions: list[ConceptMention] = []
        short: list[tuple[ConceptMention, int]] = []
        flags = self.thesaurus.flags[places].tolist()
        for row, size, place, named, flag in zip(
            rows, sizes, places.tolist(), concepts, flags, strict=True
        ):
            mention = ConceptMention(words.starts[row], words.ends[row + size - 1], named, size)
            if flag & SHORT:
                short.append((mention, place))
            elif len(named) <= AMBIGUOUS:
                mentions.append(mention)
        if short:
            context = {concept for mention in mentions for concept in mention.concepts}
            for mention, place in short:
                written = text[mention.start : mention.end]
                if is_short_form(written):
                    meant = self._meant(place, mention.concepts, written, context)
                    if 0 < len(meant) <= AMBIGUOUS:
                        mentions.append(mention._replace(concepts=meant))
            mentions.sort(key=lambda mention: mention.start)
        return mentions

    def concepts(self, text: str) -> list[int]:
        """Return the concepts of a text as often as it names them, in reading order."""
        return [concept for mention in self.recognise(text) for concept in mention.concepts]

    def tokens(self, text: str) -> list[str]:
        """Return the concepts of a text as terms of an index: their ids in their source."""
        return [self.thesaurus.id(concept) for concept in self.concepts(text)]

    def _meant(
        self, place: int, concepts: Sequence[int], written: str, context: set[int]
    ) -> list[int]:
        """Return what a short form means: what the text names as well, or is close to.

        The project's own thesaurus needs no such context; without any, a short form is not read.
        "CAPS" is not CAP: plurals fold words, not short forms.
        """
        forms = {written, written.removesuffix("s")}
        candidates = [c for c in concepts if forms.intersection(self.thesaurus.names(c))]
        if named := [concept for concept in candidates if concept in context]:
            return named
        close = [
            concept
            for concept in candidates
            if any(other.concept in context for other in self.thesaurus.related(concept))
        ]
        if close:
            return close
        return candidates[:1] if self.thesaurus.flags[place] & SURE else []

    def _longest(self, words: NDArray[np.uint64]) -> tuple[list[int], list[int], NDArray[np.int64]]:
        """Return first word, number of words and place in the thesaurus of the longest names."""
        count = len(words)
        longest = np.zeros(count, dtype=np.int64)
        places = np.zeros(count, dtype=np.int64)
        hashes = self.thesaurus.hashes
        alive = np.flatnonzero(words)
        window = words[alive]
        for size in range(1, LONGEST + 1):
            if size > 1:
                inside = alive + size <= count
                alive, window = alive[inside], window[inside]
                last = words[alive + size - 1]
                alive, window, last = alive[last != 0], window[last != 0], last[last != 0]
                window = window * MULTIPLIER + last
            if not len(alive):
                break
            at = np.searchsorted(hashes, window)
            at[at == len(hashes)] = 0
            hit = hashes[at] == window
            longest[alive[hit]] = size
            places[alive[hit]] = at[hit]
        rows: list[int] = []
        end = 0
        for row, size in [(r, int(longest[r])) for r in np.flatnonzero(longest).tolist()]:
            if row >= end:
                end = row + size
                rows.append(row)
        chosen = np.array(rows, dtype=np.int64)
        return rows, longest[chosen].tolist(), places[chosen]
