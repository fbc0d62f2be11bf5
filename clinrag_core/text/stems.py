"""Key stems: the words by which a claim is compared with a sentence.

Tokens of the clinical tokeniser without English function words, stemmed, so that "is used" and
"using" agree. Digits, units and drugs stay.
"""

from __future__ import annotations

from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING

from Stemmer import Stemmer

from clinrag_core.text.tokens import NEGATIONS, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

_FUNCTION_WORDS = """
about above after again all am any because before below between both but can could did do does
doing during each few further here how i if it its itself just may me might more most must my nor
of off once only or other ought our out over own same shall she should so some such than that the
their them then there these they this those through too under until up upon very via we were what
when where whether which whom why will within would you your one s t who's also however therefore
thus including include includes used use using given give gave
"""
CACHED_TEXTS = 2_048
"""Texts whose stems are kept, in memory only: an answer compares each claim with all others."""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words of English grammar."""
_NO_KEYS = FUNCTION_WORDS | NEGATIONS


class _Stemmers(local):
    """A stemmer for each thread: one keeps the word it works on in itself."""

    def __init__(self) -> None:
        self.stem_word: Callable[[str], str] = Stemmer("english").stemWord


_stemmers = _Stemmers()
_IRREGULAR = {
    "taken": "take", "took": "take", "made": "make", "begun": "begin", "began": "begin",
    "shown": "show", "known": "know", "kept": "keep", "found": "find", "held": "hold",
    "left": "leave", "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall",
    "went": "go", "gone": "go", "put": "put", "led": "lead", "told": "tell", "felt": "feel",
}  # fmt: skip


@lru_cache(maxsize=65536)
def stem(token: str) -> str:
    """Return the Porter2 stem of a word, of irregular verbs that of the base form.

    Tokens with other characters than letters stay as they are.
    """
    if not token.isalpha():
        return token
    return _stemmers.stem_word(_IRREGULAR.get(token, token))


def key_stems(text: str) -> list[str]:
    """Return the stems of a text's key tokens, in order; without function words and negations."""
    return list(_key_stems(text))


@lru_cache(maxsize=CACHED_TEXTS)
def _key_stems(text: str) -> tuple[str, ...]:
    return tuple(stem(token) for token in tokenize(text) if token not in _NO_KEYS)
