"""Finds an "unless", "before", "after" or "without" of a claim that its evidence does not say.

A claim in other words may turn "if" into "unless", whatever else it says rightly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext


_NOT_IF = r"\b(?:not|no|never)\b.{0,60}\b(?:if|when|until|before)\b"
_IF_NOT = r"\b(?:if|when|where|who|until)\b.{0,60}\b(?:not|no|never|cannot)\b"
_TURNED = tuple(
    (re.compile(word), re.compile(same))
    for word, same in (
        (
            r"\bunless\b",
            r"\b(?:unless|except\w*|without|only|absen\w+|other than|apart from|exclud\w+)\b"
            rf"|{_NOT_IF}|{_IF_NOT}",
        ),
        (
            r"\bbefore(?! (?:the )?(?:age|week|month|day)\b)|\bprior to\b|\bahead of\b",
            r"\b(?:before|prior|pre\w*|until|first|ahead|baseline|in advance|earlier|initiat\w+"
            r"|at least)\b",
        ),
        (
            r"\bafter(?!wards)\b",
            r"\b(?:after|following|follow\w*|post\w*|upon|since|within|once|when|if|subsequent\w*"
            r"|later|complet\w+|thereafter|then|before|prior|from|until|time to)\b",
        ),
        (
            r"\bwithin\b(?= (?:the )?(?:first )?(?:\d|an? |one|two|three|four|five|six|seven))",
            r"\b(?:within|in(?!to)|up to|at most|(?:no|not) (?:later|more|longer)|less|under|by"
            r"|before|during"
            r"|over|after|of|first|maxim\w+|same|every|limit\w*)\b|<|≤",
        ),
        (
            r"\buntil\b",
            r"\b(?:until|till|before|as long as|while|unless|when|once|if|after|through\w*|up to|to"
            r"|last\w*|end\w*|pending|still|not|persist\w*|remain\w*)\b",
        ),
        (
            r"(?<!with or )(?<!with and )\bwithout\b(?! regard)",
            r"(?<!with or )(?<!with and )\bwithout\b"
            r"|\b(?:no|non\w*|not|nor|never|un\w+|lack\w*|free|absen\w+|negative|neither|unless|avoid\w*|a?febrile|a(?:symptomatic|virem)\w*|alone|naive|in\w+)\b",
        ),
    )
)
"""Joining words, each with what of the evidence says the same."""


def turned_joints(claim: ClaimInContext) -> list[str]:
    """Return joining words that a claim turns, and an "unless" that it says as "if"."""
    return _turned_joint(claim) or _exception_turned(claim) or _cause_turned(claim)


def _turned_joint(claim: ClaimInContext) -> list[str]:
    """Return an "unless", "before" or "after" of a claim that nothing in its evidence says."""
    said, stated = fold_chars(claim.claim.text), fold_chars(claim.cited.text)
    return [
        found.group()
        for word, same in _TURNED
        if (found := word.search(said)) and not same.search(stated)
    ]


_UNLESS = re.compile(r"\bunless\b")
_EXCEPTS = re.compile(
    r"\b(?:unless|except\w*|without|only|absen\w+|other than|apart from|exclud\w+|not?|never"
    r"|nor|until|outweigh\w*|otherwise|but)\b|n't\b"
)


def _exception_turned(claim: ClaimInContext) -> list[str]:
    """Return the "unless" of a sentence that a claim with its words says without an exception."""
    said = fold_chars(claim.claim.text)
    pairs = [pair for pair in claim.compared if _UNLESS.search(fold_chars(pair.text))]
    return ["unless"] if pairs and not _EXCEPTS.search(said) and " if " in f" {said} " else []


_EFFECT_LAST = re.compile(
    r"\b(?:lead(?:s|ing)? to|led to|caus(?:es?|ed|ing)(?! by)|result(?:s|ed|ing)? in"
    r"|brought about|brings? about)\s"
)
_CAUSE_LAST = re.compile(
    r"\b(?:because of|due to|caused by|owing to|on account of|as a result of"
    r"|result(?:s|ed|ing)? from)\s"
)
_PART_END = re.compile(r"[,;:.](?!\d)")


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
