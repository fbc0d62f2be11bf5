"""Compares tablets of a fixed-dose combination with the rows that state them by body weight.

"RHZE 4 tabs daily" is a dose once the patient's weight is known: "55-70 kg: RHZE: 4 tablets". Only
a row for the same drugs, of the same strength where both print one, and for that weight counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.people import ADULT
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.regimens import lettered_regimens
from clinrag_core.notes.care_check import evidence_of
from clinrag_core.notes.label_statements import combination_statements
from clinrag_core.notes.passages import GuidelinePassage, care_passages
from clinrag_core.notes.records import GuidelineFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import SummaryItem

_BRACKET = re.compile(r"\([^()]*\)")
_COUNT = re.compile(
    r"\b(?P<count>\d{1,2}(?:\.\d)?|[1-9]?\u00bd) ?(?:tablets?|tabs?)\b", re.IGNORECASE
)
_CELL_COUNT = re.compile(r": (?P<count>\d{1,2})(?=;|$)")
_STRENGTHS = re.compile(r"\d{2,4}(?: ?[/+] ?\d{2,4})+")
_ROWS = re.compile(r"\b(?:tablets?|rhze?|weight bands?)\b")
_DAILY = 1
_REACH = 60
"""Characters from the name of a combination to the count of its tablets, by judgement."""


class TabletCount(NamedTuple):
    """How many tablets of a combination are given, to people of a range of weights in kg."""

    drugs: frozenset[str]
    strengths: tuple[int, ...]
    number: float
    is_product: bool = False
    """Whether it names a product, which has strengths of its own, and no letters."""
    low: float = 0.0
    high: float = float("inf")

    def is_of(self, other: TabletCount, weight: float) -> bool:
        """Return whether a row is on the tablets that a note gives somebody of a weight."""
        is_same = not (self.strengths and other.strengths) or self.strengths == other.strengths
        is_known = not self.is_product or other.is_product
        in_band = self.low <= weight < self.high + 1
        return self.drugs == other.drugs and is_same and is_known and in_band


def tablet_findings(
    given: Mapping[str, Sequence[SummaryItem]],
    weight: float | None,
    age: float,
    engine: AnswerEngine,
) -> Iterator[GuidelineFinding]:
    """Yield what sources state of the tablets that items give somebody of a weight, in kg.

    Labels of combinations of the field are for adults.
    """
    items = {item.source: item for own in given.values() for item in own}
    noted = [(item, one) for item in items.values() for one in _counts(item.text, engine)]
    if weight is None or not noted:
        return
    stated = list(_stated(given if age >= ADULT else {}, engine))
    for item, one in noted:
        times = {max(q.values) for q in quantities(item.text) if q.kind == "frequency"}
        rows = [(row, p) for row, p in stated if row.is_of(one, weight)]
        if not rows or times - {_DAILY}:
            continue
        same = [p for row, p in rows if row.number == one.number]
        yield GuidelineFinding(
            about=item.text,
            source=item.source,
            kind="medicine",
            question=f"How many tablets of {' with '.join(sorted(one.drugs))} at this weight?",
            verdict="supports" if same else "contradicts",
            evidence=evidence_of(same or [p for _, p in rows]),
        )


def _stated(
    given: Mapping[str, Sequence[SummaryItem]], engine: AnswerEngine
) -> Iterator[tuple[TabletCount, GuidelinePassage]]:
    """Yield what guidelines and the labels of combinations state, with where they do."""
    for passage in care_passages(_ROWS, engine, most=None):
        yield from ((row, passage) for row in weighed_counts(passage.text, frozenset(), engine))
    for label in combination_statements(given, engine):
        one = label.statement
        passage = GuidelinePassage(one.said, one.headings, one.document_title)
        rows = weighed_counts(one.said, frozenset(one.ingredients), engine)
        yield from ((row, passage) for row in rows)


def weighed_counts(
    text: str, subject: frozenset[str], engine: AnswerEngine
) -> Iterator[TabletCount]:
    """Yield the tablets that a text states for each range of weights it names.

    The first cell of a row names the weight of all of its others. `subject` are the drugs of a
    text that need not name them.
    """
    bands = [one for one in intervals(text) if one.of == "weight"]
    is_row = len(bands) == 1 and text.find("; ") >= bands[0].end
    for place, band in enumerate(bands):
        until = bands[place + 1].start if place + 1 < len(bands) else len(text)
        part = text[band.end : until]
        found = list(_counts(part, engine))
        if not found and subject and not is_row and (match := _COUNT.search(part[:_REACH])):
            found = [TabletCount(subject, (), _number(match["count"]), is_product=True)]
        yield from (one._replace(low=band.low, high=band.high) for one in found)


def _counts(text: str, engine: AnswerEngine) -> Iterator[TabletCount]:
    """Yield the tablets of combinations that a text counts."""
    plain = _BRACKET.sub(lambda m: " " * len(m.group()), text)
    named = [(*one, False) for one in lettered_regimens(text)]
    mentions = engine.drugs.mentions(plain)
    named += [(m.start, m.end, m.ingredients, True) for m in mentions if len(m.ingredients) > 1]
    starts = [one[0] for one in named] + [m.start for m in mentions] + [len(text)]
    for start, end, drugs, is_product in sorted(named, key=lambda one: one[0]):
        until = min((s for s in starts if s > start), default=len(text))
        part = plain[end:until]
        match = _COUNT.search(part[:_REACH]) or _CELL_COUNT.search(part)
        if match and len(drugs) > 1:
            strengths = _STRENGTHS.search(text, end, until)
            figures = re.findall(r"\d+", strengths.group()) if strengths else []
            ordered = tuple(sorted(map(int, figures)))
            yield TabletCount(drugs, ordered, _number(match["count"]), is_product=is_product)


def _number(text: str) -> float:
    half = 0.5 * text.endswith("\u00bd")
    whole = text.rstrip("\u00bd")
    return float(whole or 0) + half
