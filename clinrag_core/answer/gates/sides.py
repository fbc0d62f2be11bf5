"""Finds relations of a claim whose two sides changed places: more, earlier, preferred, acting.

"A before B", "after A, B", "B once A is done" and "not B until A" put A first; "A is higher than
B", "B is lower than A" and "A 10 %, B 8 %" make A the greater; "A lowers B" and "B is lowered by A"
let A act. A claim may turn the words, not the relation.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.gates.parts import SHARES, parts_of
from clinrag_core.facts.concepts import DRUG, FIGURE, JOINING, WORD
from clinrag_core.facts.negation import denies_comparison, denies_in
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.roles import general_stems
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.facts.concepts import Concept

Keys = frozenset[tuple[str, str]]

_EARLIER = lazy_re(r"\b(?:before|followed by|precedes?|prior to|(?:(?<=, )|\band )then)\b", re.I)
_LATER = lazy_re(
    r"\b(?:after(?! (?:about )?\d)|once|upon|as soon as|follows)\b"
    r"(?! (?:a|an|daily|weekly|every|per)\b)",
    re.I,
)
_UNTIL = lazy_re(r"\b(?:until|unless|without)\b", re.I)
_COMPARES = lazy_re(
    r"\b(?:than(?! \d)|(?:as )?(?:compared|in comparison) (?:with|to)|versus|vs\.?)(?=\s)", re.I
)
_LESS = lazy_re(
    r"\b(?:less|lower|fewer|smaller|shorter|slower|worse|inferior|rarer|low|reduced"
    r"|decreased|rare)\b(?! than \d)",
    re.I,
)
_MORE = lazy_re(
    r"\b(?:more|higher|greater|larger|longer|faster|better|superior|commoner|high"
    r"|increased|exceeded)\b(?! than \d)",
    re.I,
)
_ACTS = lazy_re(
    r"(?<!-)\b(?P<verb>(?P<down>reduc|decreas|lower)(?:es?|s|ed)|(?P<up>increas|rais)(?:es?|ed)"
    r"|(?P<inhibit>inhibit)(?:s|ed)?|(?P<induce>induc)(?:es?|ed)|(?P<prevent>prevent)(?:s|ed)?"
    r"|(?P<cause>caus)(?:es?|ed)|(?P<replace>replac)(?:es?|ed)|(?P<displace>displac)(?:es?|ed)"
    r"|(?P<enhance>enhanc|potentiat)(?:es?|ed)|(?P<affect>affect|alter)(?:s|ed)?)\b"
    r"(?! (?:in|with|when|to|from|until|if|as)\b)",
    re.I,
)
_PREFERS = lazy_re(
    r"\b(?:recommended|preferred|favou?red|advised|chosen|advisable|used) over"
    r"(?! (?:\d|an? |time\b|the (?:course|next|following|first|last|past)\b))"
    r"|\b(?:preferable to|rather than|instead of|in preference to)\b",
    re.I,
)
_FROM = lazy_re(r"\bfrom\b", re.I)
_TOWARDS = lazy_re(r"\b(?:to|towards?|into)\b", re.I)
_PASSIVE = lazy_re(r"\b(?:is|are|was|were|be|been|being) (?:\w+ly )?$", re.I)
_BY = lazy_re(r"\s*(?:\w+ ){0,2}by\b", re.I)
_CLAUSE = lazy_re(r"(?<!vs)[;.](?=\s|$)|\b(?:whereas|while|but)\b")
_FIRST = lazy_re(r"\b(?:first|immediately|at once)\b", re.I)
_THEN = lazy_re(r"\b(?:then|follows?|afterwards|later|next)\b", re.I)
_JOINT = lazy_re(r";|,|\band\b")
_PERCENT = lazy_re(r"(\d+(?:\.\d+)?) ?%")


class _Relation(NamedTuple):
    """What comes first, is the greater or acts, and the other side."""

    kind: str
    first: Keys
    second: Keys
    denied: bool = False
    """Whether it is said by a denial: "not B before A"."""
    turned: bool = False
    """Whether the second is named first: "B less than A"."""


def turned_relations(pair: AlignedSentences) -> list[str]:
    """Return the kinds of relations whose sides a claim exchanges."""
    said = list(_relations(pair.said, pair.claim))
    if not said:
        return []
    stated = list(_relations(pair.stated, pair.text))
    wrong: list[str] = []
    for one in said:
        others = [other for other in stated if other.kind == one.kind]
        firm = one.kind == "comparison" and not one.denied
        if firm and others and all(other.denied for other in others):
            wrong.append(one.kind)
        if one.kind == "comparison" and not others and _against_figures(one, pair):
            wrong.append(one.kind)
        if others and all(_is_crossed(one, other) for other in others):
            wrong.append(one.kind)
    return wrong


def _against_figures(said: _Relation, pair: AlignedSentences) -> bool:
    """Return whether the shares that the evidence gives of two things are in the other order."""
    shares = [(float(p.value), p.own) for p in parts_of(SHARES, pair.stated, pair.text)]
    found: list[float] = []
    for side, other in ((said.first, said.second), (said.second, said.first)):
        fits = sorted(((len(keys & (side - other)), value) for value, keys in shares), reverse=True)
        if len(fits) < 2 or not fits[0][0] or fits[0][0] == fits[1][0]:  # noqa: PLR2004 - of two
            return False
        found.append(fits[0][1])
    return found[0] < found[1]


def keeps_order(pair: AlignedSentences) -> bool:
    """Return whether each order that a claim says is that of its evidence, in whatever words.

    "B after A" is "A before B", and "not B before A".
    """
    said = [one for one in _relations(pair.said, pair.claim) if one.kind == "order"]
    stated = [one for one in _relations(pair.stated, pair.text) if one.kind == "order"]
    return bool(said) and all(any(_same_order(one, other) for other in stated) for one in said)


def keeps_order_by_denial(pair: AlignedSentences) -> bool:
    """Return whether a claim says an order by a denial that its evidence states without one."""
    said, stated = _relations(pair.said, pair.claim), _relations(pair.stated, pair.text)
    return any(
        one.kind == other.kind == "order" and one.denied != other.denied and _same_order(one, other)
        for one in said
        for other in stated
    )


def _same_order(one: _Relation, other: _Relation) -> bool:
    first, second = one.first & other.first, one.second & other.second
    return bool(first - other.second and second - other.first) and not _is_crossed(one, other)


def states_converse_comparison(claim: ClaimInContext) -> bool:
    """Return whether a claim in shared wording states the converse: "B less than A" of "A more"."""
    return any(keeps_comparison(pair) for pair in claim.reworded.compared)


def keeps_comparison(pair: AlignedSentences) -> bool:
    """Return whether a claim says a comparison from its other side: "B less than A"."""
    said = [one for one in _relations(pair.said, pair.claim) if one.kind == "comparison"]
    stated = [one for one in _relations(pair.stated, pair.text) if one.kind == "comparison"]
    return any(
        one.turned != other.turned
        and one.denied == other.denied
        and not _is_crossed(one, other)
        and bool(one.first & other.first - other.second)
        and bool(one.second & other.second - other.first)
        for one in said
        for other in stated
    )


def _is_crossed(said: _Relation, stated: _Relation) -> bool:
    """Return whether each side of a relation has more of the other side of the evidence."""
    first, second = stated.first - stated.second, stated.second - stated.first
    if _entities(first) and _entities(second):
        first, second = _entities(first), _entities(second)
    to_second, to_first = len(first & said.second), len(second & said.first)
    kept = len(first & said.first), len(second & said.second)
    return bool(to_second and to_first) and (to_second + to_first > sum(kept) or not all(kept))


def _entities(keys: Keys) -> Keys:
    return frozenset(key for key in keys if key[0] in _ENTITIES)


_NO_SIDE = frozenset({JOINING, FIGURE, "direction", "multiple", "height", "commonness"})
_DOSE = lazy_re(r" (?:mc?g|g|ml|tablet|unit)\b")
_PATIENT = (WORD, "patient")
_ENTITIES = frozenset({DRUG, "drug_class", "test", "microbe"})


@lru_cache(maxsize=CACHED_TEXTS)
def _relations(sentence: tuple[Concept, ...], text: str) -> tuple[_Relation, ...]:
    """Return the relations of a sentence, clause by clause."""
    return tuple(_in_clauses(sentence, text))


def _in_clauses(sentence: Sequence[Concept], text: str) -> Iterator[_Relation]:
    if parts := _first_and_then(text):
        first, second = (_keys(sentence, *part) for part in parts)
        yield _relation("order", (first, second), turned=False)
    start = 0
    for end in (*(m.start() for m in _CLAUSE.finditer(text)), len(text)):
        yield from _of_clause(sentence, text, start, end)
        yield from _preferred_and_directed(sentence, text, start, end)
        start = end


def _first_and_then(text: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the spans of what a text says comes first, and of what then."""
    first = _FIRST.search(text)
    joint = _JOINT.search(text, first.end()) if first else None
    if joint is None or not _THEN.search(text, joint.end()):
        return None
    return (0, joint.start()), (joint.end(), len(text))


