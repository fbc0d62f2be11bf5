"""Finds amounts that a claim has from its evidence, but in another sense.

"By 60%" is not "to 60%", "two of five" not "five of two", one smear not three smears.
"""

from __future__ import annotations

from clinrag_core.facts.frequencies import NUMBER_WORD, NUMBER_WORDS
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

_NUMBER = rf"(?:\d+|{NUMBER_WORD})"
_SINGLE = lazy_re(r"\b(?:only )?(?:one|a single) (?!(?:of|or|another|in|time)\b)((?:\w+ ?){1,2})")
_BOTH = lazy_re(r"\bboth ((?:\w+ ?){1,4})")
_SEVERAL = lazy_re(rf"\b(?!one\b|1\b){_NUMBER} ((?:\w+ ?){{1,3}})")
_ONE = lazy_re(r"\b(?:(?:one|1)(?! of (?:them|these|those|which))|single|an?|each|any|every)\b")
_AMOUNT = r"(\d[\d.,]*) ?(%|mg|g|ms)"
_ABOUT = "(?:about |approximately |around |up to |at least )?"
_BY = lazy_re(rf"(?<!followed )(?<!then )\bby {_ABOUT}{_AMOUNT}")
_TO = lazy_re(rf"\bto {_ABOUT}{_AMOUNT}")
_SHARE = lazy_re(rf"\b({_NUMBER}) (?:out )?of (?:the |all |these )?({_NUMBER})\b")


def amounts_turned(claim: str, evidence: str) -> list[str]:
    """Return amounts of a claim that its evidence states in another sense."""
    said, stated = fold_chars(claim), fold_chars(evidence)
    return [
        *_single_for_several(said, stated),
        *_by_for_to(said, stated),
        *_shares_turned(said, stated),
        *_reversed_ranges(said, stated),
        *_choice_turned(said, stated),
    ]


def _single_for_several(said: str, stated: str) -> list[str]:
    """Return what a claim asks for one of, where its evidence asks for several."""
    both = [set(key_stems(match[1])) for match in _BOTH.finditer(stated)]
    for match in _SINGLE.finditer(said):
        stems = set(key_stems(match[1]))
        if stems and any(stems <= one for one in both):
            return sorted(stems)
    several = {stem for match in _SEVERAL.finditer(stated) for stem in key_stems(match[1])}
    if not several or _ONE.search(stated):
        return []
    wanted = (key_stems(match[1]) for match in _SINGLE.finditer(said))
    return [stems[0] for stems in wanted if stems and several >= set(stems)]


def _by_for_to(said: str, stated: str) -> list[str]:
    """Return amounts by which something changes, where its evidence says to which; or reversed."""
    own_by, by, own_to, to = (
        set(words.findall(text)) for words in (_BY, _TO) for text in (said, stated)
    )
    turned = ((own_by - by) & to - own_to) | ((own_to - to) & by - own_by)
    return ["".join(one) for one in turned]


def _shares_turned(said: str, stated: str) -> list[str]:
    """Return shares of which the evidence has the two numbers exchanged."""
    own, there = (
        {
            tuple(str(NUMBER_WORDS.get(one, one)) for one in match.groups())
            for match in _SHARE.finditer(text)
        }
        for text in (said, stated)
    )
    return [" of ".join(one) for one in own - there if one[::-1] in there]


_CHANGE = lazy_re(
    r"\b(?:(?P<down>fell|fall\w*|drop\w*|declin\w*|decreas\w*|reduc\w*|lower(?:s|ed|ing)?|cut\w*)"
    r"|rose|ris(?:es?|ing)|increas\w*|rais\w*|climb\w*|grew)\b[^.;,]{0,60}?"
    r"\bfrom (?P<first>\d+(?:\.\d+)?) ?[a-z%]* to (?P<last>\d+(?:\.\d+)?)"
)
_RANGE = lazy_re(r"\b(?P<first>\d+(?:\.\d+)?) ?%? ?(?:to|-|–) ?(?P<last>\d+(?:\.\d+)?) ?%")


def _reversed_ranges(said: str, stated: str) -> list[str]:
    """Return ranges and changes of a claim that end before they begin: "fell from 6 to 12"."""
    wrong: list[str] = []
    for words in (_CHANGE, _RANGE):
        for match in words.finditer(said):
            first, last = float(match["first"]), float(match["last"])
            falls = words is _CHANGE and match["down"] is not None
            turned = first < last if falls else first > last
            if turned and match.group() not in stated and not _is_change(said, match.start()):
                wrong.append(match.group())
    return wrong


def _is_change(text: str, at: int) -> bool:
    return text[:at].endswith("from ")


_REJECTED = lazy_re(
    r"\b(?:instead of|rather than|in place of|in preference to)\s+(?:[a-z]+ ){0,3}?(\d+(?:\.\d+)?)"
)


def _choice_turned(said: str, stated: str) -> list[str]:
    """Return the figure that a claim names instead of another, where its evidence prefers it."""
    own, there = (set(_REJECTED.findall(text)) for text in (said, stated))
    kept = set(_PLAIN_NUMBER.findall(_REJECTED.sub(" ", stated)))
    return sorted((own - there) & kept) if there else []


_PLAIN_NUMBER = lazy_re(r"\d+(?:\.\d+)?")
