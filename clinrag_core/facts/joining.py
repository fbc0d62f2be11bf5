"""Reads the words that join clauses: "unless", "before", "until", and what else says the same."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

_NOT_IF = r"\b(?:not|no|never)\b.{0,60}\b(?:if|when|until|before)\b"
_IF_NOT = r"\b(?:if|when|where|who|until)\b.{0,60}\b(?:not|no|never|cannot)\b"
_TURNED = tuple(
    (lazy_re(word), lazy_re(same))
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
            r"|later|complet\w+|thereafter|then|before|prior|from|until|time to|took|taking"
            r"|receiv\w+|treated with)\b",
        ),
        (
            r"\bwithin\b(?= (?:the )?(?:first )?(?:\d|an? |one|two|three|four|five|six|seven))",
            r"\b(?:within|in(?!to)|up to|at most|(?:no|not) (?:later|more|longer)|less|under|by"
            r"|before|during"
            r"|over|after|of|first|maxim\w+|same|every|limit\w*)\b|<|≤",
        ),
        (
            r"\buntil\b",
            r"\b(?:until|till|before|as long as|while|unless|when|once|if|after|through\w*|up to"
            r"|last\w*|end|pending|not|persist\w*|remain\w*)\b",
        ),
        (
            r"(?<!with or )(?<!with and )\bwithout\b(?! regard)",
            r"(?<!with or )(?<!with and )\bwithout\b|\bonly (?:if|when|after|with|where|once)\b"
            r"|\b(?:no|non\w*|not|nor|never|un\w+|lack\w*|free|absen\w+|negative|neither|unless|avoid\w*|a?febrile|a(?:symptomatic|virem)\w*|alone|naive|in\w+)\b",
        ),
    )
)
"""Joining words, each with what of the evidence says the same."""


def joints_turned(said: str, stated: str) -> list[str]:
    """Return joining words of a case-folded text that nothing in another one says."""
    return [
        found.group()
        for word, same in _TURNED
        if (found := word.search(said)) and not same.search(stated)
    ]


_NEGATIVE = lazy_re(
    r"\b(?:not|no|never|none|nor|nobody|nothing|neither|cannot|without|unless|avoid\w*|contra-?indicat\w*"
    r"|absen\w+|lack\w*|fail\w*|refus\w*|exclu\w+|rul\w+ out|miss\w*|withh\w+|stop\w*|discontinu\w*"
    r"|(?:un|non-?)(?!der|it|less|til|ion|iver|ique|i)\w{4,}|im(?=possib)\w+|in(?=eligib|effect|active|adequ|suffic)\w+"
    r"|otherwise|other than|except\w*)\b|n't\b"
)


def denials_of(folded: str) -> int:
    """Return how many words of a case-folded text deny, "unless" and "un-" counted: two cancel."""
    return len(_NEGATIVE.findall(folded))
