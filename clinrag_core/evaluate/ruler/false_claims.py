"""Makes true sentences false, in one respect each, by the rules of `ruler.toml` and by structure.

Reads no lexicon and no fact reader: the gates are measured by what they do not know. Pure.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.ruler.tables import compiled
from clinrag_core.text.normalise import normalise_for_match

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Iterator, Sequence

    from clinrag_core.evaluate.ruler.tables import Group, Rule, RulerTable

_DOSE = re.compile(r"\b\d[\d.,]*\s?(?:mg|g|mcg|mL|tablets?|capsules?)(?:/kg)?\b")
_SHARE = re.compile(r"\b\d[\d.]*\s?%")
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,4}(?![\w/-]|[.,]\d|\s?%)")
_BAND = re.compile(r"\b\d+(?:\s?(?:-|–|to)\s?\d+)?\s?(?:years?|months?|kg)\b")
_INTERVAL = re.compile(r"(\d[\d.]*)(\s?(?:-|–|to|,)\s?)(\d[\d.]*)")
_YEAR = re.compile(r"\b(?:19[5-9]|20[0-2])\d\b")
_PEOPLE = re.compile(
    r"\b(?:adults|children|infants|adolescents|men|women|newborns|neonates|elderly patients"
    r"|pregnant women|males|females|healthy subjects)\b",
    re.IGNORECASE,
)
_PARTING = re.compile(
    r"\b(?:is|are|was|were|by|than|to|of|in|for|on|from|after|before|while|then|mg|kg|years|months"
    r"|should|may|not|has|have|compared|versus|vs|increas\w+|decreas\w+|reduc\w+|inhibit\w+)\b|[;:]"
)
"""What makes the order of two things count; in "A, B and C" it does not."""
_CELL = re.compile(r"(?:^|; )([^:;]+): ([^;]+)")
MERGED, ROWS_MERGED = "statements_merged", "rows_merged"
LEAST_LEFT = 6
"""Words left of a sentence that lost a part; what is shorter was judged unclear by hand."""
_CUT_SHORT = re.compile(
    r"\w\(|\.,|\b(?:that|by|of|to|in|for|with|and|or)\s*[.,;:]|^\W*,|(?:^|\.\s)\w+ly\.",
    re.IGNORECASE,
)
"""Traces of a rule that cut more than a condition: "antagonized(NRTIs) by", "patients that.", and
a sentence of which only "Generally." is left."""
_MOST = 4_999
_CENTURY = 2_100
"""Largest end of a range that is changed, and the latest year that is made."""


class FalseClaim(NamedTuple):
    """A sentence made false, with the true text it is checked against."""

    kind: str
    group: Group
    evidence: str
    claim: str


class FalseClaims:
    """Every kind of mutant of a table of rules."""

    def __init__(self, table: RulerTable) -> None:
        """Compile the rules."""
        self._table = table
        self._ruled = [
            (kind, compiled(kind.rules), re.compile(kind.needs, re.IGNORECASE))
            for kind in table.kind
        ]
        self._classes = compiled(table.classes)

    @cached_property
    def _drugs(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{'|'.join(self._table.drugs)})\b", re.IGNORECASE)

    @cached_property
    def groups(self) -> dict[str, Group]:
        """Each kind with its group, in the order of the report."""
        ruled: dict[str, Group] = {kind.name: kind.group for kind, _, _ in self._ruled}
        merged: dict[str, Group] = {MERGED: "drug", ROWS_MERGED: "dose"}
        built: dict[str, Group] = {name: group for name, group, _ in self._built}
        return {**ruled, **built, **merged}

    @property
    def _built(
        self,
    ) -> tuple[tuple[str, Group, Callable[[str, random.Random], str | None]], ...]:
        """Return the kinds that need more than a table: name, group and what makes one."""
        return (
            ("doses_exchanged", "dose", lambda text, _: _exchanged(text, _DOSE)),
            ("bands_exchanged", "dose", lambda text, _: _exchanged(text, _BAND)),
            ("number_changed", "figures", _other_number),
            ("shares_exchanged", "figures", lambda text, _: _exchanged(text, _SHARE)),
            ("interval_changed", "figures", _other_interval),
            ("year_changed", "figures", _other_year),
            ("drugs_exchanged", "drug", lambda text, _: _exchanged(text, self._drugs)),
            ("drug_replaced", "drug", self._other_drug),
            ("class_widened", "drug", lambda text, rng: _first(text, self._classes, rng)),
            ("people_exchanged", "population", lambda text, _: _exchanged(text, _PEOPLE)),
        )

    def of_sentence(
        self, text: str, rng: random.Random, kinds: Collection[str]
    ) -> Iterator[FalseClaim]:
        """Yield at most one mutant of a sentence for each of some kinds."""
        for kind, rules, needs in self._ruled:
            if kind.name in kinds and needs.search(text):
                yield from _made(kind.name, kind.group, text, _first(text, rules, rng))
        for name, group, make in self._built:
            if name in kinds:
                yield from _made(name, group, text, make(text, rng))

    def of_neighbours(self, one: str, other: str) -> Iterator[FalseClaim]:
        """Yield mutants that merge two statements of a document: what is said of another drug."""
        first, second = self._drugs.search(one), self._drugs.search(other)
        if first and second and first[0].lower() != second[0].lower() and not _row(one):
            claim = other[: second.start()] + first[0] + other[second.end() :]
            if second[0].lower() not in one.lower() and first[0].lower() not in other.lower():
                yield FalseClaim(MERGED, "drug", f"{one}\n{other}", claim)

    def of_rows(self, one: str, other: str) -> Iterator[FalseClaim]:
        """Yield a row of a table with the last cell of another one."""
        cells, others = _CELL.findall(one), _CELL.findall(other)
        same = [name for name, _ in cells] == [name for name, _ in others]
        if same and len(cells) > 1 and cells[0] != others[0] and cells[-1] != others[-1]:
            claim = "; ".join(f"{name}: {said}" for name, said in (*cells[:-1], others[-1]))
            yield FalseClaim(ROWS_MERGED, "dose", f"{one}\n{other}", claim)

    def _other_drug(self, text: str, rng: random.Random) -> str | None:
        """Return a text with one drug replaced by one that it does not name."""
        found = self._drugs.search(text)
        if found is None:
            return None
        # Two spellings of a name are one drug.
        choice = [
            name
            for name in self._table.drugs
            if name not in text.lower() and not {name, found[0].lower()} <= _RIFAMPICIN
        ]
        return text[: found.start()] + rng.choice(choice) + text[found.end() :]


_RIFAMPICIN = {"rifampin", "rifampicin"}


def _row(text: str) -> bool:
    return len(_CELL.findall(text)) > 1


def _made(kind: str, group: Group, text: str, claim: str | None) -> Iterator[FalseClaim]:
    """Yield a mutant; none where nothing was changed, or too little is left to say something."""
    if (
        claim
        and kind.endswith("_dropped")
        and (len(claim.split()) < LEAST_LEFT or _CUT_SHORT.search(claim))
    ):
        return
    if claim and normalise_for_match(claim) not in normalise_for_match(text):
        claim = claim[0].upper() + claim[1:]
        yield FalseClaim(kind, group, text, claim)


def _first(text: str, rules: Sequence[Rule], rng: random.Random) -> str | None:
    """Return a text changed by one of some rules at its first place; None where none applies."""
    applying = [(expression, to) for expression, to in rules if expression.search(text)]
    if not applying:
        return None
    expression, to = rng.choice(applying)
    return expression.sub(to, text, count=1)


def _exchanged(text: str, expression: re.Pattern[str]) -> str | None:
    """Return a text with two different matches exchanged that do not simply make a list."""
    found = list(expression.finditer(text))
    for one, other in pairwise(found):
        between = text[one.end() : other.start()]
        if one[0].lower() != other[0].lower() and _PARTING.search(between):
            return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]
    return None


def _other_number(text: str, rng: random.Random) -> str | None:
    """Return a text with one number, none of a unit or year, changed."""
    found = [m for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m[0])]
    if not found:
        return None
    one = rng.choice(found)
    return f"{text[: one.start()]}{int(one[0]) + rng.choice((1, 2, 10))}{text[one.end() :]}"


def _other_interval(text: str, rng: random.Random) -> str | None:
    """Return a text with one end of a range or interval changed."""
    one = _INTERVAL.search(text)
    if one is None or float(one[3].strip(".") or 0) > _MOST:
        return None
    changed = (one[1], f"9{one[3]}") if rng.random() < 1 / 2 else (f"1{one[1]}", one[3])
    return text[: one.start()] + changed[0] + one[2] + changed[1] + text[one.end() :]


def _other_year(text: str, rng: random.Random) -> str | None:
    one = _YEAR.search(text)
    if one is None:
        return None
    year = min(int(one[0]) + rng.choice((-7, -2, 3, 5)), _CENTURY)
    return f"{text[: one.start()]}{year}{text[one.end() :]}"
