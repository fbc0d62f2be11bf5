"""Tells the clauses of a question that ask from those that tell a story."""

from __future__ import annotations

import re

from clinrag_core.lexicon.vocabulary import COMPOUND
from clinrag_core.text.normalise import fold
from clinrag_core.text.sentences import sentence_spans

_ASKS = re.compile(r"\s*(?:what|how|when|why|which|does|do|should|can|may)\b", re.IGNORECASE)
_OPENERS = (
    "what|which|how|when|where|why|who|is|are|do|does|did|has|have|can|could|should|shall|may|must"
    "|will|would|any|ok|okay|safe|fine|allowed"
)
_BEGINS_SMALL = re.compile(rf"(?:(?<=\w\w\w\.)|(?<=[!?]))\s+(?=(?:{_OPENERS})\b)")
"""Where a sentence that asks begins with a small letter, as people type."""
_ASKING_CLAUSE = re.compile(
    rf"(?:[,;:]|\s[-–—])\s+(?:(?:and|so|but|then|now)\s+)?(?=(?:{_OPENERS})\b)", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|to|from|at|near|off|around|outside)\s+"
    r"(?P<name>(?:[A-Z][a-zà-ÿ]+[ -]?){1,3})\b(?!['’]s\b)"
)


def places_of_story(text: str) -> frozenset[str]:
    """Return the folded words of places in the story of a question: "home from Papua".

    In what asks a place may be what it turns on: "is it licensed in Peru?".
    """
    asked = asked_words(text)
    named = (fold(match["name"]) for match in _PLACE.finditer(text))
    return frozenset(word for one in named for word in COMPOUND.findall(one)) - asked


def asking_sentences(text: str) -> str:
    """Return the sentences of a case that ask; all of it where none has a question mark.

    No source needs to know the words of a patient's story.
    """
    every = [
        one for start, end in sentence_spans(text) for one in _BEGINS_SMALL.split(text[start:end])
    ]
    asking = [one for one in every if "?" in one or _ASKS.match(one)]
    return " ".join(asking) or text


def asking_part(text: str) -> str:
    """Return the clauses of a question that ask, without those before them that tell a story.

    "A waitress on X: with food?" asks "with food?"; a question that begins by asking is one.
    """
    asking = asking_sentences(text)
    cut = None if _ASKS.match(asking) else _ASKING_CLAUSE.search(asking)
    return asking[cut.end() :] if cut else asking


def asked_words(text: str) -> frozenset[str]:
    """Return the folded words of the clauses of a question that ask."""
    compounds = COMPOUND.findall(fold(asking_part(text)))
    return frozenset(word for one in compounds for word in one.split("-"))
