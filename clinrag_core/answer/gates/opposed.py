"""Finds words of a claim that exclude a word which is gone from its evidence.

"Tuberculous peritonitis" says every other word of "tuberculous meningitis", in whatever order. Only
what the claim adds is compared with what it leaves out. Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.comparisons import DENIES, turned_comparison
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.opposed import are_opposites, are_sisters
from clinrag_core.lexicon.roles import synonym_of, word_stem
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.gates.alignment import AlignedSentences

_WORD = lazy_re(r"[^\W\d_]{2,}")


def opposed_words(pair: AlignedSentences, evidence: str) -> list[str]:
    """Return words of a claim's sentence, in none of the evidence, that exclude one that is gone.

    Opposites do not where the claim has a denial more or less: "not brief" is "prolonged".
    """
    said, stated = _words(pair.claim), _words(pair.text)
    there = _words(evidence).keys() | stated.keys()
    new = [word for key, word in said.items() if key not in there]
    gone = [word for key, word in stated.items() if key not in said]
    if not new or not gone:
        return []
    wrong = [one for one in new if any(are_sisters(one, other) for other in gone)]
    denials = [keys.count(DENIES) for keys in (pair.said_keys, pair.stated_keys)]
    if denials[0] == denials[1] and not turned_comparison(pair):
        wrong += [one for one in new if any(are_opposites(one, other) for other in gone)]
    return wrong


@lru_cache(maxsize=CACHED_TEXTS)
def _words(text: str) -> dict[str, str]:
    """Return the words of a text by what they say."""
    synonyms = synonym_of()
    found: dict[str, str] = {}
    for match in _WORD.finditer(fold_chars(text)):
        stem = word_stem(match.group())
        found[synonyms.get(stem, stem)] = match.group()
    return found
