"""The most frequent words of English: where no document uses one, a question does not turn on it.

"Yesterday" and "bin" tell of everyday life, "grapefruit" and the name of a drug do not.
"""

from __future__ import annotations

from functools import cache
from string import ascii_lowercase

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import data_folder

MOST_FREQUENT = 5_000
"""By occurrences in film subtitles (pyspellchecker's list): "yesterday" is 1,260th, "ringing"
2,436th; "transplant" is 6,489th, "grapefruit" 15,370th."""

KNOWN = 15_000
"""By the same list, words that a question may have although no document has them: "creeping" is
10,898th. Whether an answer needs them is judged by what it says."""

_ENDINGS = ("ed", "ing", "s")
MIN_BASE = 4
"""Fewest letters of a word whose superlative is recognised: "chest" is none."""
MIN_LACKING = 5
"""Fewest letters of a word that a letter is missing from; names of drugs are longer."""


@cache
def common_words(number: int = MOST_FREQUENT) -> frozenset[str]:
    """Return the most frequent words of English, in lower case; `KNOWN` of them at most.

    From `data/words/frequent.txt`, which `data/words/build.py` writes.

    Raises:
        ConfigurationError: the file is missing.
    """
    path = data_folder() / "words" / "frequent.txt"
    try:
        return frozenset(path.read_text(encoding="utf-8").split()[:number])
    except OSError as error:
        raise ConfigurationError(f"{path}: {error}") from error


def is_common(word: str) -> bool:
    """Return whether a folded word is among the most frequent ones."""
    return word in common_words()


def is_known(word: str) -> bool:
    """Return whether a folded word is one that readers of English know, or a form of one."""
    known = common_words(KNOWN)
    return (
        word in known
        or any(word.removesuffix(end) in known for end in _ENDINGS if word.endswith(end))
        or is_superlative(word)
    )


def is_superlative(word: str) -> bool:
    """Return whether a folded word is the superlative of a known one: "kindest", "riskiest"."""
    bases = (word.removesuffix("est"), word.removesuffix("st"), f"{word.removesuffix('iest')}y")
    known = common_words(KNOWN)
    return word.endswith("est") and any(len(one) >= MIN_BASE and one in known for one in bases)


def with_letter(word: str) -> str | None:
    """Return the one frequent word that a folded word is without a letter: "missed" for "missd"."""
    if len(word) < MIN_LACKING or is_known(word):
        return None
    found = {
        word[:at] + letter + word[at:]
        for at in range(1, len(word) + 1)
        for letter in ascii_lowercase
    } & common_words()
    return found.pop() if len(found) == 1 else None
