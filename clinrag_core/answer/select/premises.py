"""Compares the figures that a question suggests with those that fitting statements give.

"15 g daily, right?" is contradicted by 15 mg/kg with a maximum of 1 g. Only figures of the drug
asked about count; a figure that one of the statements gives is never contradicted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import name_of
from clinrag_core.answer.question.asking import asks, says_so_far
from clinrag_core.answer.select.part_amounts import (
    is_allowed_rate,
    is_no_dose,
    is_step,
    is_strength,
)
from clinrag_core.facts.by_weight import headed_figures
from clinrag_core.facts.people import read_people
from clinrag_core.facts.quantities import COUNTED_UNITS, REGIMEN_KINDS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.times import DAYS, frequency_of, is_same_time
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.model.statement import IndexedStatement

HEAVIEST = 150
"""Kilograms of a very heavy adult: what a dose per kilogram can come to at most."""
SHOWN = 3
_SPACES = lazy_re(r"[\s-]+")
"""What two writings of one figure may differ in: "30 – 40 mg", "30-40 mg"; "once-weekly"."""
_AT_MOST = "at most "
_WHOLE = lazy_re(r"\b(?:entire|whole|full) contents of\b", re.IGNORECASE)
"""What gives a dose by what holds it: "the entire contents of one ampule"."""
_SHARE = lazy_re(
    r"\b(?:dos(?:e|age)s?\b[^.;]*\b(?:by|to) (?:one-?)?half|half (?:of )?(?:the|that)"
    r"|(?:one-?)half\b[^.;]*\bdos(?:e|age))\b",
    re.IGNORECASE,
)
"""What gives a dose as a share of another: "reduced to one-half of that recommended"."""
_FOUND = lazy_re(
    r"\b(?:excreted|recovered) in\b|\bin (?:human |breast )?milk\b"
    r"|\bfor (?:the|these) (?:\w+ )?patients were\b",
    re.I,
)
"""What makes amounts those that were measured, not given."""
_NAMED = frozenset({"dose", "duration"})
_DOSES_ONLY = REGIMEN_KINDS - {"frequency", "duration"}
_YES_OR_NO = lazy_re(
    r"(?:is|are|should|can|may|must|do|does|will)\b(?!.*\b(?:or|what|which|how)\b)", re.I
)
_ASKS = lazy_re(r"\b(?:what|which|why|when|who|how|where|number|missed|forgot\w*|regimen)\b", re.I)
FEW_WORDS = 8
"""Words of a question that suggests what it names: "X for 3 months?"; a longer one tells a case."""
_ASSERTS = lazy_re(
    r"\bisn['’]?t (?:it|that)\b|\b(?:since|because|confirm\w*|right|correct|true|yes|ok|okay"
    r"|agree\w*|as\b.{0,60}\bis)\b",
    re.I,
)


def _suggests_times(question: str) -> bool:
    """Return whether the times that a question names are suggested, not part of what it tells.

    "Confirm that 60 days is right" is, and so is "is it given for 60 days?"; "what is given in the
    4-month regimen" is not.
    """
    if _ASSERTS.search(question) or _YES_OR_NO.match(question.strip()):
        return True
    if slot_lexicon().wordings.asks_maximum.search(fold_chars(question)):
        return False  # "maximum daily dose"
    return len(question.split()) <= FEW_WORDS and not _ASKS.search(question)


class ContradictedPremise(NamedTuple):
    """A figure of the question that the statements contradict."""

    asked: str
    stated: tuple[str, ...]
    statements: tuple[IndexedStatement, ...]
    """Those that give the other figures."""
    sentence: str


class _Stated(NamedTuple):
    """A figure of a statement, with how often it is given."""

    quantity: Quantity
    frequency: Quantity | None
    text: str
    statement: IndexedStatement


def contradicted(
    slots: QuestionSlots,
    accepted: Sequence[IndexedStatement],
    drugs: DrugLexicon,
    also_shown: Sequence[IndexedStatement] = (),
) -> tuple[ContradictedPremise, ...]:
    """Return which figures suggested are wrong, or given by no statement, one of each kind.

    A figure of another statement that is shown, such as a maximum, is given as well.
    """
    is_missed = slot_lexicon().wordings.missed.search(fold_chars(slots.text)) is not None
    if not slots.suggested or slots.is_case or is_missed or asks(slots.text, "asks_use"):
        return ()
    kinds = REGIMEN_KINDS if _suggests_times(slots.text) else _DOSES_ONLY
    suggested = (
        q
        for q in slots.suggested
        if q.kind in kinds and not (_is_of_partner(slots, q, drugs) or _is_so_far(slots, q))
    )
    cells = [*filter(None, (headed_figures(fold_chars(one.said)) for one in accepted))]
    suggested = (q for q in suggested if not ("kg" in q.per and _is_in_cell(q, cells)))
    suggested = (q for q in suggested if not is_strength(slots.text, q))
    slots = slots._replace(suggested=tuple(suggested))
    read = [statement_slots(one, drugs) for one in accepted]
    doses = [one for own in read for one in _doses(slots, own)]
    # of nothing named, how often something is done is not how often anything else is given
    times = [o for own in read for o in _frequencies(slots, own) if not slots.names_no_drug]
    found = [*_wrong_doses(slots, doses)][:1]
    for wrong in _wrong_frequencies(slots, times):
        if not any(wrong.asked in one.asked for one in found):
            found.append(wrong)
            break
    left = slots.suggested
    if found:  # and a length of treatment, where the statements give another one
        stated = {q.kind for own in read for q in own.facts.quantities}
        left = tuple(q for q in left if q.kind == "duration" and q.kind in stated)
    read += [statement_slots(one, drugs) for one in also_shown if read]
    return (*found, *_unsupported(slots._replace(suggested=left), read))


def _is_in_cell(asked: Quantity, cells: Sequence[Sequence[float]]) -> bool:
    """Return whether an amount by weight is in a cell of a table whose heading has the unit."""
    figures = [float(value) for value in asked.key[0]]
    return any(min(cell) <= min(figures) and max(figures) <= max(cell) for cell in cells)


def _is_so_far(slots: QuestionSlots, figure: Quantity) -> bool:
    """Return whether an amount is what somebody has had of a course: "118 g of it so far".

    One with a frequency is a dose: "already received 15 g daily".
    """
    after = re.split(r"[.;?!,]|\d", slots.text[figure.end :], maxsplit=1)[0]
    before = re.split(r"[.;?!,]|\d", slots.text[: figure.start])[-1]
    ends = range(figure.end, figure.end + len(after) + 1)
    if figure.per or any(q.kind == "frequency" and q.start in ends for q in slots.suggested):
        return False
    return figure.kind == "dose" and says_so_far(f"{before}#{after}")


def _is_of_partner(slots: QuestionSlots, figure: Quantity, drugs: DrugLexicon) -> bool:
    """Return whether a figure is right next to a drug that is taken with the one asked about."""
    gaps = [
        slots.text[m.end : figure.start]
        if m.end <= figure.start
        else slots.text[figure.end : m.start]
        for m in read_facts(slots.text, drugs).drugs
        if m.ingredients in slots.partners
    ]
    return not all(gap.strip(" (,:") for gap in gaps)


def _unsupported(
    slots: QuestionSlots, read: Sequence[StatementSlots]
) -> tuple[ContradictedPremise, ...]:
    """Return the doses and durations asked that no statement gives, as one, if any."""
    stated = [q for own in read for q in own.facts.quantities]
    whole = [q for own in read for q in own.facts.quantities if not is_step(own.statement.said, q)]
    by_weight = any("kg" in q.per for q in stated)
    by_share = any(_SHARE.search(own.statement.said) for own in read)
    by_share |= any(_WHOLE.search(own.statement.said) for own in read)
    words: list[str] = []
    for asked in slots.suggested:
        if asked.kind not in _NAMED or not read:
            continue
        if asked.kind == "dose" and (by_weight or by_share):
            continue  # it may be what a dose per kilogram, half a dose or an ampule comes to
        if any(q.kind == asked.kind and _supports(asked, q) for q in stated):
            continue
        if is_allowed_rate(asked, whole):
            continue
        if any(_is_written(asked, own.statement.said) for own in read):
            continue
        words.append(_asked(slots, asked))
    if not words:
        return ()
    said = " or ".join(dict.fromkeys(words))
    sentence = f"The statements found say nothing of {said}{_for_drugs(slots)}."
    return (ContradictedPremise(said, (), (), sentence),)


def _is_written(asked: Quantity, said: str) -> bool:
    """Return whether a text has the amount as a strength, or tablets with a name in between."""
    if len(asked.values) != 1:
        return False
    if re.search(rf"(?<![\d.,]){asked.values[0]}\s?{re.escape(asked.unit)}\b", said, re.IGNORECASE):
        return True
    if asked.unit not in COUNTED_UNITS:
        return False
    unit = rf"\b{asked.values[0]}\s(?:[^\s.;]+\s){{1,6}}{asked.unit}s?\b"
    return re.search(unit, said, re.IGNORECASE) is not None


def _supports(asked: Quantity, stated: Quantity) -> bool:
    """Return whether a stated amount or time includes the one asked, whatever it is per."""
    if asked.kind == "duration":
        return _is_comparable(asked, stated) and _includes_time(asked, stated)
    return asked.key[1] == stated.key[1] and _within(asked.key[0], stated.key[0])


def _for_drugs(slots: QuestionSlots) -> str:
    drug = " or ".join(name_of(one) for one in slots.drugs)
    return f" for {drug}" if drug else ""


def _doses(slots: QuestionSlots, own: StatementSlots) -> Iterator[_Stated]:
    """Yield the figures of a statement that are the drug's, each with its frequency."""
    said, in_row = own.statement.said, own.statement.statement_kind == "row"
    if _FOUND.search(said) or (own.label and "narrative" in own.statement.unfit):
        return  # what was given in a study of a label contradicts nobody
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    if slots.partners and (in_row or own.said_drugs - asked):
        return  # with another drug the dose may be another one
    every = zip(own.figures, own.owners, strict=True)
    given = [(figure, owned) for figure, owned in every if not is_no_dose(said, figure)]
    for figure, owned in given:
        if slots.drugs and not (len(owned) == 1 and owned <= set(slots.drugs)):
            continue  # what several drugs may own is not sure enough to contradict with
        if in_row and not slots.people.weights and _is_by_weight(said, figure):
            continue  # "<33 kg: 25 mg/kg daily" is no usual dose
        following = next((q.start for q, _ in given if q.start > figure.start), len(said))
        times = own.facts.quantities
        is_daily = figure.per[-1:] == ("day",)  # how often another drug is given is not its own
        frequency = (
            None if is_daily else frequency_of(said, figure, times, following, in_row=in_row)
        )
        yield _Stated(figure, frequency, _words(said, figure, frequency), own.statement)


