"""The table of care that the check of a note reads: tests, precautions, conditions, effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    import re


class CareMeasure(Record):
    """Care that is no medicine: how a question names it, and how texts do."""

    asks: str
    names: Expression
    refused: Expression | None = None
    """How notes say that it is not done, without a word of refusal."""
    only_refused: bool = False
    """Whether it is asked about only where a plan leaves it out."""
    is_timed: bool = True
    """Whether how often a statement says is how often the care is done."""


class CareWords(Record):
    """Words of a sentence of a guideline that asks for care, or advises against it."""

    for_all: Expression
    """How advice for everybody begins."""
    recommends: Expression
    against: Expression
    limited: Expression
    """What makes it hold for some only."""
    for_some: Expression
    """Whom a prohibition is for, where it is for some people only."""
    not_taken: Expression
    """What right after the name of a medicine says that nobody takes it."""
    no_ban: Expression
    """What should not keep somebody from treatment, which forbids no drug."""
    no_advice: Expression
    """What has words of advice and asks for nothing: "it must be noted"."""
    alongside: Expression
    """Words before a drug that is taken anyway, and that nothing is said of."""
    refuses_before: Expression
    refuses_after: Expression
    """What of a plan, before or after the name of care, says that it is not done."""
    refuses_for_now: Expression
    """What says that it is not done any more, or not yet: a refusal of nothing that is due."""
    next_time: Expression
    """When care is done again, in weeks or months of treatment."""
    times: Expression
    """Weeks of treatment at which a source asks for care."""
    choice_before: Expression
    choice_after: Expression
    """What makes a drug one of a choice: none of them alone is recommended."""


class EffectWords(Record):
    """Medicines that an effect joins to others, and how labels state the effect."""

    drugs: frozenset[str]
    says: Expression


class HarmWords(Record):
    """What a section of a label on patients with a condition says of them."""

    says: Expression
    spares: Expression
    risks: Expression
    """Of people who drink, or are old."""


class CautionWords(Record):
    """Words of a guideline that advise against a drug for some people."""

    forbids: Expression
    not_for: Expression
    """What a label's sentence says before a use that a drug is not meant for."""
    spares: Expression
    """What makes such advice hold for some of them only, or takes it back."""


class SubstanceWords(Record):
    """What is taken with a medicine and is no medicine of the table: food, antacids, a pill."""

    asks: str
    taken: Expression
    """How notes say that it is taken."""
    apart: Expression
    """What of a note keeps it away from the medicine, or says that it is not taken."""
    warns: Expression
    """How a label names it in what it says of taking both."""
    with_item: bool = False
    """Whether it concerns only the medicines of the statement that names it."""


class WhomWords(Record):
    """Whom a passage is for, and what of a note says that its patient is one of them."""

    hiv: Expression
    infected: Expression
    """What of a note says that the patient has HIV."""
    at_home: Expression
    in_hospital: Expression
    admitted: Expression
    """What of a note says that the patient is in hospital."""
    healthy: Expression
    frail: Expression
    """Chronic diseases, and what names them all: "with comorbidities"."""


class NoteCareTable(Record):
    """The table `note_care`."""

    whom: WhomWords

    qt: EffectWords
    """What lengthens the QT interval: two such medicines add up."""
    induction: EffectWords
    """What is broken down faster with a medicine that induces enzymes."""

    strong_induction: EffectWords
    """What only inducers of many enzymes lower."""
    roles: dict[str, EffectWords]
    """What medicines do to others, as labels name all that do it: "strong CYP3A inducers"."""
    measures: dict[str, CareMeasure]
    conditions: dict[str, Expression]
    """Of a patient, which labels warn of."""
    label_words: dict[str, Expression]
    """How labels name conditions that notes name otherwise."""
    when: dict[str, Expression]
    """When care is done: what is done at the start says nothing of the end."""
    harms: HarmWords
    cautions: CautionWords
    substances: dict[str, SubstanceWords]
    allergy_classes: frozenset[str]
    """Classes of drugs whose members an allergy to one of them concerns."""
    joins: Expression
    """What one medicine does to another, in guidelines."""
    says: CareWords


def note_care() -> NoteCareTable:
    """Tests, precautions and follow-up that plans order."""
    return load_table("note_care", NoteCareTable)


def patient_conditions() -> dict[str, re.Pattern[str]]:
    """Return what labels warn of in a patient, by name."""
    return {**finding_lexicon().conditions, **note_care().conditions}


def label_conditions() -> dict[str, re.Pattern[str]]:
    """Return how labels name the conditions of `patient_conditions`, and ages."""
    return {**patient_conditions(), **note_care().label_words}
