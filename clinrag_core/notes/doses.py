"""Compares a dose that a note states with the doses that a source states of the same drug.

Only figures of one clause and of the same frequency are compared. A dose above the most that is
stated contradicts; one that is stated, as often and as long, supports; where doses depend on weight
nothing else is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.by_weight import is_by_weight, is_for_most
from clinrag_core.facts.frequencies import without_frequencies
from clinrag_core.facts.quantities import quantities, stated_frequencies
from clinrag_core.facts.times import times_of_treatment
from clinrag_core.notes.weight_doses import tolerance, weigh_dose
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

DoseVerdict = Literal["supports", "contradicts", "related"]
_CLAUSE = re.compile(r"[;\n]|\.\s|\t|\bor\b(?= \d)")
_SEQUENCE = re.compile(r"\b(?:then|followed by)\b")
_CONDITION = re.compile(
    r"\b(?:if|once(?! in\b)|when|after|unless|provided|(?:had|have|has|having) received|"
    r"rais(?:ed|ing)|reduc\w+|lower\w*|increas\w+|for every)\b"
)
"""Words of a dose for what may come, which neither supports nor contradicts one that given."""
_PER_DAY = re.compile(r"\b(?:per|a|each) day\b")
_EACH_DAY = re.compile(r"\b(?:each|every|in the|at) (?:morning|evening|night|bedtime)\b")
"""How a dose is given once a day in other words."""

_DAILY = stated_frequencies("daily")


class StatedDose(NamedTuple):
    """A dose of a clause: its amount and unit, and how often and long the clause says it given."""

    amounts: tuple[Decimal, ...]
    unit: str
    frequencies: frozenset[object]
    durations: frozenset[object]
    is_most: bool
    phases: frozenset[str]
    """Days or weeks of treatment that it is for: "day 1"."""
    parts: int
    """Doses that follow one another in the clause."""
    is_conditional: bool
    is_for_weight: bool
    """Whether it is for a range of body weights, which a note's dose does not say."""


def stated_doses(text: str, whole: str = "") -> tuple[tuple[StatedDose, ...], bool]:
    """Return the doses of a text, and whether any dose of it depends on weight.

    A clause that does not say how often takes it from the `whole` that the text is a part of.
    """
    usual = _often(whole)
    has_weights = any(q.kind == "measure" and q.unit == "kg" for q in quantities(whole))
    doses: list[StatedDose] = []
    per_kg = is_by_weight(fold_chars(whole or text))
    by_weight = per_kg
    for part, parts, clause in _parts(text):
        found = quantities(part)
        folded = fold_chars(part)
        often = _often(part) or _often(clause) or usual or _each_day(part) or _each_day(clause)
        often = often or _each_day(whole)
        long = frozenset(q.key for q in found if q.kind == "duration")
        given = [q for q in found if q.kind == "dose" and set(q.per) <= {"day", "kg"}]
        by_weight = by_weight or any("kg" in (q.unit, *q.per) for q in found)
        for one in given:
            amounts, unit, _ = one.key
            is_most = is_for_most(folded)
            doses.append(
                StatedDose(
                    amounts=amounts,
                    unit=f"{unit}/kg" if "kg" in one.per else unit,
                    frequencies=often | (_DAILY if "day" in one.per else frozenset()),
                    durations=long,
                    is_most=is_most,
                    is_for_weight=(per_kg and unit != "kg" and "kg" not in one.per)
                    or (has_weights and not is_most),
                    phases=times_of_treatment(folded),
                    parts=parts,
                    is_conditional=_CONDITION.search(without_frequencies(folded)) is not None,
                )
            )
    return tuple(doses), by_weight


