"""Finds verbs of which a claim exchanges who acts and what is acted on, or names another actor.

"The nurse calls the doctor" is "the doctor is called by the nurse", and not the other way round.
Verbs are those that claim and evidence share, whatever they mean. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.concepts import DRUG, FIGURE, JOINING, WORD
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.roles import general_stems, synonym_of, word_stem
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.facts.concepts import Concept

Keys = frozenset[tuple[str, str]]

_PASSIVE = lazy_re(
    r"\b(?:is|are|was|were|be|been|being) (?:\w+ly )?"
    r"(?P<verb>\w{2,}(?:ed|wn|en|ought|ept|ut|un|ound))(?: \w+ly)? by (?!\d|about|up to|at least)"
)
_SHARED_PASSIVE = lazy_re(r"\b(?:and|or) (?P<verb>\w{2,}ed) by (?!\d)")
_ACTIVE = lazy_re(r"(?<![-/\w])(?P<before>\w+) (?P<verb>[a-z]{3,}(?:s|ed)) (?=(?P<next>[a-z]+))")
_BEFORE_NO_VERB = "the a an of in for with to no by and or is are was were be been being"
_NO_VERB_BEHIND = frozenset(_BEFORE_NO_VERB.split())
_BEHIND_NO_VERB = """
with by in for on at to from after before per of as if when and or than during over among who
"""
_NO_OBJECT = frozenset(_BEHIND_NO_VERB.split())
_MODAL = lazy_re(
    r"\b(?:can|may|might|could|should|must|will|shall) (?:also |then )?"
    r"(?P<verb>(?!be\b|have\b|not\b)[a-z]{3,})\b"
)
_PRONOUN = lazy_re(r" (?:it|them|this|these)\b")
_PARTS = lazy_re(
    r"[;:.,](?!\d)|\b(?:and|but|whereas|while|because|when|if|unless|until|after|before|which|who|that"
    r"|so|although|since|than|with|in|for|on|at|during|from|through|within)\b"
)


class _Act(NamedTuple):
    """A verb with who acts and what is acted on."""

    verb: str
    actor: Keys
    target: Keys


def actors_turned(pair: AlignedSentences) -> list[str]:
    """Return the actors of a claim that are acted on, or do something else, in its evidence."""
    said = _acts(pair.said, pair.claim)
    if not said:
        return []
    stated = _acts(pair.stated, pair.text)
    wrong: list[str] = []
    for one in said:
        others = [other for other in stated if other.verb == one.verb]
        if others and all(
            _exchanged(one, other) or _other_actor(one, other, stated) for other in others
        ):
            wrong += [value for _, value in one.actor]
    return wrong


def _exchanged(said: _Act, stated: _Act) -> bool:
    actor, target = stated.actor - stated.target, stated.target - stated.actor
    kept = (said.actor & actor) | (said.target & target)
    return bool(said.actor & target and said.target & actor) and not kept


def _other_actor(said: _Act, stated: _Act, acts: Sequence[_Act]) -> bool:
    """Return whether a claim has the actor of another act of its evidence."""
    if not said.target & stated.target or said.actor & stated.actor:
        return False
    others = Keys().union(*(one.actor for one in acts if one.verb != stated.verb))
    return bool(stated.actor) and bool(said.actor & others)


@lru_cache(maxsize=CACHED_TEXTS)
def _acts(sentence: tuple[Concept, ...], text: str) -> tuple[_Act, ...]:
    return tuple(act for act in _read(sentence, text.lower()) if act.actor or act.target)


def _read(sentence: tuple[Concept, ...], text: str) -> Iterator[_Act]:
    """Yield the verbs of a lower-case sentence: passive with "by", active with an object, modal."""
    content = [c for c in sentence if _names(c)]
    subject: Keys = Keys()
    for match in sorted((*_PASSIVE.finditer(text), *_SHARED_PASSIVE.finditer(text)), key=_place):
        passive = match.re.pattern == _PASSIVE.pattern
        subject = _named_before(content, text, match.start()) if passive else subject
        yield _Act(_verb(match["verb"]), _named_after(content, text, match.end()), subject)
    for match in (*filter(_has_object, _ACTIVE.finditer(text)), *_MODAL.finditer(text)):
        start, end = match.span("verb")
        left, right = _named_before(content, text, start), _named_after(content, text, end)
        if left and (right or _PRONOUN.match(text, end)):
            yield _Act(_verb(match["verb"]), left, right)


def _has_object(match: re.Match[str]) -> bool:
    """Return whether a word with the end of a verb is one that acts on what follows it."""
    follows = match["next"] in _NO_OBJECT or match["next"].endswith("ed")
    return not follows and match["before"] not in _NO_VERB_BEHIND


def _place(match: re.Match[str]) -> int:
    return match.start()


def _verb(word: str) -> str:
    stem = word_stem(word)
    return synonym_of().get(stem, stem)


def _named_before(content: Sequence[Concept], text: str, end: int) -> Keys:
    """Return what is named before a place, in its part of the sentence."""
    begin = max((m.end() for m in _PARTS.finditer(text, 0, end)), default=0)
    return frozenset(c.key for c in content if begin <= c.start and c.end <= end)


def _named_after(content: Sequence[Concept], text: str, begin: int) -> Keys:
    found = _PARTS.search(text, begin)
    end = found.start() if found else len(text)
    return frozenset(c.key for c in content if begin <= c.start < end)


def _names(concept: Concept) -> bool:
    """Return whether a concept may act or be acted on."""
    if concept.family == WORD:
        return concept.value not in general_stems()
    return concept.family == DRUG or concept.family not in {JOINING, FIGURE, "direction"}
