"""What a claim must not do with an exception of its source: take it in, or widen it to "any".

"Except after exposure to anthrax" is lost in "this also covers exposure to anthrax", though every
word of the exception is kept; "at the recommended doses" in "at any dose".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = 0.6
"""Share of the words of an exception, and of its sentence, from which a claim speaks of both, by
judgement."""
_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for| in| when| if)?|excluding|other than|apart from"
    r"|with the exception of)\s+(?P<what>[^.;:]{3,90})"
)
_SENTENCE_END = re.compile(r"[.;:](?!\d)")
_EXCLUDES = re.compile(
    r"\b(?:except\w*|exclud\w+|other than|apart from|but not|not|no|never|unless|without|bar"
    r"|aside from|save for|rather than|whereas|do(?:es)? n.t|n't)\b"
)
_ANY = re.compile(
    r"\b(?:at|in|of|for|by|with) any (?P<what>dos(?:e|age)|age|weight|stage|time|duration|amount"
    r"|strength|route|patient|circumstances?|conditions?)\b"
    r"|\b(?:regardless|irrespective) of (?:the )?(?P<other>\w+)"
)


def admitted(claim: str, source: str) -> list[str]:
    """Return the first words of exceptions that a claim takes in, and what it widens to any."""
    said, stated = fold_chars(claim), fold_chars(source)
    return [*_taken_in(said, stated), *_widened(said, stated)]


def _taken_in(said: str, stated: str) -> Iterator[str]:
    """Yield exceptions of sentences that a claim repeats, and that it does not except."""
    if _EXCLUDES.search(said):
        return
    stems = frozenset(key_stems(said))
    for sentence in _SENTENCE_END.split(stated):
        for match in _EXCEPTION.finditer(sentence):
            rest = frozenset(key_stems(sentence[: match.start()] + sentence[match.end() :]))
            own = frozenset(key_stems(match["what"])) - plain_stems() - rest
            parts = (own, rest)
            if all(part and len(part & stems) >= KEPT * len(part) for part in parts):
                yield match["what"].split()[0]


def _widened(said: str, stated: str) -> Iterator[str]:
    for match in _ANY.finditer(said):
        what = match["what"] or match["other"]
        if not re.search(
            rf"\b(?:any|regardless|irrespective|whatever|all)\b[^.;]*\b{what[:4]}", stated
        ):
            yield match.group().split()[0]