def _parts(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield the parts of a text that say how one dose is given, with their number and clause."""
    for clause in _CLAUSE.split(text):
        parts = _SEQUENCE.split(clause)
        dosed = sum(any(q.kind == "dose" for q in quantities(part)) for part in parts)
        for part in parts:
            yield part, max(dosed, 1), clause


def compare_doses(
    note: str,
    sources: Sequence[tuple[str, str]],
    weight: float | None = None,
    whole: str = "",
) -> DoseVerdict:
    """Return what sources on one drug say of the doses of a note's statement on it.

    A source is the part of a passage that is on the drug, with the whole passage. `weight` of the
    patient in kg, if given, makes doses by weight comparable. `whole` is the statement of the note,
    which may say how often once for all: "A 900 mg plus B 900 mg once weekly".
    """
    own, _ = stated_doses(note, whole)
    read = [stated_doses(part, whole) for part, whole in sources]
    stated = [dose for doses, _ in read for dose in doses if not dose.is_conditional]
    verdicts = [_verdict(one, stated, len(own)) for one in own]
    if weight is not None:
        weighed = [weigh_dose(one, [p for p, _ in sources], weight, _DAILY) for one in own]
        verdicts = [w if v == "related" else v for v, w in zip(verdicts, weighed, strict=True)]
    if "contradicts" in verdicts:
        return "contradicts"
    if verdicts and all(v == "supports" for v in verdicts):
        return "supports"
    alone = [other for other in stated if other.parts <= len(own) and not other.is_most]
    comparable = any(_same_frequency(one, other) for one in own for other in alone)
    within = any(_is_near(one, other) for one in own for other in stated if _comparable(one, other))
    depends = any(by_weight for _, by_weight in read)
    return "contradicts" if comparable and not within and not depends else "related"


def _each_day(text: str) -> frozenset[object]:
    """Return a frequency of once a day where a text names one time of the day."""
    times = {match.group() for match in _EACH_DAY.finditer(fold_chars(text))}
    return _DAILY if len(times) == 1 else frozenset()


def _often(text: str) -> frozenset[object]:
    """Return the one frequency that a text states; none where it states several."""
    found = stated_frequencies(text)
    if not found and _PER_DAY.search(fold_chars(text)):
        return _DAILY
    return found if len(found) == 1 else frozenset()


def _verdict(one: StatedDose, stated: Iterable[StatedDose], of: int) -> DoseVerdict:
    """Return what the stated doses say of one of a note's doses."""
    comparable = [other for other in stated if _comparable(one, other)]
    most = [
        max(other.amounts)
        for other in comparable
        if other.is_most
        and (one.frequencies & other.frequencies or one.frequencies == other.frequencies)
    ]
    if most and max(one.amounts) > max(most):
        return "contradicts"
    within = [
        other
        for other in comparable
        if _within(one, other)
        and other.parts <= of
        and not other.is_for_weight
        and (not other.phases or one.phases & other.phases)
    ]
    if not one.frequencies:  # what is right once a day may be wrong twice
        is_said = bool(within) and len(within) == len(comparable)
    else:
        is_said = any(one.frequencies & other.frequencies for other in within)
    others = [other.durations for other in within if other.durations]
    is_long = not one.durations or not others or any(one.durations & long for long in others)
    return "supports" if is_said and is_long else "related"


def _comparable(one: StatedDose, other: StatedDose) -> bool:
    """Return whether two doses have a unit in common and no different frequency."""
    differ = one.frequencies and other.frequencies and not one.frequencies & other.frequencies
    return one.unit == other.unit and not differ


def _same_frequency(one: StatedDose, other: StatedDose) -> bool:
    return one.unit == other.unit and bool(one.frequencies & other.frequencies)


def _within(one: StatedDose, other: StatedDose) -> bool:
    return min(other.amounts) <= min(one.amounts) and max(one.amounts) <= max(other.amounts)


def _is_near(one: StatedDose, other: StatedDose) -> bool:
    """Return whether a dose is a stated one but for what tablets round."""
    least, most = tolerance(is_range=len(set(other.amounts)) > 1)
    low, high = float(min(other.amounts)), float(max(other.amounts))
    return low * least <= float(min(one.amounts)) and float(max(one.amounts)) <= high * most
