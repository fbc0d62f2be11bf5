"""Aligns the concepts of a claim with those of the sentence it is made from.

The comparing gates share it: what was replaced between unchanged neighbours, and what changed
places. Pure.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.concepts import FIGURE, JOINING, WORD
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.concepts import Concept

Key = tuple[str, str]
EDGE: Key = ("", "")
"""The neighbour of the first and of the last concept."""
_PASSIVE = lazy_re(
    r"\b(?:is|are|was|were|be|been|being)(?: (?:not|\w+ly|also|then|only))?"
    r" \w+(?:ed|wn|en|ought|ept)\b",
    re.IGNORECASE,
)
"""A verb in the passive: "is given", "should not be used"."""
_BY_ITSELF = lazy_re(
    r"\b(?:rises?|rose|falls?|fell|drops?|increases?|decreases?|declines?|occurs?|happens?|appears?"
    r"|develops?|results?|improves?|worsens?)(?: \w+ly)?"
    r" (?:with|when|if|during|after|under|on|from|because|due|by(?= \d))\b",
    re.IGNORECASE,
)
"""A verb whose subject is what happens, not what causes it: "levels fall with meropenem"."""
REWRITTEN = 0.5
"""Least share of a rewritten sentence's concepts that are at other places in its evidence. Of the
ruler's mutants 1 % are rewritten so, of rewordings by hand three in four."""
LEAST_CONCEPTS = 6
"""Concepts of the shortest sentence of a claim that can be rewritten: of fewer each one counts."""


class Slot(NamedTuple):
    """A place where claim and evidence differ between neighbours that are the same."""

    said: tuple[Concept, ...]
    stated: tuple[Concept, ...]
    kept: int
    """Concepts that are the same right before and after it."""