def _of_clause(sentence: Sequence[Concept], text: str, start: int, end: int) -> Iterator[_Relation]:
    """Yield the relations of a clause: orders in time, comparisons, who acts on what."""
    both = _EARLIER.search(text, start, end) and _LATER.search(text, start, end)
    for pattern, turned in ((_EARLIER, False), (_LATER, True), (_UNTIL, False)):
        for match in pattern.finditer(text, start, end):
            sides = _sides(sentence, text, (start, end), match)
            denied = denies_in(text, start, match.start())
            if both or (pattern is _UNTIL and not denied):
                continue
            if pattern is _LATER and denied:
                continue
            yield _relation("order", sides, turned=turned != denied)._replace(denied=denied)
    for match in _COMPARES.finditer(text, start, end):
        left, right = _sides(sentence, text, (start, end), match)
        yield from _by_attribute(sentence, text, start, match, right)
        sign = _sign(text, start, end, match)
        if sign:
            denied = denies_comparison(text, start, match.start())
            relation = _relation("comparison", (left, right), turned=sign < 0)
            yield relation._replace(denied=denied)
    for match in _ACTS.finditer(text, start, end):
        passive = _PASSIVE.search(text[start : match.start()]) is not None
        by = match["verb"].lower().endswith("ed") and _BY.match(text, match.end())
        if passive and not by:
            continue
        name = next(name for name, found in match.groupdict().items() if found and name != "verb")
        yield _relation(name, _sides(sentence, text, (start, end), match), turned=bool(by))