def _is_by_weight(said: str, figure: Quantity) -> bool:
    """Return whether a dose per kilogram is in the cell of a range of weights."""
    cell = said[said.rfind(";", 0, figure.start) + 1 : figure.start]
    return figure.per[:1] == ("kg",) and bool(read_people(cell).weights)


def _words(said: str, figure: Quantity, frequency: Quantity | None) -> str:
    text = said[figure.start : figure.end]
    if figure.comparator in {"<", "<="}:
        text = f"{_AT_MOST}{text}"
    return f"{text} {said[frequency.start : frequency.end].lower()}" if frequency else text


def _wrong_doses(slots: QuestionSlots, stated: Sequence[_Stated]) -> Iterator[ContradictedPremise]:
    """Yield the amounts asked that no statement gives, or gives at another frequency only."""
    times = [q for q in slots.suggested if q.kind == "frequency"]
    for asked in slots.suggested:
        if asked.kind != "dose":
            continue
        if is_allowed_rate(asked, (one.quantity for one in stated)):
            continue
        same = [one for one in stated if _is_within(asked, one.quantity)]
        others = [one for one in stated if _differs(asked, one.quantity)]
        if len(times) == 1 and (same or others):
            rate = times[0]
            at_rate = [one for one in others if _has_frequency(rate, one)]
            known = [one for one in same if one.frequency is not None]
            if any(_has_frequency(rate, one) for one in same):
                continue
            if wrong := _on_one_side(asked, at_rate) or known:  # the same amount, but less often
                yield _contradiction(slots, f"{_asked(slots, asked)} {_asked(slots, rate)}", wrong)
                continue
        if others and not same:
            yield _contradiction(slots, _asked(slots, asked), _on_one_side(asked, others))


