"""Negation and modality: what a sentence denies, and how strongly it says the rest.

Lexical, after NegEx (Chapman 2001): cues with the words they govern. A sentence is cut into
segments at contrasts and semicolons, because a cue does not reach across them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems, stem

Modality = Literal["obligation", "permission", "strong", "conditional"]

CACHED_SENTENCES = 2_048
"""Sentences whose reading is kept, in memory only, since they may hold patient data."""
_PASSIVE = lazy_re(r"\b(?:is|are|was|were|be|been|being)(?:\s+\w+)?\s+$")
_DENIED_PASSIVE = lazy_re(r"\s+(?:be\s+|been\s+)?(?:\w+ly\s+)?\w+(?:ed|en)\b")
_DOUBLE = lazy_re(
    r"\b(?:not|never|cannot)\s+(?:be\s+|been\s+|to\s+be\s+)?"
    r"(?:contra-?indicated|discouraged|prohibited|forbidden|avoided|withheld)\b"
)
"""A denial that is denied: it denies nothing."""
_LEADS = lazy_re(r"\W*(?:do not|don't|never|(?:and |or )?(?:avoid|discontinue|stop|withhold))")
_SAID_NOT_TO_BE = lazy_re(r"\b(?:denie[sd]|deny|denying|dont|didnt|isnt)\b")
"""Words that deny where they come right before what they deny, and nowhere else."""
_CHOICES = frozenset({"rather than", "instead of", "in place of"})
"""Particles that compare what is named after them with something else."""
_OF_VERBS = frozenset({"cannot", "n't", "none"})
"""Particles that deny what is done with a thing, not the thing named after them."""
_ARTICLES = ("a", "an", "any", "the")
_NAMED_NEXT = lazy_re(r" (?:an? |the )?[^\W_]+")
_BREAK = lazy_re(r"[^\w\s'/-]")
_CLAUSE = lazy_re(r"[,:()]")
_ASIDE = lazy_re(r"\([^()]*\)|, (?:including|such as|for example|e\.g\.)[^,;:.]*,")
"""A remark in brackets or between commas ends no clause."""
_AGAIN = lazy_re(r"\b(?:and|nor),? (?:\w+ ){0,3}(?:not|no|never|cannot)\b")
_NO_NEED = lazy_re(
    r"\b(?:not|no|n't) (?:\w+ ){0,2}?(?:requir\w+|need\w*|necess\w+|prerequisite|mandatory)\b"
)
_ANSWER = "no, "
"""Begins an answer; what it denies the answer says."""
_PREFIXED = lazy_re(r"\bnon-?\s?(?P<word>[a-z]{5,})")
_UNDOES = frozenset({"without", "unless", "no"})
_NOT_MORE = lazy_re(
    r"\b(?:no|not|never)(?: (?:at|a|an|any|with|have|has|found|seen|\w+ly|observed)){0,4}"
    r" (?:more|higher|greater|larger|longer|less|lower|fewer|better|worse|faster|slower)\b",
    re.IGNORECASE,
)
_DENIES_BOUND = lazy_re(r"\b(?:avoid\w*|not|never|prevent\w*|no)\b")
_BOUND_PHRASE = lazy_re(r"\b(?:not|never|no) (?:to )?(?:exceed\w*|more than|less than|longer than)")
DENIED_NEXT = 30
"""Characters before a place in which a denial of what is there is searched for: three long
words (ablations of this and the next four: ADR 0061)."""
GOVERNED = 4
"""Key stems on each side of a passive cue ("X is contraindicated in Y") that it governs."""
PERMITTED = 2
"""Key stems after "may" that it permits: a verb and its object."""
BEFORE = 4
WINDOW = 6
"""Key stems before and after a cue that it may deny (NegEx: 5 tokens)."""


class NegationTable(Record):
    """The words of `lexicons/negation.toml`."""

    contrast: Expression
    particle: Expression
    lexical: Expression
    said_otherwise: tuple[Expression, ...]
    harmless: Expression
    bounds: dict[Literal["above", "below"], Expression]
    modality: dict[Modality, Expression]


@cache
def _table() -> NegationTable:
    return load_table("negation", NegationTable)


@cache
def _cues() -> re.Pattern[str]:
    table = _table()
    return re.compile(
        f"(?P<particle>{table.particle.pattern})|(?P<lexical>{table.lexical.pattern})"
    )


class Cue(NamedTuple):
    """A word that denies, with what it governs."""

    text: str
    lexical: bool
    governed: tuple[str, ...]
    """Key stems it is said of, the nearest first."""
    window: frozenset[str]
    """The nearest of them, with those right before the cue."""
    leads: bool
    """Whether it is an order that its segment begins with ("Do not ..."), and governs it all."""
    segment: int


class Polarity(NamedTuple):
    """What a sentence denies and how strongly it speaks."""

    cues: tuple[Cue, ...]
    segments: tuple[frozenset[str], ...]
    """Key stems of each segment."""
    modality: dict[Modality, int]
    """How often each is said."""
    permitted: tuple[frozenset[str], ...]
    """The next key stems after each "may" or "can"."""
    harmless: tuple[str, ...]
    """Phrases with "not" that deny nothing, such as "not only"."""

    @property
    def stems(self) -> frozenset[str]:
        """Key stems of all segments."""
        return frozenset[str]().union(*self.segments)


@lru_cache(maxsize=CACHED_SENTENCES)
def polarity(sentence: str) -> Polarity:
    """Return the negations and modalities of a sentence."""
    folded = fold_chars(sentence)
    cues: list[Cue] = []
    segments: list[frozenset[str]] = []
    for number, (start, end) in enumerate(_segments(folded)):
        part = folded[start:end]
        segments.append(frozenset(key_stems(part)))
        double = [m.span() for m in _DOUBLE.finditer(part)]
        cues += [
            _cue(part, match, number)
            for match in _cues().finditer(part)
            if _denies(part, match) and not any(a <= match.start() < b for a, b in double)
        ]
    first = next((n for n, cue in enumerate(cues) if not cue.lexical), None)
    # "not A, nor B" denies as "not A or B" does.
    cues = [c for n, c in enumerate(cues) if n == first or c.text != "nor"]
    modality: dict[Modality, int] = {
        name: len(found) for name, p in _table().modality.items() if (found := p.findall(folded))
    }
    harmless = tuple(
        m.group().replace("exceeded", "exceed")
        for m in _table().harmless.finditer(folded)
        if m.group() != _ANSWER
    )
    permitted = tuple(
        frozenset(key_stems(folded[m.end() :])[:PERMITTED])
        for m in _table().modality["permission"].finditer(folded)
    )
    return Polarity(tuple(cues), tuple(segments), modality, permitted, harmless)


def _segments(folded: str) -> list[tuple[int, int]]:
    cuts = [0, *(m.start() for m in _table().contrast.finditer(folded)), len(folded)]
    return [(a, b) for a, b in pairwise(cuts) if folded[a:b].strip(" ;:-")]


def _denies(part: str, match: re.Match[str]) -> bool:
    around = part[max(0, match.start() - 11) : match.end() + 20]
    offset = match.start() - max(0, match.start() - 11)
    return not any(m.start() <= offset < m.end() for m in _table().harmless.finditer(around))


def _cue(part: str, match: re.Match[str], number: int) -> Cue:
    """Return a cue with what it governs in its segment."""
    clause_before = _CLAUSE.split(_ASIDE.sub(" ", part[: match.start()]))[-1]
    before = key_stems(clause_before)[::-1]
    after = key_stems(_CLAUSE.split(_ASIDE.sub(" ", part[match.end() :]), maxsplit=1)[0])
    lexical = bool(match["lexical"])
    window = [*after[:WINDOW], *before[:BEFORE]]
    if not lexical and _DENIED_PASSIVE.match(part, match.end()):
        window = [*after[:WINDOW], *before]  # "X is not used in Y" may deny all of X
    if not after or (lexical and _PASSIVE.search(part[: match.start()])):
        # "X is contraindicated in Y" governs X before Y, and may deny all of X.
        window = [*after[:WINDOW], *before]
        after = before[:GOVERNED] + after[:GOVERNED]
    if not after:  # "...: avoid them" governs what was named before
        window = key_stems(part[: match.start()])[::-1]
        after = window
    governed = tuple(dict.fromkeys(after[: 2 * GOVERNED]))
    return Cue(
        text=match.group(),
        lexical=lexical,
        governed=governed,
        window=frozenset(window),
        leads=bool(_LEADS.fullmatch(part[: match.end()])) or (lexical and not clause_before),
        segment=number,
    )


def said_otherwise(cue: Cue, text: str) -> bool:
    """Return whether a case-folded text has a word of the sense of a denying one that is no cue."""
    if not cue.lexical:
        return False
    rows = [row for row in _table().said_otherwise if row.search(cue.text)]
    return any(not _cues().search(m.group()) for row in rows for m in row.finditer(text))


def bounds_said(text: str) -> set[str]:
    """Return whether a case-folded text bounds something from above, from below, or both."""
    return {name for name, words in _table().bounds.items() if words.search(text)}


def denied_by_prefix(folded: str) -> frozenset[str]:
    """Return the stems of the words that a case-folded text denies by "non-"."""
    return frozenset(stem(match["word"]) for match in _PREFIXED.finditer(folded))


def in_list_denied(cue: Cue, folded: str) -> frozenset[str]:
    """Return the key stems of what a cue of a case-folded text denies behind an "or".

    "No substitute for a smear, a culture or judgement" denies that it replaces judgement.
    """
    found = re.search(rf"\b{re.escape(cue.text)}\b[^.;:]*?\b(?:or|nor)\b([^.;:]*)", folded)
    return frozenset(key_stems(found[1])) if found else frozenset()


def denies_again(folded: str) -> bool:
    """Return whether a case-folded text denies the second part of a list by itself."""
    return _AGAIN.search(folded) is not None


def denies_need(folded: str) -> bool:
    """Return whether a case-folded text denies that something is needed: "not a requirement"."""
    return _NO_NEED.search(folded) is not None


def undoes(cue: Cue) -> bool:
    """Return whether a denial can deny another one: "not without", "not unless"."""
    return cue.text in _UNDOES


def denies_comparison(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text denies a comparison: "not at a higher frequency"."""
    return _NOT_MORE.search(text, start, end) is not None


