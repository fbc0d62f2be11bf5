"""How hard a patient's text is: its grade, and the words that need a professional.

Names of drugs and figures cannot be said otherwise, and a patient reads them off the box: each
counts as a word of two syllables, about the mean of plain English, so that the grade measures the
words around them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.lexicon.clinical_terms import clinical_terms
from clinrag_core.lexicon.vocabulary import everyday_stems
from clinrag_core.text.readability import flesch_kincaid, syllables
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon

OF_A_NAME = 2
"""Syllables that a drug's name or a figure counts as."""
HARD = 3
"""Syllables from which a word is hard (Gunning, The Technique of Clear Writing, 1952)."""
HARD_SIGNS = re.compile(r"[↑↓↔\t|{}\[\]]|\w[‡†§]")
_WORD = re.compile(r"[^\W_]+(?:[.,/'-][^\W_]+)*%?")


def grade_of(sentences: Sequence[str], drugs: DrugLexicon) -> float | None:
    """Return the Flesch-Kincaid grade of sentences; None without a word."""
    grade = flesch_kincaid(
        [n for word, name in _words(s, drugs) for n in _spoken(word, name)] for s in sentences
    )
    return None if grade is None else round(grade, 1)


def hard_words(text: str, drugs: DrugLexicon) -> list[str]:
    """Return the words of a text that a patient cannot be expected to know, sorted."""
    hard = {
        part
        for word, name in _words(text, drugs)
        if not name and not word[0].isdigit()
        for part in re.split(r"[-/.,]", word)
        if _is_hard(part)
    }
    return sorted(hard | set(HARD_SIGNS.findall(text)))


def _words(text: str, drugs: DrugLexicon) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, and whether each is a drug's name."""
    named = [(mention.start, mention.end) for mention in drugs.mentions(text)]
    for match in _WORD.finditer(text):
        inside = any(a < match.end() and match.start() < b for a, b in named)
        if not inside or any(a <= match.start() < b for a, b in named):
            yield match.group(), inside


def _spoken(word: str, name: bool) -> list[int]:  # noqa: FBT001
    if name or word[0].isdigit():
        return [OF_A_NAME]
    return [syllables(part) for part in re.split(r"[-/.,]", word) if part]


def _is_hard(word: str) -> bool:
    if word in _known() or word.casefold() in _known():
        return False
    if word.casefold() in clinical_terms().words.professional:
        return True
    if len(word) > 1 and sum(map(str.isupper, word)) > 1:
        return True  # an abbreviation
    return (
        syllables(word) >= HARD
        and stem(unify_spelling(word.casefold())) not in everyday_stems() | _known_stems()
    )


@cache
def _known() -> frozenset[str]:
    """Words that patients know, and those of plain words, as printed."""
    table = clinical_terms()
    explained = [term for term, plain in table.pairs.items() if "{}" in plain]
    printed = " ".join([*table.pairs.values(), *explained])
    return table.words.known | frozenset(re.findall(r"[^\W\d_]+", printed))


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(stem(unify_spelling(word.casefold())) for word in _known())
