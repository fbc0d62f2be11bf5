"""Doses of studies left out, and rows of weights in the order of the age asked about."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.schedules import joined_steps
from clinrag_core.answer.complete.tables import table_of
from clinrag_core.answer.fit.ranges import any_has, any_meet
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.facts.growth import plausible_weight, usual_weight
from clinrag_core.facts.missed_doses import meet_missed, since_last_dose
from clinrag_core.facts.people import read_people
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.times import frequency_of
from clinrag_core.facts.vomited_doses import vomited_after
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.intervals import Interval
    from clinrag_core.lexicon.slots import Aspect

PAIR = 2
MOST_ROWS = 3
"""Rows of one table, for weights that a child of an age may have, that are shown as one."""
_LENGTH = "regimen_length"
_COURSE = lazy_re(r"\b(?:regimens?|treatment|therapy|course)\b")
_WHOLE = lazy_re(r"\btotal (?:\w+ ){0,2}(?:duration|length)\b|\bregimens? (?:\w+ ){0,2}lasts?\b")
"""What a length is asked of, and what says that it is of all of it."""
_DOSAGE = "dosage"
_DOSE_ALONE: frozenset[Aspect] = frozenset({"dose"})
_CARE: frozenset[Aspect] = frozenset({"monitoring", "stopping"})
_TO_DO: frozenset[Aspect] = frozenset({*_CARE, "dose", "frequency"})
_SEEN: frozenset[Aspect] = frozenset({"adverse_effect", "comparison", "why"})
"""Aspects that are answered by what is to be done, and by what was seen in studies."""


def whole_length_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with the length of a whole treatment before those of its phases.

    Only where no phase and no drug is asked about, and of no longer or shorter regimens than are;
    what is recommended, then what is newer.
    """
    is_of_part = slots.facet("phase") or slots.drugs or slots.partners
    asks_whole = "duration" in slots.aspects and _COURSE.search(fold_chars(slots.text))
    if not (fitting and asks_whole) or is_of_part:
        return fitting
    best = max(one.score for one in fitting)
    whole = [
        one
        for one in fitting
        if one.score >= NEAR * best
        and _WHOLE.search(fold_chars(one.statement.said))
        and statement_slots(one.statement, drugs).facet(_LENGTH) <= slots.facet(_LENGTH)
    ]
    whole.sort(key=lambda one: (one.statement.statement_kind != "recommendation", _age(one)))
    rest = [one for one in fitting if one not in whole[:1]]
    return [*(one._replace(score=best) for one in whole[:1]), *rest]


def _age(one: RankedStatement) -> int:
    """Return what sorts newer statements before older ones."""
    return -(one.statement.year or 0)