def denies_bound_of(folded: str) -> bool:
    """Return whether a case-folded text denies something, words that make a bound aside."""
    return _DENIES_BOUND.search(_BOUND_PHRASE.sub("", folded)) is not None


def denies(text: str) -> bool:
    """Return whether a text has a word that denies: "not", "no", "without", "n't"."""
    return _table().particle.search(fold_chars(text)) is not None


def since_denial(folded: str, at: int) -> tuple[str, ...] | None:
    """Return the words between a denial and a place of a case-folded text that it denies.

    "No known heart block": ("known",) at "heart". None where nothing of the same clause denies it.
    """
    before = folded[max(0, at - DENIED_NEXT) : at]
    cues = [m for p in (_table().particle, _SAID_NOT_TO_BE) for m in p.finditer(before)]
    ends = [m.end() for m in cues if m.group() not in _CHOICES and m.group() != "cannot"]
    if not ends or _BREAK.search(between := before[max(ends) :]):
        return None
    return tuple(between.split())


def is_denied(folded: str, at: int) -> bool:
    """Return whether a place is denied, with at most one word between: "no known heart block".

    Articles do not count: "never had a reaction".
    """
    between = since_denial(folded, at)
    return between is not None and sum(word not in _ARTICLES for word in between) <= 1


def without_denied(text: str) -> str:
    """Return a text without its particles of denial and the word that each of them denies."""
    folded = fold_chars(text)
    kept, at = "", 0
    for match in _table().particle.finditer(folded):
        denied = _NAMED_NEXT.match(folded, match.end())
        if denied and match.start() >= at and match.group() not in _OF_VERBS:
            kept += f"{text[at : match.start()]} "
            at = denied.end()
    return kept + text[at:]


