"""Reads a sentence as a row of concepts: drugs, figures, roles, words that join, and other words.

What two sentences are compared by: words of one sense are one concept, whatever their form, and
articles are left out. A role is a value of a family of `roles.toml`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.roles import (
    Phrase,
    RoleWord,
    exact_roles,
    not_roles,
    role_phrases,
    synonym_of,
    word_stem,
)
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import canonical_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon

DRUG, FIGURE, JOINING, WORD = "drug", "figure", "joining", "word"
_TOKEN = lazy_re(r"\d+(?:[.,]\d+)*(?:(?: to |-)\d+(?:[.,]\d+)*)?|[^\W\d_]+(?:'[^\W\d_]+)?")
CACHED_WORDS = 16_384
"""Words of which is kept what they may be."""
_ENDS = lazy_re(r" to |-")
"""Between the ends of a range."""
_JOINING: dict[str, str] = {
    word: name
    for name, words in {
        "before": "before",
        "after": "after",
        "during": "during while",
        "within": "within",
        "until": "until till",
        "since": "since",
        "if": "if when once where whenever",
        "unless": "unless except",
        "and": "and plus",
        "or": "or",
        "with": "with",
        "not": "not no never without neither nor cannot",
        "can": "can may might could",
        "should": "should must shall",
        "than": "than",
        "by": "by",
    }.items()
    for word in words.split()
}
_EMPTY_WORDS = """
a an the of in on to for at as is are was were be been being has have had it its this that these
those there from into who which whose their they he she we you your our do does did will would
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_MORE = "more|above|over|older|greater|heavier"
_LESS = "less|fewer|below|younger"
_THAN = f"(?:{_MORE}|{_LESS}|higher|lower|longer|shorter|later|sooner) than(?: or equal to)?"
_COMPARING = lazy_re(
    rf"\b(?:at (?:least|most)|up to|(?:no |not )?{_THAN}|over|under|above|below)"
    r"(?=\s+(?:the age of\s+)?(?:\d|[a-z]+ (?:years|months|weeks|days)))"
)
_COMPARING_AFTER = lazy_re(
    r"(?:years?|months?|weeks?|days?|kg|age|old|\d),?\s+"
    rf"((?:or|and) (?:{_MORE}|{_LESS}))\b"
)
_SIGN = lazy_re(
    r"(?:(?P<below><|less than|fewer than|under|below)"
    r"|(?P<above>>|more than|greater than|higher than|exceed(?:s|ing|ed)?|over|above)"
    r"|(?P<least>>=|≥|at least)|(?P<most><=|≤|at most|up to))\s*(?:(?:the )?age (?:of )?)?$"
)
_SIGN_AFTER = lazy_re(rf"\s+(?:or|and) (?:(?P<least>{_MORE})|(?P<most>{_LESS}))\b")
_SPELLED = frozenset(NUMBER_WORDS) - {"zero", "one"}
_TIMES = lazy_re(r" times\b")
_SIGNED_TIMES = lazy_re(
    r"\b(?P<sign>(?:more|greater|higher|less|fewer) than |exceed(?:s|ing)? |above "
    r"|at (?:least|most) )"
    r"[\w.]+ times\b[^.;]*$"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = lazy_re(
    rf"\b(?:(?P<month>{_MONTHS}) (?P<day>\d{{1,2}})|(?P<first>\d{{1,2}}) (?P<later>{_MONTHS}))"
    r"\b(?![.,]?\d)"
)


class Concept(NamedTuple):
    """A word, phrase or figure of a text; two with one key say the same."""

    start: int
    end: int
    family: str
    """`drug`, `figure`, `people`, `joining`, `word`, or a family of roles."""
    value: str

    @property
    def key(self) -> tuple[str, str]:
        """What it says, wherever it is."""
        return self.family, self.value


@lru_cache(maxsize=CACHED_TEXTS)
def read_concepts(text: str, drugs: DrugLexicon) -> tuple[Concept, ...]:
    """Return the concepts of a text, in order."""
    facts = read_facts(text, drugs)
    folded = fold_chars(text)
    found = [Concept(m.start, m.end, DRUG, m.name) for m in facts.drugs]
    figures: dict[tuple[int, int], str] = {}
    for quantity in facts.quantities:
        values, unit, per = quantity.key
        said = f"{'-'.join(f'{v:f}' for v in values)} {'/'.join((unit, *per))}{quantity.comparator}"
        place = quantity.start, quantity.end
        figures[place] = f"{figures[place]}, {said}" if place in figures else said
    found += [Concept(*place, FIGURE, said) for place, said in figures.items()]
    taken = sorted((one.start, one.end) for one in found)
    taken += [m.span() for m in _COMPARING.finditer(folded)]
    taken += [m.span(1) for m in _COMPARING_AFTER.finditer(folded)]
    for match in _DATE.finditer(text):
        found.append(Concept(*match.span(), FIGURE, f"{_day_of(match)} date"))
        taken.append(match.span())
    blanked = list(folded)
    for start, end in taken:
        blanked[start:end] = " " * (end - start)
    found += _words("".join(blanked), folded)
    return tuple(sorted(found))


def _day_of(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return f"{groups['month'] or groups['later']} {groups['day'] or groups['first']}"


def _words(text: str, folded: str) -> list[Concept]:
    """Return the roles, joining words, numbers and other words of a text with figures left out."""
    tokens = [(*m.span(), m.group()) for m in _TOKEN.finditer(text)]
    words = [_word(word) for _, _, word in tokens]
    found: list[Concept] = []
    at = 0
    while at < len(tokens):
        start, end, word = tokens[at]
        one = words[at]
        if one.phrases and (said := _phrase_at(at, words)):
            phrase, role = said
            at += len(phrase)
            if found and found[-1].key == role and found[-1].end + 1 >= start:
                start = found.pop().start  # "latent tuberculosis infection" is one role
            found.append(Concept(start, tokens[at - 1][1], *role))
            continue
        at += 1
        if one.is_number and (compared := _compared(folded, start, end)):
            found.append(Concept(start, end, FIGURE, f"{_number(word)}{compared}"))
        elif one.said is not None:
            found.append(Concept(start, end, *one.said))
    return found


def _number(word: str) -> str:
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    return "-".join(canonical_number(one) for one in _ENDS.split(word))


class _WordReading(NamedTuple):
    """What a word of a text may be, wherever it is."""

    stem: str
    phrases: tuple[tuple[Phrase, RoleWord], ...]
    """Phrases of roles that may begin with it, the longest first."""
    said: tuple[str, str] | None
    """Family and value where it begins none of them; None of an empty word."""
    is_number: bool


@lru_cache(maxsize=CACHED_WORDS)
def _word(word: str) -> _WordReading:
    """Return what a case-folded word may be."""
    stem = word_stem(word)
    phrases = () if word in not_roles() else role_phrases().get(stem, ())
    if word in exact_roles():
        several = [len(phrase) > 1 for phrase, _ in phrases]
        until = several.index(False) if False in several else len(several)
        phrases = (*phrases[:until], ((stem,), exact_roles()[word]))
    is_digit = word[0].isdigit()
    said: tuple[str, str] | None = WORD, synonym_of().get(stem, stem)
    if word in _JOINING:
        said = JOINING, _JOINING[word]
    elif is_digit:
        said = FIGURE, _number(word)
    elif word in _EMPTY:
        said = None
    return _WordReading(
        stem, phrases, said, is_digit or (word in _SPELLED and word not in _JOINING)
    )


def _phrase_at(at: int, words: Sequence[_WordReading]) -> tuple[Phrase, RoleWord] | None:
    """Return the longest phrase of a role that begins at a word, and the role; or None."""
    for phrase, role in words[at].phrases:
        if len(phrase) == 1 or tuple(one.stem for one in words[at : at + len(phrase)]) == phrase:
            return phrase, role
    return None


def _compared(folded: str, start: int, end: int) -> str:
    """Return how words on either side of a number bound it: "least", "above"; or nothing."""
    sign = _SIGN.search(folded, lookback(start), start) or _SIGN_AFTER.match(folded, end)
    if sign is None and _TIMES.match(folded, end) and folded.endswith(" or ", 0, start):
        # "Exceeds three times the limit with symptoms, or five times the limit without"
        first = _SIGNED_TIMES.search(folded, 0, start)
        sign = _SIGN.search(first["sign"]) if first else None
    return sign.lastgroup or "" if sign else ""
