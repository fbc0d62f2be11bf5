"""The words a set of documents uses, and those of a question it has never used.

A question about something no document names cannot be answered from them, however similar the
passages look: "gene editing for tuberculosis" finds passages on tuberculosis.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.common_words import is_common, is_known
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.families import MIN_ROOT, word_root
from clinrag_core.text.normalise import fold
from clinrag_core.text.similarity import close_words, english_sound
from clinrag_core.text.spelling import IRREGULAR_PLURALS, unify_spelling
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import NEGATIONS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = lazy_re(r"[^\W_]{3,}")
COMPOUND = lazy_re(r"[^\W_]+(?:-[^\W_]+)*")
_PREFIX = lazy_re(r"^(?:co|mis|non|post|pre|self|un)")
_CONTRACTED = lazy_re(r"n't\b|'(?:s|re|ve|ll|d|m)\b")
_DOSED = lazy_re(r"\bdos(?:es?|ages?|ing)\s+of\s+([^\W_]{3,})")
_CODE = lazy_re(r"(?!q\d{1,2}h)(?:[a-z]{2,}\d+[a-z\d]*|[a-z]\d{2,}[a-z\d]*)")
"""A name with digits: "vpm1002", "m72"; not a quantity, "b6", "k2" or "q24h"."""
_YEAR = lazy_re(r"(?:19|20)\d\d")
MIN_STEM = 3
"""Letters of a stem that all forms of a word share; shorter prefixes join unrelated words."""
MIN_MISSPELT = 6
"""Fewest letters of a word that may be misspelt: one edit makes another word of a shorter one."""
MIN_CLIPPED, MIN_DROPPED = 4, 3
"""Fewest letters of a clipped word, and of what it lacks; a plural lacks two."""


class PlainWordTable(Record):
    """Words that name no topic."""

    general: str
    clinical: str
    frequent: str
    nouns: str
    care: str
    measures: str
    places: str
    topics: str


@cache
def plain_stems() -> frozenset[str]:
    """Return stems of words that name no topic: general English and clinicians' short forms."""
    table = load_table("plain_words", PlainWordTable)
    return _stems(f"{table.general} {table.clinical} {table.frequent} {table.nouns}")


@cache
def _plain_roots() -> frozenset[str]:
    table = load_table("plain_words", PlainWordTable)
    roots = map(word_root, table.general.split())
    return frozenset(root for root in roots if len(root) >= MIN_ROOT)


def is_plain(word: str) -> bool:
    """Return whether a word, or another of its family, names no topic."""
    return stem(unify_spelling(word)) in plain_stems() or word_root(word) in _plain_roots()


@cache
def measure_stems() -> frozenset[str]:
    """Return stems of words that an answer must say: general ones, laboratory values, countries."""
    table = load_table("plain_words", PlainWordTable)
    return _stems(f"{table.measures} {table.places}")


@cache
def _place_stems() -> frozenset[str]:
    return _stems(load_table("plain_words", PlainWordTable).places)


def is_place(word: str) -> bool:
    """Return whether a word names a country or a part of the world."""
    return stem(word) in _place_stems()


@cache
def _topic_stems() -> frozenset[str]:
    return _stems(load_table("plain_words", PlainWordTable).topics)


def is_incidental(word: str) -> bool:
    """Return whether a folded word is so frequent in English that no question turns on it."""
    return is_common(word) and not _is_topic(word)


def is_everyday(word: str) -> bool:
    """Return whether readers of English know a folded word, and it is no topic of medicine."""
    return is_known(word) and not (_is_topic(word) or is_drug_shaped(word))


def _is_topic(word: str) -> bool:
    return stem(unify_spelling(word)) in _topic_stems()


class FamilyTable(Record):
    """Words of one sense, one row each."""

    families: tuple[str, ...]


@cache
def _senses() -> dict[str, tuple[str, ...]]:
    """Return the rows of the table by the stem of each of their words."""
    senses: dict[str, tuple[str, ...]] = {}
    for row in load_table("word_families", FamilyTable).families:
        words = tuple(row.split())
        for word in words:
            key = stem(unify_spelling(word))
            senses[key] = senses.get(key, ()) + words
    return senses