def likely_weight_first(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return rows for weights with that first which most children of the age asked about have.

    With it those of its table for the other weights that such a child may have.
    """
    usual = None if slots.people.weights else usual_weight(slots.people.ages)
    may_be = plausible_weight(slots.people.ages)
    if usual is None or may_be is None or not slots.asks_dosing:
        return fitting
    rows = [(one, read_people(one.statement.said).weights) for one in fitting if _is_row(one)]
    by_weight = [(one, weights) for one, weights in rows if weights]
    likely = [one for one, weights in by_weight if any_has(weights, usual)]
    if not likely:
        return fitting
    before, chosen = by_weight[0][0], likely[0]
    table = sorted(
        (
            one
            for one, weights in by_weight
            if table_of(one.statement) == table_of(chosen.statement) and any_meet([may_be], weights)
        ),
        key=lambda one: (one is not chosen, one.statement.order),
    )
    at, score = fitting.index(before), before.score
    rest = [one for one in fitting if one not in table]
    whole = chosen.statement
    if 1 < len(table) <= MOST_ROWS:
        whole = joined_steps([one.statement for one in table])
    else:
        rest = [one for one in fitting if one is not chosen]
    return [*rest[:at], chosen._replace(statement=whole, score=score), *rest[at:]]


def of_their_weight_first(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return statements with the row of a label's doses for just the weight asked about first.

    How a capsule is opened does not come before how many there are. Without a weight, with the row
    that most children of the age have first among the rows.
    """
    if not slots.people.weights:
        return likely_weight_first(fitting, slots)
    if slots.partners or not (_DOSE_ALONE & slots.aspects and slots.drugs):
        return fitting  # with another drug the dose may be another one
    rows = [one for one in fitting if _is_row(one) and one.statement.group == _DOSAGE]
    asked = slots.people.weights
    chosen = next((one for one in rows if _is_at(asked, one.statement.said)), None)
    if chosen is None or chosen is fitting[0]:
        return fitting
    rest = [one for one in fitting if one is not chosen]
    return [chosen._replace(score=fitting[0].score), *rest]


def _is_at(asked: Sequence[Interval], said: str) -> bool:
    """Return whether a row is for a range of weights, with two ends, that has all asked about."""
    ranges = [one for one in read_people(said).weights if 0 < one.low < one.high < math.inf]
    return bool(ranges) and all(any(r.has(a.low) and r.has(a.high) for r in ranges) for a in asked)


def of_their_schedules(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a schedule of the question first, where it compares two of them.

    "He is on 400 mg every 8 hours. Is 500 mg every 12 hours the same?" needs what is said of
    either, not of 400 mg every 12 hours alone.
    """
    asked = _schedules(slots.text, drugs)
    if len(asked) < PAIR:
        return fitting
    theirs = [one for one in fitting if asked & _schedules(one.statement.said, drugs)]
    best = max((one.score for one in fitting), default=0.0)
    rest = [one for one in fitting if one not in theirs]
    return [*(one._replace(score=best) for one in theirs), *rest]


def at_their_time_first(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return what is done so long after the last dose, a vomited one, or so many missed, first."""
    readers = (since_last_dose, vomited_after)
    asked = [(read, read(slots.text)) for read in readers]
    theirs = [
        one
        for one in fitting
        if any(
            mine.meets(its)
            for read, times in asked
            for mine in times
            for its in read(one.statement.said)
        )
        or meet_missed(slots.text, one.statement.said)
    ]
    rest = [one for one in fitting if one not in theirs]
    return [*(one._replace(score=fitting[0].score) for one in theirs), *rest]


def _schedules(text: str, drugs: DrugLexicon) -> frozenset[tuple[object, object]]:
    """Return the doses of a text that have a frequency, each with it."""
    quantities = read_facts(text, drugs).quantities
    doses = [one for one in quantities if one.kind == "dose"]
    ends = [*(one.start for one in doses[1:]), len(text)]  # one more where there is no dose
    timed = (
        (dose, frequency_of(text, dose, quantities, end, in_row=False))
        for dose, end in zip(doses, ends, strict=False)
    )
    return frozenset((dose.key, often.key) for dose, often in timed if often is not None)


def is_unusual(slots: QuestionSlots, one: RankedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a dose is for resistant strains or missed doses that nobody asks about."""
    own, missed = statement_slots(one.statement, drugs), slot_lexicon().wordings.missed
    is_missed = says(fold_chars(" ".join(one.statement.headings)), missed)
    is_resistant = "resistant" in own.facet("resistance")
    return (is_missed and not says(fold_chars(slots.text), missed)) or (
        is_resistant and not (slots.facet("resistance") or slots.resistance.to)
    )


def speaking_of_dose(fitting: list[RankedStatement], slots: QuestionSlots) -> list[RankedStatement]:
    """Return statements that speak of a dose, where nothing but that of a drug is asked for.

    What only names the drug answers nothing: then there is no dose in the sources.
    """
    if slots.aspects != _DOSE_ALONE or not slots.drugs or slots.is_case:
        return fitting
    speaks = slot_lexicon().wordings.speaks_of_dose
    return [one for one in fitting if speaks.search(fold_chars(one.statement.said))]


def without_studies(fitting: list[RankedStatement], slots: QuestionSlots) -> list[RankedStatement]:
    """Return statements without what a label tells of its studies, where what to do is asked for.

    A dose that was tried in children is shown only where nothing else is there.
    """
    if not slots.aspects & _TO_DO or slots.aspects & _SEEN:
        return fitting
    kept = [one for one in fitting if not _tells_study(one)]
    return kept if kept or slots.aspects <= _CARE else fitting


def _tells_study(one: RankedStatement) -> bool:
    is_told = slot_lexicon().wordings.tells_study.search(fold_chars(one.statement.said))
    return one.statement.kind == "label" and is_told is not None and not _is_row(one)


def _is_row(one: RankedStatement) -> bool:
    return one.statement.statement_kind == "row"
