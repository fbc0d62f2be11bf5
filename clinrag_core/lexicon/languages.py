"""Recognises a question that is not in English, by its letters or by its most frequent words.

The lexicons read English only. Terse English ("INH + RIF de novo, CrCl 30") must never be taken for
another language, so that a question with more English words, or with one foreign word, is English.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold

_WORD = lazy_re(r"[^\W\d_]+")
MIN_WORDS = 2
"""Fewest different words of one other language: one alone may be a name ("de novo", "la")."""
MIN_SHARE = 0.25
"""Least share of a question's words that are of the language: about .4 of running text is frequent
words, and clinical names lower it."""
MIN_NOUN = 5
"""Letters of a word with a capital that may be a noun of German; shorter ones are names."""
SCRIPTS = ("LATIN", "GREEK", "MICRO SIGN")
"""Parts of the Unicode names of letters in English clinical text ("β-lactam", "µg")."""


class EnglishWords(Record):
    """Frequent words of English, and foreign phrases that it uses."""

    words: str
    phrases: Expression


class LanguageTable(Record):
    """Frequent words by language, and those of English."""

    words: dict[str, str]
    english: EnglishWords


@cache
def _words() -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """Return the words of each other language, and those of English."""
    table = load_table("languages", LanguageTable)
    english = frozenset(table.english.words.split())
    return tuple(frozenset(words.split()) - english for words in table.words.values()), english


def is_english(question: str) -> bool:
    """Return whether a question is in English, as far as its letters and words tell.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    letters = [char for char in question if char.isalpha()]
    foreign = [char for char in letters if not _is_latin(char)]
    if 2 * len(foreign) > len(letters):
        return False
    others, english = _words()
    # Capitals are names and abbreviations ("LA", "DES"), unless everything is in capitals.
    cased = question.lower() if question.isupper() else question
    phrases = load_table("languages", LanguageTable).english.phrases
    words = [
        fold(word)
        for at, word in enumerate(_WORD.findall(phrases.sub(" ", cased)))
        if word.islower() or (word.istitle() and (at == 0 or len(word) >= MIN_NOUN))
    ]
    own = len(english.intersection(words))
    return not any(
        max(own + 1, MIN_WORDS) <= len(known.intersection(words))
        and sum(word in known for word in words) >= MIN_SHARE * len(words)
        for known in others
    )


def _is_latin(char: str) -> bool:
    """Return whether a letter belongs to a script of English clinical text."""
    return any(script in unicodedata.name(char, "") for script in SCRIPTS)
