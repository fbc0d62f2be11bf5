"""Compares doses of a note with those that labels state for the patient's kidney function.

Only a row or a sentence for a range of clearance that the patient's is in counts. What is given in
a day is compared, so that a dose given too often is found as well as one that is too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.people import read_people
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.doses import stated_doses
from clinrag_core.notes.drug_evidence import dose_of
from clinrag_core.notes.label_statements import (
    DOSAGE,
    MOST_EVIDENCE,
    evidence_of_label,
    label_statements,
)
from clinrag_core.notes.records import GuidelineFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.doses import StatedDose
    from clinrag_core.notes.label_statements import LabelStatement
    from clinrag_core.notes.records import SummaryItem

_MORE = 1.1
"""A day's dose above the most that is stated by more than tablets round."""
_PER_DAY = {"day": 1.0, "week": 1 / 7}
_NORMAL = 60.0
"""mL/min from which a range is not one of reduced function (KDIGO G2)."""


def kidney_findings(
    given: Mapping[str, Sequence[SummaryItem]], clearance: float | None, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield the doses above those that labels state for a clearance, in mL/min."""
    if clearance is None or clearance >= _NORMAL:
        return
    for drug, items in given.items():
        if drug not in engine.drugs.labelled:
            continue
        rows = [s for s in label_statements(drug, engine) if _is_for(s, clearance)]
        for item in items if rows else ():
            own = [_daily(d) for d in stated_doses(dose_of(item, drug, engine), item.text)[0]]
            daily = max((mg for mg in own if mg is not None), default=None)
            against = [s for s in rows if daily is not None and _is_less(s, daily)]
            if against:
                yield GuidelineFinding(
                    about=item.text,
                    source=item.source,
                    kind="medicine",
                    question=f"What is the dose of {drug} with reduced kidney function?",
                    verdict="contradicts",
                    evidence=tuple(map(evidence_of_label, against))[:MOST_EVIDENCE],
                )


def _is_for(one: LabelStatement, clearance: float) -> bool:
    """Return whether a statement on doses is for a range of reduced function around a value."""
    ranges = read_people(one.statement.said).kidney
    return one.statement.group == DOSAGE and any(
        r.low <= clearance <= r.high and r.high < _NORMAL for r in ranges
    )


def _is_less(one: LabelStatement, daily: float) -> bool:
    """Return whether a statement allows less in a day, or says not to give the drug."""
    doses = [_daily(d) for d in stated_doses(one.statement.said)[0]]
    stated = [mg for mg in doses if mg is not None]
    if stated:
        return daily > max(stated) * _MORE
    return note_care().cautions.forbids.search(one.folded) is not None and not doses


def _daily(dose: StatedDose) -> float | None:
    """Return the mg of a dose in a day; None where it does not say how often, or is by weight."""
    times = [key for key in dose.frequencies if isinstance(key, tuple)]
    if dose.unit != "mg" or len(times) != 1:
        return None
    values, _, per = times[0]
    rate = _PER_DAY.get(per[0]) if per else None
    return None if rate is None else float(max(dose.amounts)) * float(max(values)) * rate