def _preferred_and_directed(
    sentence: Sequence[Concept], text: str, start: int, end: int
) -> Iterator[_Relation]:
    """Yield what a clause prefers to what, and what goes from where to where."""
    for match in _PREFERS.finditer(text, start, end):
        if not denies_in(text, start, match.start()):
            yield _relation("preference", _sides(sentence, text, (start, end), match), turned=False)
    for match in _FROM.finditer(text, start, end):
        if towards := _TOWARDS.search(text, match.end(), end):
            left = _keys(sentence, match.end(), towards.start(), people=True)
            right = _keys(sentence, towards.end(), end, people=True)
            yield _Relation("direction", left, right)
        elif towards := _TOWARDS.search(text, start, match.start()):
            right = _keys(sentence, towards.end(), match.start(), people=True)
            yield _Relation("direction", _keys(sentence, match.end(), end, people=True), right)


def _by_attribute(
    sentence: Sequence[Concept], text: str, start: int, match: re.Match[str], right: Keys
) -> Iterator[_Relation]:
    """Yield a relation for each thing in which a clause says that its left is more and is less.

    "A has a higher risk and a lower price than B": of the risk A is the greater.
    """
    found = [
        (one.start(), one.end(), pattern is _LESS)
        for pattern in (_MORE, _LESS)
        for one in pattern.finditer(text, start, match.start())
    ]
    if len({less for *_, less in found}) < 2:  # noqa: PLR2004 - more of one, less of another
        return
    found.sort()
    left = _keys(sentence, start, found[0][0])
    spans = [*((one[1], other[0]) for one, other in pairwise(found)), (found[-1][1], match.start())]
    if not _keys(sentence, *spans[-1]):  # "is chosen more and fails less than"
        spans = [(one, other) for one, other in pairwise((start, *(begin for begin, *_ in found)))]
    for (*_, less), span in zip(found, spans, strict=True):
        for _, what in _keys(sentence, *span):
            yield _relation(f"comparison of {what}", (left, right), turned=less)


def _sign(text: str, start: int, end: int, match: re.Match[str]) -> int:
    """Return 1 where the left of a comparison is the greater, -1 where it is the lesser, else 0."""
    more, less = (bool(p.search(text, start, match.start())) for p in (_MORE, _LESS))
    if more != less:
        return 1 if more else -1
    if more:
        return 0
    left = _PERCENT.findall(text[start : match.start()])
    right = _PERCENT.findall(text[match.end() : end])
    if len(left) == len(right) == 1 and float(left[0]) != float(right[0]):
        return 1 if float(left[0]) > float(right[0]) else -1
    return 0


def _relation(kind: str, sides: tuple[Keys, Keys], *, turned: bool) -> _Relation:
    first, second = sides[::-1] if turned else sides
    return _Relation(kind, first, second, turned=turned)


def _sides(
    sentence: Sequence[Concept], text: str, clause: tuple[int, int], match: re.Match[str]
) -> tuple[Keys, Keys]:
    """Return what is said on the two sides of a joint; of one that leads, behind its comma."""
    start, end = clause
    before = _keys(sentence, start, match.start())
    comma = text.find(", ", match.end(), end)
    if before:
        return before, _keys(sentence, match.end(), end)
    if comma < 0:
        return before, Keys()
    return _keys(sentence, comma, end), _keys(sentence, match.end(), comma)


def _is_dose(concept: Concept) -> bool:
    return concept.family == FIGURE and _DOSE.search(concept.value) is not None


def _keys(sentence: Sequence[Concept], begin: int, end: int, *, people: bool = False) -> Keys:
    """Return what is said in a part of a sentence; of patients only where they are a side."""
    return frozenset(
        c.key
        for c in sentence
        if begin <= c.start < end
        and (c.family not in _NO_SIDE or c.value.endswith(("<", ">", "=")) or _is_dose(c))
        and not (
            c.family == WORD and c.value in general_stems() and not (people and c.key == _PATIENT)
        )
    )
