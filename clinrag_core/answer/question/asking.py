"""Tells the clauses of a question that ask from those that tell a story."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.facts.frequencies import GOES_ON
from clinrag_core.lexicon.circumstances import LIMBS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import COMPOUND, is_place
from clinrag_core.text.abbreviations import NEVER_END
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold, fold_chars
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.lexicon.slots import AskedMatter, Aspect

_ASKS = lazy_re(
    r"\s*(?:(?:and|also|plus|so) )?(?:what|how|when|why|which|where|does|do|should|can|may|any)\b",
    re.IGNORECASE,
)
_OPENERS = (
    "what|which|how|when|where|why|who|is|are|do|does|did|has|have|can|could|should|shall|may|must"
    "|will|would|any|ok|okay|safe|fine|allowed"
)
_TELLS = r"needs?|takes?|also|already|he|she|they|patient|pt|has|had|is on|on"
"""What begins a sentence that tells more of a patient after the question."""
_REGIMEN: frozenset[Aspect] = frozenset({"regimen"})
_DEFINITION: frozenset[Aspect] = frozenset({"definition"})
_FIGURE = lazy_re(r"\d\s?$")
_BEGINS_SMALL = lazy_re(
    rf"(?:(?P<word>[^\W_]+)[)%]?\.|[!?])\s+"
    rf"(?:(?P<opens>(?=(?:{_OPENERS})\b))|(?<=\.\s)(?=[a-z])|(?<=\?\s)(?=(?:{_TELLS})\b))[a-z]"
)
"""Where a sentence may begin with a small letter, as people type."""
_ASKING_CLAUSE = lazy_re(
    rf"(?:[,;:]|\s[-–—])\s+(?:(?:and|so|but|then|now)\s+)?(?=(?:{_OPENERS})\b)", re.IGNORECASE
)
_QUESTION_MARK = lazy_re(r"\?(?!\w)")
"""Not the mark of what is suspected: "?pneumonia"."""
_BARE = lazy_re(
    r"\W*(?:is (?:this|that|it) )?(?:ok(?:ay)?|safe|fine|allowed|right|correct|agreed?|wise|"
    r"thoughts|advice|any (?:problems?|issues?|concerns?))(?: to do)?\W*",
    re.IGNORECASE,
)
"""A question that asks about the sentence before it: "We restart X today. OK?"."""
_OF_THAT = lazy_re(
    r"\W*(?:(?:so|and)\s+)?(?:does|is|would|could|can|will|might)\s+(?:that|this)\s+"
    r"(?!patient|woman|man|child|baby|girl|boy|drug|dose|regimen)(?:[\w'’-]+\s*){1,4}[?,]",
    re.IGNORECASE,
)
"""A short question on what the sentence before it tells: "A test is negative. Does that exclude
it?"."""
STORY = 8
"""Fewest words that tell a situation, by judgement: fewer are what the question is about."""
_TOLD_APART = lazy_re(r"(?<=[\w)])\s*\(not [\w/ -]{3,40}\)|(?<=\w), not [\w/-]{3,40},")
"""What another thing is told apart from: no source need have it."""
CACHED_QUESTIONS = 64
"""Questions kept in memory only: what is compared with one asks for its parts a hundred times."""
WORDINGS = 16
"""Wordings of a question that statements are judged by, about."""
MIN_LETTERS = 3
"""Fewest letters of a word whose full stop ends a sentence that another begins small after."""
_NEXT = lazy_re(
    r"\bwhat (?:is |comes |happens )?(?:next|now)\b|\bnext steps?\b"
    r"|\bwhat (?:(?:do|should|can|would) (?:we|i|you)|to) do\b"
    r"|\b(?:should|must) (?:we|i|you|he|she|they) (?:prolong|extend|repeat|switch|move|start|wait"
    r"|refer|test|isolate|add|go on|continue)\b"
)
"""What asks for the next step."""
_LISTED = lazy_re(r"\s*(?:,|/|\+|&|\band\b|\bor\b)+(?:\s+(?:the|his|her|their|baseline))?\s*")
_PLACE = lazy_re(
    r"\b(?:in|to|from|at|near|off|around|outside)\s+"
    r"(?P<name>(?:[A-Z][a-zà-ÿ]+[ -]?){1,3})\b(?!['’]s\b)"
)
_ACHING = lazy_re(r"\b(\w+) pain\b")
_ORIGIN = lazy_re(
    r"\b(?:from|born in|(?:grew up|raised|lived) in|as an? [a-z]{3,9} in"
    r"|(?:fly(?:ing)?|travell?ing|trip|moving|off) to)\s+"
    r"(?P<name>(?:[A-Z][a-zà-ÿ]+[ -]?){1,3}|[a-z]{4,})\b(?!['’]s\b)"
)
"""Where somebody comes from, which no dose and no test depends on: "an adult from Peru"."""


def asks_next_step(text: str) -> bool:
    """Return whether a question asks what to do next: of a patient's weight no dose follows."""
    return _NEXT.search(fold_chars(text)) is not None


def places_of_story(text: str) -> frozenset[str]:
    """Return the folded words of places in the story of a question: "home from Papua".

    In what asks a place may be what it turns on: "is it licensed in Peru?".
    """
    asked = asked_words(text)
    named = (fold(match["name"]) for match in _PLACE.finditer(text))
    return (_words(named) - asked) | origins(text)