def _on_one_side(asked: Quantity, others: Sequence[_Stated]) -> list[_Stated]:
    """Return the figures below the one asked, or else those above it.

    15 g daily is contradicted by 15 mg/kg, not by the 120 g that a whole course comes to.
    """
    below = [one for one in others if _is_below(asked, one.quantity)]
    return below or list(others)


def _is_below(asked: Quantity, stated: Quantity) -> bool:
    (values, _, per), (others, _, other_per) = asked.key, stated.key
    most = others[-1] * HEAVIEST if other_per[:1] == ("kg",) and not per else others[-1]
    return most < values[0]


def _has_frequency(rate: Quantity, one: _Stated) -> bool:
    """Return whether a stated figure is given as often as asked: "daily" is also "mg/day"."""
    if one.frequency is not None:
        return _is_within(rate, one.frequency)
    return one.quantity.per[-1:] == ("day",) and rate.per == ("day",) and rate.values[-1] == 1


def _differs(asked: Quantity, stated: Quantity) -> bool:
    """Return whether a stated amount can be compared with the one asked, and is another."""
    (values, unit, per), (others, other_unit, other_per) = asked.key, stated.key
    if unit != other_unit:
        return False
    if other_per in (per, (*per, "day")):
        is_below_limit = stated.comparator in {"<", "<="} and values[-1] <= others[-1]
        return not (is_below_limit or _within(values, others))
    by_weight = other_per[:1] == ("kg",) and not per
    return by_weight and values[-1] > others[-1] * HEAVIEST


