"""Finds an "unless", "before", "after" or "without" of a claim that its evidence does not say.

A claim in other words may turn "if" into "unless", whatever else it says rightly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.sides import keeps_order
from clinrag_core.facts.joining import denials_of, joints_turned
from clinrag_core.facts.negation import polarity
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext


def turned_joints(claim: ClaimInContext) -> list[str]:
    """Return joining words that a claim turns, and an "unless" that it says as "if"."""
    return (
        _turned_joint(claim)
        or _condition_turned(claim)
        or _exception_turned(claim)
        or _cause_turned(claim)
        or _counted_from_end(claim)
    )


_COUNTED_FROM = lazy_re(r"\b(?:after|following|since|from)\b(?P<what>[^.;,:]{0,60})")
_START = lazy_re(r"\b(?:start\w*|beg[aiu]n\w*|initiat\w+|commenc\w+|first dose|onset)\b")
_END = lazy_re(
    r"\b(?:end|ends|ended|ending|complet\w+|stop\w*|discontinu\w+|finish\w*|last dose|final dose"
    r"|cessation|terminat\w+)\b"
)


def _counted_from_end(claim: ClaimInContext) -> list[str]:
    """Return "after" where a claim counts a time from a beginning, its evidence from an end.

    Or the other way round: "12 weeks after treatment had begun" for "after its end".
    """
    said, stated = (_counted_from(fold_chars(f.text)) for f in (claim.claim, claim.cited))
    one_each = len(said) == len(stated) == 1
    return ["after"] if one_each and said != stated else []


def _counted_from(text: str) -> set[str]:
    """Return whether times are counted from a beginning, from an end, or from both."""
    counted = [match["what"] for match in _COUNTED_FROM.finditer(text)]
    return {
        name
        for name, words in (("start", _START), ("end", _END))
        if any(words.search(what) for what in counted)
    }


def _turned_joint(claim: ClaimInContext) -> list[str]:
    """Return an "unless", "before" or "after" of a claim that nothing in its evidence says."""
    said, stated = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    turned = joints_turned(said, stated)
    if turned and any(keeps_order(pair) for pair in claim.reworded.compared):
        turned = [word for word in turned if word not in _ORDER]
    return turned


_ORDER = frozenset({"before", "after", "prior to", "ahead of"})


_UNLESS = lazy_re(r"\bunless (?P<what>[^.;:,]*)")
_OUTSIDE = lazy_re(
    r"\b(?:unless|except\w*|without|only|absen\w+|other than|apart from|exclud\w+|until|otherwise"
    r"|but|outweigh\w*|rul\w+ out)\b"
)
EXCEPTED = 0.5
"""Least share of the words of an exception, from which a claim speaks of it."""


def _exception_turned(claim: ClaimInContext) -> list[str]:
    """Return the "unless" of a sentence that a claim says of the exception itself.

    "Not advised if cough develops" for "not advised unless cough develops": what is said of the
    rest is said, with as many denials, of what is excepted.
    """
    said = fold_chars(claim.claim.text)
    found = [match for s in claim.source_sentences if (match := _UNLESS.search(fold_chars(s.text)))]
    if len(found) != 1 or _OUTSIDE.search(said):
        return []
    text = found[0].string
    what = set(key_stems(found[0]["what"]))
    rest = text[: found[0].start()] + text[found[0].end() :]
    own = what - set(key_stems(rest))
    if not own or len(own & set(claim.claim.stems)) < EXCEPTED * len(own):
        return []
    denials = (len(polarity(rest).cues), len(claim.claim.polarity.cues))
    return ["unless"] if denials[0] == denials[1] else []


_CONDITION = lazy_re(r"\b(?:if|when|where|in (?:case|situations)|once|as long as|provided)\b")


def _condition_turned(claim: ClaimInContext) -> list[str]:
    """Return the "unless" of a claim that has as many other denials as an "if" of its evidence.

    Or the other way round: what is said where something is so is said where it is not.
    """
    said, stated = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    has = [_UNLESS.search(text) is not None for text in (said, stated)]
    if has == [True, False]:
        turned = _CONDITION.search(stated)
    elif has == [False, True]:
        turned = _CONDITION.search(said) and not re.search(r"\bonly\b", said)
    else:
        return []
    return ["unless"] if turned and denials_of(said) % 2 != denials_of(stated) % 2 else []


_EFFECT_LAST = lazy_re(
    r"\b(?:lead(?:s|ing)? to|led to|caus(?:es?|ed|ing)(?! by)|result(?:s|ed|ing)? in"
    r"|brought about|brings? about)\s"
)
_CAUSE_LAST = lazy_re(
    r"\b(?:because of|due to|caused by|owing to|on account of|as a result of"
    r"|result(?:s|ed|ing)? from)\s"
)
_PART_END = lazy_re(r"[,;:.](?!\d)")


def _cause_turned(claim: ClaimInContext) -> list[str]:
    """Return the word by which a claim makes the cause of its sentence the effect.

    "Withdrawn because of dysglycaemia" is no "withdrawal that led to dysglycaemia".
    """
    for said, stated in claim.paired:
        if said.text == stated.text:
            continue
        texts = fold_chars(said.text), fold_chars(stated.text)
        if wrong := _sides_turned(*texts):
            return [wrong]
        for here, there in ((_EFFECT_LAST, _CAUSE_LAST), (_CAUSE_LAST, _EFFECT_LAST)):
            found, other = here.search(texts[0]), there.search(texts[1])
            if not found or not other or here.search(texts[1]):
                continue
            last, cause = _following(texts[0], found), _following(texts[1], other)
            before = frozenset(key_stems(texts[0][: found.start()]))
            if last and last <= cause and not cause <= before:
                return [found.group().strip()]
    return []


def _sides_turned(said: str, stated: str) -> str:
    """Return the word around which a claim exchanges a cause with its effect."""
    for joint in (_EFFECT_LAST, _CAUSE_LAST):
        own, there = joint.search(said), joint.search(stated)
        if not own or not there:
            continue
        sides = [
            (frozenset(key_stems(text[: match.start()])), _following(text, match))
            for text, match in ((said, own), (stated, there))
        ]
        (first, last), (before, after) = sides
        if last and after and last <= before - after and after <= first - last:
            return own.group().strip()
    return ""


def _following(text: str, match: re.Match[str]) -> frozenset[str]:
    return frozenset(key_stems(_PART_END.split(text[match.end() :])[0]))