_COMPARED_BY_DENIAL = lazy_re(
    r"\b(?:no|not) (?:\w+ )?(?:more|less|greater|higher|lower|longer) than\b"
)
_NOT = lazy_re(r"\b(?:not|never|no)\b|n't\b", re.I)
_NOT_BANNED = lazy_re(r"\b(?:not|never) (?:be |been )?(?:contra-?indicated|prohibited|forbidden)\b")
_UNKNOWN = lazy_re(
    r"\bnot (?:been |yet |fully )*(?:known|established|studied|determined|evaluated|conducted"
    r"|performed|investigated|assessed|done|carried out)\b"
    r"|\bno (?:\w+ )?(?:data|information|studies|trials)\b"
)
"""What a sentence says that nothing is known of something."""


def bounds_by_denial(text: str) -> bool:
    """Return whether a text bounds something by a denied comparison: "no more than"."""
    return _COMPARED_BY_DENIAL.search(text) is not None


def denies_in(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text has a word that denies."""
    return _NOT.search(text, start, end) is not None


def denies_ban(folded: str) -> bool:
    """Return whether a case-folded text says that something is not forbidden."""
    return _NOT_BANNED.search(folded) is not None


def says_unknown(folded: str) -> re.Match[str] | None:
    """Return where a case-folded text says that nothing is known of something."""
    return _UNKNOWN.search(folded)


_SHOWN_ABSENT = lazy_re(
    r"\b(?:data|evidence|stud(?:y|ies)|trials?|research) (?:have |has |had )?(?:\w+ )?"
    r"(?:show|demonstrat|indicat|suggest|prov|found|confirm|establish|reveal)\w* "
    r"(?:that )?(?:(?:there|it) (?:is|was) )?(?:no|not|neither|none)\b"
)
"""What is known not to be so, which nothing is known of."""


def shows_absence(folded: str) -> bool:
    """Return whether a case-folded text says that something was found not to be so."""
    return _SHOWN_ABSENT.search(folded) is not None