class AlignedSentences:
    """A sentence of a claim with the sentence of its evidence, as rows of concepts."""

    def __init__(
        self, said: Sequence[Concept], stated: Sequence[Concept], claim: str, text: str
    ) -> None:
        self.said = tuple(said)
        self.stated = tuple(stated)
        self.claim = claim
        """The sentence of the claim."""
        self.text = text
        """The sentence of the evidence."""

    @cached_property
    def said_keys(self) -> tuple[Key, ...]:
        """What the claim says, in order."""
        return tuple(one.key for one in self.said)

    @cached_property
    def stated_keys(self) -> tuple[Key, ...]:
        """What the evidence says, in order."""
        return tuple(one.key for one in self.stated)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Places where other concepts are between the same neighbours, in order."""
        from rapidfuzz.distance import Indel

        blocks = [
            (op.tag == "equal", op.src_start, op.src_end, op.dest_start, op.dest_end)
            for op in Indel.opcodes(self.stated_keys, self.said_keys)
        ]
        joined: list[list[int]] = []
        for equal, *ends in blocks:
            if not equal and joined and joined[-1][0] == 0:
                joined[-1][2], joined[-1][4] = ends[1], ends[3]
            else:
                joined.append([int(equal), *ends])
        slots: list[Slot] = []
        for at, (equal, a, b, c, d) in enumerate(joined):
            if equal:
                continue
            kept = sum(n[2] - n[1] for n in joined[max(0, at - 1) : at + 2] if n[0])
            slots.append(Slot(self.said[c:d], self.stated[a:b], kept))
        return tuple(slots)

    @property
    def is_rewritten(self) -> bool:
        """Whether much of what the claim says is not between the words it is between there."""
        new = sum(len(slot.said) for slot in self.slots)
        return len(self.said) >= LEAST_CONCEPTS and new >= REWRITTEN * len(self.said)

    @cached_property
    def exchanged(self) -> frozenset[Key]:
        """Concepts that took each other's places, their neighbours unchanged."""
        if self._turned_passive:
            return frozenset()  # who acts and who is acted on are named in the other order
        if two := self._two_exchanged:
            return two
        places = {key: at for at, key in enumerate(self.said_keys) if self._is_single(key)}
        before = {key: self.stated_keys.index(key) for key in places}
        ordered = sorted(places, key=lambda key: before[key])
        wrong: set[Key] = set()
        for n, one in enumerate(ordered):
            for other in ordered[n + 1 :]:
                if places[one] > places[other] and self._take_places(one, other, before, places):
                    wrong |= {one, other}
        return frozenset(wrong | self._exchanged_blocks(places, before))

    @property
    def _two_exchanged(self) -> frozenset[Key]:
        """The two concepts in which a claim that repeats its sentence differs from it."""
        was, now = self.stated_keys, self.said_keys
        if len(was) != len(now):
            return frozenset()
        places = [at for at, key in enumerate(was) if key != now[at]]
        if len(places) != 2:  # noqa: PLR2004 - two changed places
            return frozenset()
        first, last = places
        between = self.stated[first + 1 : last]
        if (was[first], was[last]) != (now[last], now[first]):
            return frozenset()
        if [was[place][0] for place in places].count(FIGURE) == 1:
            return frozenset()  # "15 mm or more is positive" is "positive from 15 mm"
        is_range = not between and was[first][0] == FIGURE
        if not is_range and _is_list(between, was[first], was[last]):
            return frozenset()
        return frozenset({was[first], was[last]})

    def _exchanged_blocks(self, places: dict[Key, int], before: dict[Key, int]) -> set[Key]:
        """Return the concepts of two blocks that changed places around one that stayed."""
        runs, order = self._runs({before[key]: places[key] for key in places})
        wrong: set[Key] = set()
        for n in range(len(runs) - 2):
            first, middle, last = runs[n : n + 3]
            at = order.index(n + 1)
            around = order[max(0, at - 1) : at + 2]
            between = [self.stated[one] for one in middle]
            if around != [n + 2, n + 1, n]:
                continue
            before_both = order[at - 2] if at > 1 else -1
            behind_both = order[at + 2] if at + 2 < len(order) else len(runs)
            if (before_both, behind_both) != (n - 1, n + 3):
                continue  # more was moved than the two: the sentence is rewritten
            ends = (self.stated_keys[first[-1]], self.stated_keys[last[0]])
            alike = ends[0][0] == ends[1][0] != WORD and any(c.family != JOINING for c in between)
            if alike and not _is_list(between, *ends):
                wrong |= set(ends)
        return wrong

    def _runs(self, moved: dict[int, int]) -> tuple[list[list[int]], list[int]]:
        """Return the blocks of the evidence that the claim has whole, and their order in it.

        `moved` maps places of single concepts to their places in the claim; blocks grow from them.
        """
        for step in (1, -1):
            for at in sorted(moved, reverse=step < 0):
                was, now = at + step, moved[at] + step
                while _at(self.stated_keys, was) == _at(self.said_keys, now) != EDGE:
                    if was in moved or now in moved.values():
                        break
                    moved[was] = now
                    was, now = was + step, now + step
        runs: list[list[int]] = []
        for at in sorted(moved):
            if runs and runs[-1][-1] == at - 1 and moved[at] == moved[at - 1] + 1:
                runs[-1].append(at)
            else:
                runs.append([at])
        return runs, sorted(range(len(runs)), key=lambda n: moved[runs[n][0]])

    @property
    def _turned_passive(self) -> bool:
        by = (JOINING, "by")
        if self.said_keys.count(by) != self.stated_keys.count(by):
            return True
        return any(
            len(verb.findall(self.claim)) != len(verb.findall(self.text))
            for verb in (_PASSIVE, _BY_ITSELF)
        )

    def _is_single(self, key: Key) -> bool:
        once = self.said_keys.count(key) == self.stated_keys.count(key) == 1
        return once and key[0] != JOINING

    def _take_places(
        self, one: Key, other: Key, before: dict[Key, int], places: dict[Key, int]
    ) -> bool:
        """Return whether two concepts have each other's neighbours."""
        first, last = before[one], before[other]
        between = self.stated[first + 1 : last]
        if not between or _is_list(between, one, other):
            return False
        was, now = self.stated_keys, self.said_keys
        here, there = (places[one], places[other]), (first, last)
        swapped = [
            _at(now, here[side] + step) == _at(was, there[1 - side] + step)
            for side in (0, 1)
            for step in (-1, 1)
        ]
        if sum(swapped) < (LEAST_SAME if one[0] == other[0] != WORD else len(swapped)):
            return False
        steps = (-2, -1, 1, 2)
        moved, kept = (
            sum(
                _at(now, here[side] + step) == _at(was, there[to] + step)
                for side, to in pairs
                for step in steps
            )
            for pairs in (((0, 1), (1, 0)), ((0, 0), (1, 1)))
        )
        return moved > kept  # else both were moved with what is next to them


LEAST_SAME = 3
"""Of four neighbours, those that are unchanged where two concepts changed places."""
_SYMMETRIC = frozenset({
    (JOINING, "and"), (JOINING, "or"), (JOINING, "with"), (JOINING, "not"), (JOINING, "should"),
    (JOINING, "can"), ("adding", "combine"), ("adding", "separate"), ("word", "give"),
    ("permission", "contraindicated"), ("likeness", "interchangeable"), ("word", "interact"),
})  # fmt: skip
"""What may be between two things that can be exchanged: "A should not be used with B"."""


_PREDICATES = frozenset({(JOINING, "should"), (JOINING, "can")})
"""With a verb between two things: one is said of the other."""


def _is_list(between: Sequence[Concept], one: Key, other: Key) -> bool:
    """Return whether what is between two concepts makes their order of no account.

    Figures make a list only in one unit: a dose and the age it is for do not.
    """
    families = {one[0], other[0]}
    words = [c for c in between if c.family == WORD and c.key not in _SYMMETRIC]
    if words and any(c.key in _PREDICATES for c in between):
        return False  # "A should be tested for B"
    units = {_unit(value) for family, value in (one, other) if family == FIGURE}
    return len(units) <= 1 and all(
        c.key in _SYMMETRIC or (c.family in families and not (units - {_unit(c.value)}))
        for c in between
    )


def _unit(figure: str) -> str:
    return figure.rpartition(" ")[2].rstrip("<>=")


def _at(keys: Sequence[Key], place: int) -> Key:
    return keys[place] if 0 <= place < len(keys) else EDGE
