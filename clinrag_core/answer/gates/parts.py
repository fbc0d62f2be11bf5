"""Finds what a claim says of one thing though its evidence says it of another one beside it.

A sentence that names two values of a sort (two doses, drugs, directions) has a part for each. What
only one part says belongs to its value: a claim that says it of the other value, and nothing that
belongs to that, has mixed the two.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.concepts import FIGURE, JOINING, WORD
from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.lexicon.roles import general_stems, soft_roles
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.facts.concepts import Concept

Keys = frozenset[tuple[str, str]]

_STRONG = lazy_re(
    r";\s|\.\s|,? \b(?:whereas|while|but|versus|vs\.?|however|although|followed by"
    r"|(?:as )?(?:compared|opposed|in comparison|in contrast) (?:with|to)|than)\b"
)
_WEAK = lazy_re(r",\s(?:and |or |then )?|\b(?:and|or|then)\b")
_VERB = lazy_re(
    r"\b(?:is|are|was|were|has|have|had|can|may|should|must|take|takes|took|receive[sd]?|need|needs"
    r"|occur(?:s|red)?|rose|fell|die[sd]|recover(?:s|ed)?)\b|\b[a-z]{3,}(?:ed|es)\b"
)
_BEGINS_WITH_VERB = lazy_re(r"\W*(?:and |or |but )?(?:also )?[a-z]{3,}s (?:the|an?|at|in|by)\b")
_OWN_SUBJECT = lazy_re(
    r"\W*(?:(?:and|or|but|then) )?(?!(?:and|or|but|then|in|on|at|by|for|to|of|with|from)\b)[a-z]\w*"
    r"(?: \w+){0,2}? (?:in|by|for|at) (?:about )?\d"
)
"""A part without a verb that names what its value is of: "..., and headache in 9 %"."""
_VERB_S = lazy_re(r"\b[a-z]{4,}s\b(?= (?:the|an?|at|in|by|\w+ times)\b)")
_NUMBER = lazy_re(r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?")
CACHED_VALUES = 4_096
"""Values whose sort is kept."""
_PROFESSION = "profession"
_OFTEN = "time/"
"""The unit of a frequency, without its period."""
SHARES = f"{FIGURE} percent"
"""The sort of percentages."""
_NO_SORT = frozenset({JOINING, WORD, "period"})


class _ClaimPart(NamedTuple):
    """A value of a sort with what is said in its part of a sentence."""

    value: str
    place: int
    """Which part of its sentence it is."""
    keys: Keys
    """All of it, with what may be said of the other values too."""
    own: Keys
    """Without a subject, an opening or an end that the parts share."""


def mixed_parts(pair: AlignedSentences) -> list[str]:
    """Return values of a claim that have what only another value has in the evidence."""
    if _PRONOUN.search(pair.text):
        return []
    groups = sorted({_group(c) for c in pair.stated} & {_group(c) for c in pair.said} - {""})
    wrong: list[str] = []
    for group in groups:
        there = _parts(group, pair.stated, pair.text, is_claim=False)
        if len(there) > 1:
            said = _parts(group, pair.said, pair.claim, is_claim=True)
            least = 1 if group.startswith((FIGURE, _PROFESSION)) else LEAST_OWN
            wrong += [one.value for one in said if _has_anothers(one, there, least)]
    return wrong


def _has_anothers(one: _ClaimPart, there: Sequence[_ClaimPart], least: int) -> bool:
    """Return whether a part of a claim says what another value has, and nothing its own has."""
    own = next((part for part in there if part.value == one.value), None)
    if own is None:
        return False
    for other in there:
        if other.place == own.place:
            continue
        places = {other.place, own.place}
        rest = Keys().union(*(part.keys for part in there if part.place not in places))
        mine, its = own.own - other.keys - rest, other.own - own.keys - rest
        if len(mine) >= least and one.keys.isdisjoint(mine) and one.own & its:
            return True
    return False


def parts_of(group: str, sentence: Sequence[Concept], text: str) -> list[_ClaimPart]:
    """Return the values of a sort of a sentence of the evidence, each with what its part says."""
    return _parts(group, sentence, text, is_claim=False)


def _parts(
    group: str, sentence: Sequence[Concept], text: str, *, is_claim: bool
) -> list[_ClaimPart]:
    """Return the values of a group, each with what its part of the sentence says.

    Values that nothing parts share one; of one that is named again nothing is known.
    """
    own = [c for c in sentence if _group(c) == group]
    times = Counter(map(_value, own))
    anchors = [c for c in own if times[_value(c)] == 1]
    if not anchors:
        return []
    content = [c for c in sentence if _says_something(c) and c not in anchors]
    trails = not any(c.start >= anchors[-1].end for c in content)
    cuts, places = [0], [0]
    for one, other in pairwise(anchors):
        if any(one.end <= c.start < other.start for c in content):
            cut = _cut(text, one.end, other.start, trails=trails)
            if cut is not None:
                cuts.append(cut)
        places.append(len(cuts) - 1)
    cuts.append(len(text))
    begin, last = (0, len(text))
    if len(cuts) > 2:  # noqa: PLR2004 - two parts
        begin = (
            _opening_end(text, anchors[0].start)
            if is_claim
            else _subject_end(text, cuts, anchors[0].start)
        )
        last = _ending(text, anchors[-1].end)
    found: list[_ClaimPart] = []
    for anchor, place in zip(anchors, places, strict=True):
        start, end = cuts[place : place + 2]
        stops = [m.start() for m in _STOP.finditer(text, start, end)]
        start = max([start, *(stop for stop in stops if stop < anchor.start)])
        end = min([end, *(stop for stop in stops if stop >= anchor.end)])
        keys = _keys(content, start, end)
        plain = [c for c in content if not _is_next(c, anchor, text)]
        own = _keys(plain, max(start, begin), min(end, last))
        found.append(_ClaimPart(_value(anchor), place, keys, own))
    return found


LEAST_OWN = 2
"""Concepts that only the part of a role or a drug has: with one it may be an attribute."""
_STOP = lazy_re(r";\s")
_PRONOUN = lazy_re(r"\b(?:respectively|them|both|latter|former|each)\b", re.IGNORECASE)


def _is_next(concept: Concept, anchor: Concept, text: str) -> bool:
    """Return whether a concept says which one a value is: "trained nurses"."""
    before = concept.end <= anchor.start and not text[concept.end : anchor.start].strip()
    return before and anchor.family == _PROFESSION


def _opening_end(text: str, anchor: int) -> int:
    """Return where the last comma before the first value of a claim is."""
    return text.rfind(", ", 0, anchor) + 1


def _ending(text: str, anchor: int) -> int:
    """Return where the first comma behind the last value is."""
    found = text.find(", ", anchor)
    return found if found >= 0 else len(text)


def _keys(content: Sequence[Concept], begin: int, end: int) -> Keys:
    return frozenset(
        (FIGURE, _value(c)) if _group(c).startswith(FIGURE) else c.key
        for c in content
        if begin <= c.start < end
    )


def _says_something(concept: Concept) -> bool:
    if concept.family == JOINING:
        return concept.value == "not"
    return concept.family != WORD or concept.value not in general_stems()


def _cut(text: str, begin: int, end: int, *, trails: bool) -> int | None:
    """Return where the part of one value ends and that of the next begins."""
    gap = text[begin:end]
    for joint in (_STRONG, _WEAK):
        cuts = [m.start() for m in joint.finditer(gap)]
        if cuts:
            return begin + (cuts[0] if trails else cuts[-1])
    return None


def _subject_end(text: str, cuts: Sequence[int], anchor: int) -> int:
    """Return where the last verb before the first value ends, if the other parts have none.

    Where they begin with their verb they share the subject up to the verb of the first part.
    """
    rest = [text[begin:end] for begin, end in pairwise(cuts[1:])]
    if all(map(_OWN_SUBJECT.match, rest)):
        return 0
    if all(map(_BEGINS_WITH_VERB.match, rest)):
        return max((verb.start() for verb in _VERB_S.finditer(text, 0, anchor)), default=0)
    if any(_VERB.search(text, begin, end) for begin, end in pairwise(cuts[1:])):
        return 0
    return max((verb.end() for verb in _VERB.finditer(text, 0, anchor)), default=0)


def _group(concept: Concept) -> str:
    """Return the sort of a value, of a figure with its unit; none of a word that has no sort."""
    return _read(concept.family, concept.value)[0]


def _value(concept: Concept) -> str:
    """Return the value of a concept in its sort."""
    return _read(concept.family, concept.value)[1]


@lru_cache(maxsize=CACHED_VALUES)
def _read(family: str, value: str) -> tuple[str, str]:
    """Return the sort and the value of a concept."""
    return _sort_of(family, value), _value_of(family, value)


def _sort_of(family: str, value: str) -> str:
    """Return the sort of a value; "" where it has none."""
    if family == WORD and value in NUMBER_WORDS:
        return FIGURE + " "
    if family in _NO_SORT:
        return ""
    if (family, value) in soft_roles() and family != _PROFESSION:
        return ""
    if family != FIGURE:
        return family
    unit = value.rpartition(" ")[2].rstrip("<>=") if " " in value else ""
    if unit.startswith(_OFTEN):
        return f"{FIGURE} {_OFTEN}"
    ranged = "-" if "-" in value.partition(" ")[0] else ""
    return f"{FIGURE} {unit}{ranged}"


def _value_of(family: str, value: str) -> str:
    if value in NUMBER_WORDS:
        return str(NUMBER_WORDS[value])
    if family != FIGURE or f" {_OFTEN}" in value:
        return value  # "monthly" is not "weekly", though both are once
    number = _NUMBER.match(value)
    return number.group() if number else value
