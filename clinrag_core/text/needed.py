"""Reads from a regular expression words of which a text needs one for it to match.

Tables hold hundreds of expressions, most of which no word of a sentence calls for: whether it has
such a word is found a hundred times faster than whether the expression matches. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from clinrag_core.text.expressions import BRACKETS, alternatives, lazy_re

LEAST = 2
"""Letters of the shortest word that tells anything."""
_ZERO_WIDTH = frozenset("bBAZ")
_OPTIONAL = frozenset("?*")
_LOOKS = ("?=", "?!", "?<=", "?<!")

_LETTERS = lazy_re(r"[\w ,'-]+(?![?*+{])")
"""Signs that stand for themselves and are there once."""

Words = tuple[str, ...]


class _PatternPart(NamedTuple):
    """A part of an expression: a letter, a group or something else."""

    letter: str
    group: str | None
    end: int


def needed_words(pattern: str) -> Words:
    """Return words, in lower case, of which every text has one that an expression matches.

    None where the expression does not tell: it may match any text.
    """
    found: list[str] = []
    for alternative in alternatives(pattern):
        words = max(_of_sequence(alternative), key=_telling, default=())
        if not words:
            return ()
        found += words
    return tuple(dict.fromkeys(found))


def needed_parts(pattern: str) -> tuple[Words, ...]:
    """Return sets of words of each of which a matching text has one, the most telling set first.

    More than one where parts of an expression that has no alternatives follow each other.
    """
    if len(alternatives(pattern)) == 1:
        return tuple(sorted(_of_sequence(pattern), key=_telling, reverse=True))
    words = needed_words(pattern)
    return (words,) if words else ()


def _telling(words: Words) -> int:
    return min(map(len, words))


def _of_sequence(pattern: str) -> list[Words]:
    """Return the words of each part of what follows each other, of the parts that tell anything."""
    every: list[Words] = []
    run, at = "", 0
    while at < len(pattern):
        if letters := _LETTERS.match(pattern, at):
            run += letters[0].lower()
            at = letters.end()
            continue
        item = _item(pattern, at)
        least = _least_times(pattern, item.end)
        end = _quantifier_end(pattern, item.end)
        if item.letter and end == item.end:
            run += item.letter
        elif item.letter or item.group is None:
            if item.letter and least:
                run += item.letter
            every.append((run,))
            run = ""
        elif not item.group.startswith(_LOOKS):
            every.append((run,))
            run = ""
            if least:
                every.append(needed_words(_without_name(item.group)))
        at = end
    every.append((run,))
    return [words for words in every if words and _telling(words) >= LEAST]


def _item(pattern: str, at: int) -> _PatternPart:
    """Return the part of an expression that begins at a place."""
    sign = pattern[at]
    if sign == "\\":
        after = pattern[at + 1]
        if after in _ZERO_WIDTH:
            return _PatternPart("", "?=", at + 2)
        literal = "" if after.isalnum() else after
        return _PatternPart(literal, None, at + 2)
    if sign == "(":
        end = _closing(pattern, at)
        return _PatternPart("", pattern[at + 1 : end], end + 1)
    if sign == "[" and (letters := BRACKETS.match(pattern, at)):
        return _PatternPart("", None, letters.end())
    if sign in "^$":
        return _PatternPart("", "?=", at + 1)
    return _PatternPart("" if sign == "." else sign.lower(), None, at + 1)


def _closing(pattern: str, at: int) -> int:
    """Return where the bracket that opens at a place is closed."""
    depth = 0
    for sign in BRACKETS.finditer(pattern, at):
        depth += (sign[0] == "(") - (sign[0] == ")")
        if not depth and sign[0] == ")":
            return sign.start()
    raise ValueError(f"no bracket closes the one at {at} of {pattern!r}")


def _least_times(pattern: str, at: int) -> int:
    """Return how often what ends at a place must be there: 0 where it may be left out."""
    sign = pattern[at : at + 1]
    if sign and sign in _OPTIONAL:
        return 0
    return 0 if pattern.startswith(("{0", "{,"), at) else 1


def _quantifier_end(pattern: str, at: int) -> int:
    """Return where the sign for how often something is there ends."""
    start = at
    if at < len(pattern) and pattern[at] == "{":
        at = pattern.index("}", at) + 1
    elif at < len(pattern) and pattern[at] in "?*+":
        at += 1
    if at > start and at < len(pattern) and pattern[at] in "?+":
        at += 1
    return at


def _without_name(group: str) -> str:
    """Return what is in a group, without its name or flags."""
    if not group.startswith("?"):
        return group
    if group.startswith("?P<"):
        return group[group.index(">") + 1 :]
    return group[group.index(":") + 1 :]
