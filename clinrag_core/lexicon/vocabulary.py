"""The words a set of documents uses, and those of a question it has never used.

A question about something no document names cannot be answered from them, however similar the
passages look: "gene editing for tuberculosis" finds passages on tuberculosis.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import fold
from clinrag_core.text.similarity import close_words
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import NEGATIONS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]{3,}")
_YEAR = re.compile(r"(?:19|20)\d\d")
MIN_STEM = 3
"""Letters of a stem that all forms of a word share; shorter prefixes join unrelated words."""
MIN_MISSPELT = 6
"""Fewest letters of a word that may be misspelt: one edit makes another word of a shorter one."""


class PlainWordTable(Record):
    """Words that name no topic."""

    general: str
    clinical: str
    care: str


@cache
def plain_stems() -> frozenset[str]:
    """Return stems of words that name no topic: general English and clinicians' short forms."""
    table = load_table("plain_words", PlainWordTable)
    return _stems(f"{table.general} {table.clinical}")


@cache
def everyday_stems() -> frozenset[str]:
    """Return stems of words that name no medical entity: general English and words of care."""
    table = load_table("plain_words", PlainWordTable)
    return _stems(f"{table.general} {table.care}")


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(unify_spelling(word)) for word in words.split())


def _without(question: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a question with some spans, and the words they end in, blanked out."""
    characters = list(question)
    for start, end in spans:
        stop = end
        while stop < len(question) and question[stop].isalnum():
            stop += 1
        characters[start:stop] = " " * (stop - start)
    return "".join(characters)


class CorpusVocabulary:
    """Terms of one or several indexes; those of each index are sorted."""

    def __init__(self, terms: Iterable[Sequence[str]]) -> None:
        self._terms = list(terms)
        self._uses = lru_cache(maxsize=4096)(self._has_form)

    def holds(self, word: str) -> bool:
        """Return whether the documents use exactly this word."""
        places = ((terms, bisect_left(terms, word)) for terms in self._terms)
        return any(at < len(terms) and terms[at] == word for terms, at in places)

    def uses(self, word: str) -> bool:
        """Return whether the documents use a word, in any of its forms."""
        return self._uses(word)

    def _has_form(self, word: str) -> bool:
        """Return whether a term has the spelling or the stem of a word."""
        token = unify_spelling(word)
        wanted = stem(token)
        prefix = wanted[: max(MIN_STEM, len(wanted) - 2)]
        for terms in self._terms:
            at = bisect_left(terms, token)
            if at < len(terms) and terms[at] == token:
                return True
            at = bisect_left(terms, prefix)
            while at < len(terms) and terms[at].startswith(prefix):
                if stem(terms[at]) == wanted:
                    return True
                at += 1
        return False

    def unknown(self, question: str, known: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        """Return the words of a question that name something the documents never name.

        Args:
            question: the text; numbers are passed over, years are not.
            known: spans of `fold_chars(question)` that are known to name something of the field.
        """
        unknown: dict[str, None] = {}
        for match in _WORD.finditer(fold(_without(question, known))):
            word = match.group()
            if not word.isalpha() and not _YEAR.fullmatch(word):
                continue
            if word in STOP_WORDS or word in FUNCTION_WORDS or word in NEGATIONS:
                continue
            plain = stem(unify_spelling(word)) in plain_stems()
            if not plain and not self.uses(word) and not self._misspelt(word):
                unknown[word] = None
        return tuple(unknown)

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        words: dict[str, set[str]] = {}
        for term in (t for terms in self._terms for t in terms):
            if len(term) >= MIN_MISSPELT - 1 and term.isalpha():
                words.setdefault(term[0], set()).add(term)
        return {letter: sorted(found) for letter, found in words.items()}

    def _misspelt(self, word: str) -> bool:
        """Return whether a word is one edit away from one that the documents use."""
        if len(word) < MIN_MISSPELT:
            return False
        return bool(close_words(word, self._by_letter.get(word[0], []), 1))