def same_sense(word: str) -> tuple[str, ...]:
    """Return the words with the sense of a folded word; none where no row of the table has it."""
    return _senses().get(stem(unify_spelling(word)), ())


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

    def _is_term(self, word: str) -> bool:
        """Return whether a term has the spelling of a word, or of its singular."""
        token = unify_spelling(word)
        places = ((terms, bisect_left(terms, token)) for terms in self._terms)
        return any(at < len(terms) and terms[at] == token for terms, at in places)

    def _has_form(self, word: str) -> bool:
        """Return whether a term has the spelling or the stem of a word."""
        token = unify_spelling(word)
        if self._is_term(word):
            return True
        wanted = stem(token)
        prefix = wanted[: max(MIN_STEM, len(wanted) - 2)]
        for terms in self._terms:
            at = bisect_left(terms, prefix)
            while at < len(terms) and terms[at].startswith(prefix):
                if stem(terms[at]) == wanted:
                    return True
                at += 1
        return False

    def names_family(self, word: str) -> bool:
        """Return whether the documents use a word of the same family, or of the same sense."""
        return any(map(self.uses, same_sense(word))) or self._has_root(word)

    def _has_root(self, word: str) -> bool:
        """Return whether a term has the root of a word."""
        root = word_root(word)
        if len(root) < MIN_ROOT or not root.isalpha():
            return False
        for terms in self._terms:
            at = bisect_left(terms, root[: MIN_ROOT - 1])
            while at < len(terms) and terms[at].startswith(root[: MIN_ROOT - 1]):
                if word_root(terms[at]) == root:
                    return True
                at += 1
        return False

    def unknown(self, question: str, known: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        """Return the words of a question that name something the documents never name.

        A compound is known if the documents use it or all of its longer parts. A word that has the
        form of a drug's name, or that a dose is asked of, is known only if they use it, or one that
        the table of senses has for it.

        Args:
            question: the text; numbers are passed over, years are not.
            known: spans of `fold_chars(question)` that are known to name something of the field.
        """
        unknown: dict[str, None] = {}
        text = _CONTRACTED.sub("", fold(_without(question, known)))
        dosed = {match.group(1) for match in _DOSED.finditer(text)}
        for match in COMPOUND.finditer(text):
            joined = match.group().replace("-", "")
            if joined != match.group() and (self.uses(joined) or self.names_family(joined)):
                continue
            for word in _WORD.findall(match.group()):
                if not self._knows(word, exact=word in dosed or is_drug_shaped(word)):
                    unknown[word] = None
        return tuple(unknown)

    def _knows(self, word: str, *, exact: bool) -> bool:
        """Return whether a word names no topic, or one that the documents speak of."""
        if not word.isalpha() and not _YEAR.fullmatch(word) and not _CODE.fullmatch(word):
            return True
        if word in STOP_WORDS or word in FUNCTION_WORDS or word in NEGATIONS:
            return True
        plain = is_plain(word) and not is_drug_shaped(word)
        if plain or exact or self.uses(word):
            return plain or self.uses(word) or any(map(self.uses, same_sense(word)))
        return (
            any(
                is_plain(form) or self.uses(form) or self.names_family(form)
                for form in {word, _PREFIX.sub("", word)}
                if form == word or len(form) >= MIN_MISSPELT
            )
            or self._misspelt(word)
            or is_incidental(word)
        )

    def completions(self, word: str) -> tuple[str, ...]:
        """Return the words of the documents that a clipped one begins, as "pulm" does.

        None where words of several families begin so ("clari"), or where it is too short to tell.
        """
        if len(word) < MIN_CLIPPED or not word.isalpha() or is_drug_shaped(word):
            return ()
        begun: set[str] = set()
        for terms in self._terms:
            at = bisect_left(terms, word)
            while at < len(terms) and terms[at].startswith(word):
                if len(terms[at]) > len(word) and terms[at].isalpha():
                    begun.add(terms[at])
                at += 1
        families = {word_root(one)[: len(word) + 1] for one in begun}
        whole = [one for one in begun if len(one) >= len(word) + MIN_DROPPED]
        return tuple(sorted(whole)) if len(families) == 1 else ()

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        words: dict[str, set[str]] = {}
        terms = {term for terms in self._terms for term in terms}
        plurals = {many for many, one in IRREGULAR_PLURALS.items() if one in terms}
        for term in terms | plurals:
            if len(term) >= MIN_MISSPELT - 1 and term.isalpha():
                words.setdefault(term[0], set()).add(term)
        return {letter: sorted(found) for letter, found in words.items()}

    def meant_by(self, word: str) -> tuple[str, ...]:
        """Return the words of the documents that a misspelt one is an edit away from.

        Where there are none, those two away that sound like it: "periferal" is "peripheral".
        Empty for a word that readers of English know, that the documents use, that is too short,
        or that has the form of a drug's name. For one that has only the stem of words they use,
        those with that stem: "impairement".
        """
        is_word = is_known(word) or is_drug_shaped(word) or self._is_term(word)
        near = () if is_word or not word.isalpha() else self._near(word)
        return tuple(n for n in near if stem(n) == stem(word)) if self.uses(word) else near

    def _near(self, word: str) -> tuple[str, ...]:
        if len(word) < MIN_MISSPELT:
            return ()
        words = self._by_letter.get(word[0], [])
        if near := close_words(word, words, 1):
            return tuple(name for _, name in near)
        sound = english_sound(word)
        return tuple(n for _, n in close_words(word, words, 2) if english_sound(n) == sound)

    def _misspelt(self, word: str) -> bool:
        """Return whether a word is misspelt for one that the documents use."""
        return bool(self._near(word))