def aching(text: str) -> frozenset[str]:
    """Return the folded words of where somebody has a pain, which no dose depends on."""
    return frozenset(_ACHING.findall(fold(text))) & LIMBS


def origins(text: str) -> frozenset[str]:
    """Return the folded words of the places that the people of a question come from."""
    named = (match["name"] for match in _ORIGIN.finditer(text))
    return _words(fold(name) for name in named if name[:1].isupper() or is_place(name))


def _words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for one in names for word in COMPOUND.findall(one))


def with_capitals(text: str) -> str:
    """Return a text with a capital where a sentence begins with a small letter, as people type."""

    def capital(match: re.Match[str]) -> str:
        word = match["word"] or ""
        is_short = len(word) < MIN_LETTERS and not (len(word) > 1 and word.isupper())
        is_short = is_short and match["opens"] is None
        is_short = word.isalpha() and (is_short or word.casefold() in NEVER_END)
        if is_short and _FIGURE.search(text[: match.start("word")]):
            is_short = bool(GOES_ON.match(text, match.end() - 1))  # "on 2 g. max dose?"
        found = match.group()
        return found if is_short else f"{found[:-1]}{found[-1].upper()}"

    return _BEGINS_SMALL.sub(capital, text)


def _asks_for_aspect(sentences: Sequence[str]) -> bool:
    """Return whether the last of several sentences names what is wanted: "dose per kg pls"."""
    cues = slot_lexicon().aspects.values()
    return any(cue.search(fold_chars(one)) for one in sentences for cue in cues)


@lru_cache(maxsize=CACHED_QUESTIONS)
def asking_sentences(text: str) -> str:
    """Return the sentences of a case that ask; all of it where none has a question mark.

    No source needs to know the words of a patient's story.
    """
    every = [text[start:end] for start, end in sentence_spans(with_capitals(text))]
    asking = [one for one in every if _QUESTION_MARK.search(one) or _ASKS.match(one)]
    if asking == every[-1:] and every[1:] and _BARE.fullmatch(asking[0]):
        asking = every[-2:]
    elif asking and (first := every.index(asking[0])) and _OF_THAT.match(asking[0]):
        asking = [every[first - 1], *asking]
    return " ".join(asking) or (every[-1] if _asks_for_aspect(every[-1:]) else text)


@lru_cache(maxsize=CACHED_QUESTIONS)
def asking_part(text: str) -> str:
    """Return the clauses of a question that ask, without those before them that tell a story.

    "A waitress on X: with food?" asks "with food?"; a question that begins by asking is one.
    """
    asking = asking_sentences(text)
    cut = None if _ASKS.match(asking) else _ASKING_CLAUSE.search(asking)
    return asking[cut.end() :] if cut else asking


@lru_cache(maxsize=CACHED_QUESTIONS)
def asked_matters(text: str, *, of_drug: bool = True) -> tuple[AskedMatter, ...]:
    """Return the matters that a question asks of a drug, such as how it is stored; mostly none.

    Without a drug only those that need none: a vaccine.
    """
    asking = fold_chars(asking_sentences(text))
    matters = (one for one in slot_lexicon().matters if of_drug or one.without_drug)
    return tuple(one for one in matters if says(asking, one.asked))


@lru_cache(maxsize=CACHED_QUESTIONS)
def lists_matters(text: str) -> bool:
    """Return whether a question lists matters, each of which is answered alone: "ECGs and LFTs"."""
    asking = fold_chars(asking_sentences(text))
    found = sorted(m.span() for one in asked_matters(text) for m in one.asked.finditer(asking))
    gaps = (asking[end:start] for (_, end), (start, _) in pairwise(found))
    return any(_LISTED.fullmatch(gap) for gap in gaps)


@lru_cache(maxsize=CACHED_QUESTIONS * WORDINGS)
def asks(text: str, wording: str) -> bool:
    """Return whether a question, or a part of one, has a wording of the table of slots.

    Every statement that is judged asks for it again.
    """
    return says(fold_chars(text), getattr(slot_lexicon().wordings, wording))


def aspects_of_topic(folded: str, /, names_drugs: bool) -> frozenset[Aspect]:
    """Return what a folded text asks that names a topic only: a regimen, a definition or nothing.

    "Treatment of X" asks for a regimen where no drug is named.
    """
    wordings = slot_lexicon().wordings
    if not names_drugs and wordings.treatment_of.search(folded):
        return _REGIMEN
    return _DEFINITION if wordings.what_is.match(folded) else frozenset()


def tells_story(text: str) -> bool:
    """Return whether a question tells a situation before it asks, not only names its topic."""
    return len(text.split()) - len(asking_part(text).split()) >= STORY


def says_so_far(text: str) -> bool:
    """Return whether a question says what a patient has had of a course: "118 g so far"."""
    return slot_lexicon().wordings.so_far.search(fold_chars(text)) is not None


def told_apart(text: str) -> list[tuple[int, int]]:
    """Return where a question names what another thing is told apart from: "X (not Y)"."""
    return [match.span() for match in _TOLD_APART.finditer(text)]


def asked_words(text: str) -> frozenset[str]:
    """Return the folded words of the clauses of a question that ask."""
    compounds = COMPOUND.findall(fold(asking_part(text)))
    return frozenset(word for one in compounds for word in one.split("-"))
