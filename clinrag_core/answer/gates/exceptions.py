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
    r"|strength|route|patient|circumstances?|conditions?|elective)\b"
    r"|\bany (?P<extent>degree|form|kind|type|extent|severity|grade|stage|cause|amount)\b"
    r"|\b(?:regardless|irrespective) of (?:the )?(?P<other>\w+)"
)


_WHETHER = re.compile(r"\b(?:whether(?! or not) (?:\S+ ){1,6}?or|nor)\b")
"""What extends a statement to a second case."""
_SECOND = re.compile(
    r"\b(?:whether|or|nor|neither|either|both|regardless|irrespective|any|all|with and without)\b"
)
_CAUTION = re.compile(r"\bcaution\w*|\bcare\b|\bcareful\w*")
_FORBIDS = re.compile(
    r"\bcontra-?indicat\w*|\b(?:must|should|can|do|does|may) ?(?:not|never)\b(?!.{0,80}\bunless\b)"
    r"|\bavoid\w*|\bnever\b"
    r"|\bnot (?:be |to be )?(?:recommended|advised|used|given|indicated)\b|\bprohibit\w*"
    r"|\bunsuitable\b|\brul\w+ out\b|\bnot for\b|\bonly\b.{0,40}\bif\b"
)
_BANS = re.compile(
    r"\bcontra-?indicat\w*|\bprohibit\w*|\bforbid\w*|\bbanned\b"
    r"|\bmust (?:not|never) be (?:used|given)\b|\bshould not be (?:used|given)\b"
)


def admitted(claim: str, source: str) -> list[str]:
    """Return the first words of what a claim takes in or widens beyond its source, or forbids."""
    said, stated = fold_chars(claim), fold_chars(source)
    return [
        *_taken_in(said, stated),
        *_widened(said, stated),
        *_banned(said, stated),
        *_levelled(said, stated),
    ]


_LEVELS = re.compile(
    r"\b(?:equal(?:ly)?|on a par|as (?:good|effective|safe) as|no (?:better|worse)"
    r"|the same \w+ as)\b"
)
_LEVEL = re.compile(
    r"\b(?:equal\w*|equivalent\w*|similar\w*|comparabl\w*|same|non-?inferior\w*|as \w+ as|differ\w*"
    r"|either|no better|no worse)\b"
)


def _levelled(said: str, stated: str) -> Iterator[str]:
    """Yield the word by which a claim puts on one level what its source does not."""
    match = _LEVELS.search(said)
    if match and not _LEVEL.search(stated):
        yield match.group()


def _banned(said: str, stated: str) -> Iterator[str]:
    """Yield the word by which a claim forbids what its source asks to use with caution."""
    match = _BANS.search(said)
    if match and _CAUTION.search(stated) and not _FORBIDS.search(stated):
        yield match.group()


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
        what = match["what"] or match["extent"] or match["other"]
        if not re.search(
            rf"\b(?:any|regardless|irrespective|whatever|all)\b[^.;]*\b{what[:4]}", stated
        ):
            yield match.group().split()[0]
    if (found := _WHETHER.search(said)) and not _SECOND.search(stated):
        yield found.group().split()[0]
