"""What a claim must not do with an exception of its source: take it in, or widen it to "any".

"Except after exposure to anthrax" is lost in "this also covers exposure to anthrax", though every
word of the exception is kept; "at the recommended doses" in "at any dose".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = 0.6
"""Share of the words of an exception, and of its sentence, from which a claim speaks of both, by
judgement."""
_EXCEPTION = lazy_re(
    r"\b(?:except(?:ing)?(?: for| in| when| if)?|excluding|other than|apart from"
    r"|with the exception of)\s+(?P<what>[^.;:]{3,90})"
)
_SENTENCE_END = lazy_re(r"[.;:](?!\d)")
_EXCLUDES = lazy_re(
    r"\b(?:except\w*|exclud\w+|other than|apart from|but not|not|no|never|unless|without|bar"
    r"|aside from|save for|rather than|whereas|do(?:es)? n.t|n't|contra-?indicat\w*|avoid\w*)\b"
)
_INCLUDES = lazy_re(r"\b(?:including|included|as well as|even)\b")
_ANY = lazy_re(
    r"\b(?:at|in|of|for|by|with) any (?P<what>dos(?:e|age)|age|weight|stage|time|duration|amount"
    r"|strength|route|circumstances?|conditions?|elective)\b"
    r"|\bany (?P<extent>degree|form|kind|type|extent|severity|grade|stage|cause|amount)\b"
    r"|\b(?:regardless|irrespective) of (?:the )?(?P<other>\w+)"
)
_CAUTION = lazy_re(r"\bcaution\w*|\bcare\b|\bcareful\w*")


class _Extension(NamedTuple):
    """Words by which a claim says more than its evidence."""

    says: re.Pattern[str]
    supported: re.Pattern[str]
    """Of the evidence: with one of these words the claim says no more."""
    where: re.Pattern[str] | None = None
    """Of the evidence: only where it has one of these."""


_EXTENSIONS = (
    # To a second case.
    _Extension(
        lazy_re(r"\b(?:whether(?! or not) (?:\S+ ){1,6}?or|nor)\b"),
        lazy_re(
            r"\b(?:whether|or|nor|neither|either|both|regardless|irrespective|any|all"
            r"|with and without)\b|\band\b.{0,80}\bnot\b"
        ),
    ),
    # To what is excepted.
    _Extension(
        lazy_re(r"\beven (?:if|in|when|where|for|with)\b"),
        lazy_re(
            r"\b(?:even|including|all|any|every\w*|whether|regardless|irrespective|although|though"
            r"|despite|independent\w*)\b"
        ),
    ),
    # To the whole of a treatment.
    _Extension(
        lazy_re(
            r"\b(?:(?:for|during) the (?:whole|entire|full|complete)"
            r" (?:course|treatment|regimen|period|duration)|throughout)\b"
        ),
        lazy_re(
            r"\b(?:whole|entire|full|complete\w*|throughout|all|overall|until the end|always)\b"
        ),
    ),
    # What is ranked is put on one level.
    _Extension(
        lazy_re(
            r"\b(?:equal(?:ly)?|on a par|as (?:good|effective|safe) as|no (?:better|worse)"
            r"|the same (?!time|day|visit|moment)\w+ as)\b"
        ),
        lazy_re(
            r"\b(?:equal\w*|equivalent\w*|similar\w*|comparabl\w*|same|non-?inferior\w*|as \w+ as"
            r"|differ\w*|either|no better|no worse)\b"
        ),
    ),
    # What is on one level is ranked.
    _Extension(
        lazy_re(
            r"\b(?:more|less|better|worse|superior|inferior|safer|greater|higher|lower)\b"
            r".{0,40}\b(?:than|to)\b"
        ),
        lazy_re(
            r"\b(?:more|less|better|worse|(?<!non)(?<!non-)(?:superior|inferior)\w*|safer|greater"
            r"|higher|lower|fewer|increas\w+|decreas\w+|reduc\w+|least|most|than|not)\b"
        ),
        where=lazy_re(
            r"\b(?:as \w+ as|equal(?:ly)?|similar(?:ly)?|comparable|the same \w+ as|equivalent)\b"
        ),
    ),
    # What asks for caution is forbidden.
    _Extension(
        lazy_re(
            r"\bcontra-?indicat\w*|\bprohibit\w*|\bforbid\w*|\bbanned\b"
            r"|\bmust (?:not|never) be (?:used|given)\b|\bshould not be (?:used|given)\b"
        ),
        lazy_re(
            r"\bcontra-?indicat\w*"
            r"|\b(?:must|should|can|do|does|may) ?(?:not|never)\b(?!.{0,80}\bunless\b)"
            r"|\bavoid\w*|\bnever\b"
            r"|\bnot (?:be |to be )?(?:recommended|advised|used|given|indicated)\b|\bprohibit\w*"
            r"|\bunsuitable\b|\brul\w+ out\b|\bnot for\b|\bonly\b.{0,40}\bif\b"
        ),
        where=_CAUTION,
    ),
)
_ROUTINE = lazy_re(r"\b(?:not|n't|never|no)\b.{0,30}\broutine\w*|\broutine\w*.{0,60}\bnot\b")
_USUALLY = lazy_re(
    r"\b(?:routine|usual|general|standard|always|as a rule|normal|typical|every|regular|need|necess"
    r"|require|all\b)"
)


def admitted(claim: str, source: str) -> list[str]:
    """Return the first words of what a claim takes in or widens beyond its source, or forbids."""
    said, stated = fold_chars(claim), fold_chars(source)
    return [*_taken_in(said, stated), *_widened(said, stated), *_extended(said, stated)]


def _extended(said: str, stated: str) -> Iterator[str]:
    """Yield the words by which a claim says more than its source."""
    for one in _EXTENSIONS:
        found = one.says.search(said)
        if not found or one.supported.search(stated):
            continue
        if one.where is None or one.where.search(stated):
            yield found.group()


def routine_dropped(said: str, stated: str) -> bool:
    """Return whether a sentence of a claim denies all of what its evidence denies as a routine."""
    if not _ROUTINE.search(stated) or _USUALLY.search(said):
        return False
    return _EXCLUDES.search(said) is not None


def _taken_in(said: str, stated: str) -> Iterator[str]:
    """Yield exceptions of sentences that a claim repeats, and that it does not except."""
    if _EXCLUDES.search(said):
        return
    stems = frozenset(key_stems(said))
    for sentence in _SENTENCE_END.split(stated):
        for match in _EXCEPTION.finditer(sentence):
            rest = frozenset(key_stems(sentence[: match.start()] + sentence[match.end() :]))
            own = frozenset(key_stems(match["what"])) - rest
            own -= frozenset() if _INCLUDES.search(said) else plain_stems()
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