def _is_within(asked: Quantity, stated: Quantity) -> bool:
    """Return whether an asked value is the stated one or in its range."""
    (values, unit, per), (others, other_unit, other_per) = asked.key, stated.key
    if unit != other_unit or (per and other_per and per != other_per and asked.kind != "dose"):
        return False
    if asked.kind == "dose" and per != other_per:
        return False
    return _within(values, others)


def _within(values: tuple[Decimal, ...], others: tuple[Decimal, ...]) -> bool:
    return others[0] <= values[0] and values[-1] <= others[-1]


def _frequencies(slots: QuestionSlots, own: StatementSlots) -> Iterator[_Stated]:
    """Yield how often a statement gives the drug, if it does not forbid it."""
    for quantity in () if own.forbids else own.facts.quantities:
        if quantity.kind != "frequency":
            continue
        owned = own.owners_of(quantity)
        if slots.drugs and owned and not any(drug & one for drug in slots.drugs for one in owned):
            continue
        text = own.statement.said[quantity.start : quantity.end]
        yield _Stated(quantity, None, text, own.statement)


def _wrong_frequencies(
    slots: QuestionSlots, stated: Sequence[_Stated]
) -> Iterator[ContradictedPremise]:
    """Yield a frequency asked that differs from all that the statements give."""
    for asked in slots.suggested:
        if asked.kind != "frequency":
            continue
        comparable = [one for one in stated if _is_comparable(asked, one.quantity)]
        if comparable and not any(_includes_time(asked, one.quantity) for one in comparable):
            yield _contradiction(slots, _asked(slots, asked), comparable)


def _is_comparable(asked: Quantity, stated: Quantity) -> bool:
    """Return whether two times can be compared: of one unit, or both lengths of a course."""
    if asked.key[1] == stated.key[1]:
        return True
    return asked.kind == "duration" and asked.unit in DAYS and stated.unit in DAYS


def _includes_time(asked: Quantity, stated: Quantity) -> bool:
    """Return whether times are the same or in a range, to a tenth where their units differ."""
    if asked.key[1] == stated.key[1]:
        return _is_within(asked, stated)
    return is_same_time(asked, stated)


def _asked(slots: QuestionSlots, quantity: Quantity) -> str:
    return slots.text[quantity.start : quantity.end]


def _contradiction(
    slots: QuestionSlots, asked: str, others: Sequence[_Stated]
) -> ContradictedPremise:
    """Return a contradiction with its sentence; of many figures the greatest is among the shown."""
    texts: dict[str, _Stated] = {}
    for one in others:
        texts.setdefault(_SPACES.sub("", fold_chars(one.text)), one)
    limits = [one for one in texts.values() if one.text.startswith(_AT_MOST)]
    every = limits or list(texts.values())
    most = max(every, key=lambda one: one.quantity.key[0][-1])
    shown = every[:SHOWN] if most in every[:SHOWN] else [*every[: SHOWN - 1], most]
    stated = tuple(one.text for one in shown)
    statements = {one.statement.id: one.statement for one in others}
    given = f"{', '.join(stated)}{_for_drugs(slots)}"
    return ContradictedPremise(
        asked=asked,
        stated=stated,
        statements=tuple(statements.values()),
        sentence=f"The question says {asked}; what is quoted here gives {given}.",
    )
