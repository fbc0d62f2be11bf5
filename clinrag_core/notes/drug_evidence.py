"""Says what passages state of a drug of a note: its dose, or whether to give it.

Only a passage on that drug, that disease and such people is evidence, and only one that holds for
this patient without more being known supports or contradicts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.by_weight import without_weights
from clinrag_core.facts.contraindications import CONTRAINDICATIONS
from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.people import read_people
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.notes.care_check import GRADE, evidence_of
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.doses import compare_doses, stated_doses
from clinrag_core.notes.fits import (
    binds,
    for_age,
    for_weight,
    has_own_dose,
    is_of_other_resistance,
    suits,
)
from clinrag_core.notes.label_conditions import includes_age
from clinrag_core.notes.label_statements import CLASS_OF
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.patient import OF_FIELD
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import GuidelineVerdict, SummaryItem


_CELL = re.compile(r"[A-Za-z)]: ")
"""What separates a heading of a table from its cell."""
_COURSE_GOES_ON = re.compile(
    r"\b(?:further|another|additional|continuation|step(?:ping)? down|thereafter|then stop)\b"
)
"""Words of a later phase of treatment, of which the length is the point."""
_HIGH_DOSE = re.compile(r"\bhigh(?:er)?[- ]dose\b")
"""A regimen of its own: its dose is none of the usual one."""
_PRESENTED = re.compile(r"\bpresentation\b", re.IGNORECASE)
_STRENGTHS = re.compile(r"\(\d[\d., ]* ?(?:mg|g)(?: vial)?\)")
"""What a tablet has, in the row of a table that says so: no dose."""
_OF_MANY_USES = frozenset({"corticosteroid"})
"""Classes of drugs that a patient may get for another disease than the one that a note is about."""
_STATED = frozenset({"dose", "frequency", "duration"})
_REACH = 90
"""Characters from the name of a drug that may state its dose in a sentence, by judgement."""


class AskedDrug(NamedTuple):
    """A question on a drug with what of the note it is about."""

    kind: Literal["recommendation", "medicine"]
    question: str
    item: SummaryItem
    drug: str
    disease: str
    has_dose: bool
    """Whether the note states a dose of that drug alone."""
    given: frozenset[str] = frozenset()
    """Every drug that the note gives: what is said of a regimen is said of those."""


def drug_finding(
    one: AskedDrug, passages: Sequence[GuidelinePassage], patient: NotePatient, engine: AnswerEngine
) -> GuidelineFinding:
    """Return what passages say of a drug of the note; what decides comes first."""
    about = [p for p in passages if _is_about(p, one, patient, engine)]
    deciding = [p for p in about if _decides(p, one, patient, engine)]
    verdict = _verdict(one, deciding, patient, engine)
    if one.has_dose and "contradicts" in (verdict, of_all := _verdict(one, about, patient, engine)):
        verdict = of_all  # no dose stated for any setting is that of the note
        alone = {_verdict(one, [p], patient, engine) for p in about}
        verdict = "related" if verdict == "contradicts" and "supports" in alone else verdict
    if CLASS_OF.get(one.drug) in _OF_MANY_USES and verdict == "contradicts":
        verdict = "related"
    if about and verdict == "no guideline evidence":
        verdict = "related"
    is_supported = _supports_for(one, deciding, patient, engine)
    if verdict == "supports" and (
        not is_supported or _is_spoken_against(passages, one, patient, engine)
    ):
        verdict = "related"
    about.sort(key=lambda p: _distance(p, one, verdict, patient, engine))
    near = [p for p in about if not _distance(p, one, verdict, patient, engine)[0]]
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind=one.kind,
        question=one.question,
        verdict=verdict,
        evidence=evidence_of(near or about),
    )


def _decides(
    passage: GuidelinePassage, one: AskedDrug, patient: NotePatient, engine: AnswerEngine
) -> bool:
    """Return whether a passage holds for this patient and for the regimen that the note gives.

    Under "The rifapentine-moxifloxacin regimen" a dose is of that regimen.
    """
    regimen = engine.drugs.ingredients("\n".join(passage.path)) - {one.drug}
    is_other = bool(regimen) and regimen.isdisjoint(one.given)
    return not is_other and binds(passage, one.disease, patient)


def dose_of(item: SummaryItem, drug: str, engine: AnswerEngine) -> str:
    """Return the part of an item with the dose of a drug; "" for one of a combination.

    Which ingredient a figure after the name of a combination is of, it does not say.
    """
    return "; ".join(_parts_on(item.text, drug, engine))


def _parts_on(text: str, drug: str, engine: AnswerEngine) -> list[str]:
    """Return the parts of a text from each mention of a drug alone to the next drug."""
    mentions = engine.drugs.mentions(text)
    starts = [m.start for m in mentions] + [len(text)]
    return [
        text[m.start : starts[place + 1]]
        for place, m in enumerate(mentions)
        if m.ingredients == frozenset({drug})
    ]


def _distance(
    passage: GuidelinePassage,
    one: AskedDrug,
    verdict: GuidelineVerdict,
    patient: NotePatient,
    engine: AnswerEngine,
) -> tuple[bool, bool, bool]:
    """Return how far a passage is from what is asked: what gives the verdict is the nearest."""
    holds = _decides(passage, one, patient, engine)
    own = _verdict(one, [passage], patient, engine)
    figures = {
        (dose.amounts, dose.unit)
        for part in _stated_of(passage.text, one.drug, engine)
        for dose in stated_doses(part, passage.text)[0]
    }
    noted = {(d.amounts, d.unit) for d in stated_doses(dose_of(one.item, one.drug, engine))[0]}
    return (
        not ((holds or verdict == "contradicts") and own == verdict),
        not holds,
        bool(noted) and noted.isdisjoint(figures),
    )


def _supports_for(
    one: AskedDrug, deciding: Sequence[GuidelinePassage], patient: NotePatient, engine: AnswerEngine
) -> bool:
    """Return whether what supports a drug holds for this patient's kidneys, liver, pregnancy.

    A dose, or how often or long it is given, that nothing compares is not supported by advice to
    give the drug. A dose says nothing of how long a later phase lasts: that must be stated as well.
    """
    if not one.has_dose and any(q.kind in _STATED for q in quantities(one.item.text)):
        return False
    supporting = (p for p in deciding if _verdict(one, [p], patient, engine) == "supports")
    long = _durations(one.item.text) if _COURSE_GOES_ON.search(one.item.text.lower()) else None
    return any(
        not has_own_dose(patient, p) and (not long or not long.isdisjoint(_durations(p.text)))
        for p in supporting
    )


def _durations(text: str) -> frozenset[object]:
    return frozenset(q.key for q in quantities(text) if q.kind == "duration")


def _verdict(
    one: AskedDrug, passages: Sequence[GuidelinePassage], patient: NotePatient, engine: AnswerEngine
) -> GuidelineVerdict:
    """Return what passages about a drug of the note say of it."""
    if not passages:
        return "no guideline evidence"
    if one.has_dose:
        stated = [pair for p in passages for pair in _stated_to(p, one, patient, engine)]
        dose = dose_of(one.item, one.drug, engine)
        return compare_doses(dose, stated, patient.weight, one.item.text)
    if any(_forbids(p.text, one.drug, engine) for p in passages):
        return "contradicts"
    return "supports" if any(_advises(p.text, one.drug, engine) for p in passages) else "related"


def _stated_to(
    passage: GuidelinePassage, one: AskedDrug, patient: NotePatient, engine: AnswerEngine
) -> list[tuple[str, str]]:
    """Return what a passage states of a drug to people of that age and weight, with its row.

    The row of cells for several weights says once for all how often each of them is given.
    """
    of_age = for_age(passage.text, patient.age)
    own = for_weight(of_age, patient.weight)
    if _PRESENTED.search(of_age):
        own = _STRENGTHS.sub(" ", own)
    if own == of_age:
        return [(part, of_age) for part in _stated_of(own, one.drug, engine)]
    whole = without_weights(of_age)
    return [(_without_bands(part), whole) for part in _stated_of(own, one.drug, engine)]


def _without_bands(text: str) -> str:
    """Return the cell for a patient's weight without that weight: its dose depends on no other."""
    for band in reversed([one for one in intervals(text) if one.of == "weight"]):
        text = f"{text[: band.start]}{text[band.end :]}"
    return text


def _stated_of(text: str, drug: str, engine: AnswerEngine) -> list[str]:
    """Return what a passage states of a drug: a label's own statements need not name it."""
    mentions = engine.drugs.mentions(text)
    if not any(drug in m.ingredients for m in mentions):
        return [text[: mentions[0].start] if mentions else text]
    parts = _parts_on(text, drug, engine)
    return parts if _CELL.search(text) else [part[:_REACH] for part in parts]


def _forbids(text: str, drug: str, engine: AnswerEngine) -> bool:
    """Return whether a sentence that names a drug and no other says not to give it."""
    prohibits, limited = slot_lexicon().wordings.prohibits, note_care().says.limited
    text = CONTRAINDICATIONS.sub(" ", GRADE.sub(" ", text))
    text = note_care().says.no_ban.sub(" ", text)
    said = (text[a:b] for a, b in sentence_spans(text))
    return any(
        engine.drugs.ingredients(one) == frozenset({drug})
        and prohibits.search(fold_chars(one))
        and not limited.search(fold_chars(one))
        and not note_care().says.for_some.search(fold_chars(one))
        for one in said
    )


def _advises(text: str, drug: str, engine: AnswerEngine) -> bool:
    """Return whether a sentence that names a drug says to give it, without a condition."""
    prohibits, says = slot_lexicon().wordings.prohibits, note_care().says
    folded = GRADE.sub(" ", fold_chars(text))
    return any(
        _is_advised(said, drug, engine)
        and says.recommends.search(says.no_advice.sub(" ", said))
        and not any(e.search(said) for e in (prohibits, says.against, says.limited))
        for said in (folded[a:b].strip() for a, b in sentence_spans(folded))
    )


def _is_advised(said: str, drug: str, engine: AnswerEngine) -> bool:
    """Return whether a sentence is on giving a drug: not one of a choice, or what else is taken."""
    says = note_care().says
    return any(
        drug in m.ingredients
        and not says.alongside.search(said[: m.start])
        and not says.choice_before.search(said[: m.start])
        and not says.choice_after.match(said, m.end)
        for m in engine.drugs.mentions(said)
    )


def _is_spoken_against(
    passages: Sequence[GuidelinePassage], one: AskedDrug, patient: NotePatient, engine: AnswerEngine
) -> bool:
    """Return whether a passage advises against a drug of the note for people of this age."""
    prohibits, against = slot_lexicon().wordings.prohibits, note_care().says.against
    texts = [CONTRAINDICATIONS.sub(" ", p.text) for p in passages]
    said = (text[a:b] for text in texts for a, b in sentence_spans(text))
    return any(
        one.drug in engine.drugs.ingredients(text)
        and any(e.search(fold_chars(text)) for e in (prohibits, against))
        and any(includes_age(age, patient.age) for age in read_people(text).ages)
        for text in said
    )


def _is_about(
    passage: GuidelinePassage, one: AskedDrug, patient: NotePatient, engine: AnswerEngine
) -> bool:
    """Return whether a passage is on the drug and the disease of a question, and such people."""
    if note_cues().labels.study.search(fold_chars(passage.text)):
        return False
    if is_of_other_resistance(passage, patient, one.given):
        return False
    if one.has_dose and _is_high(passage.text) and not _is_high(one.item.text):
        return False
    own = engine.drugs.ingredients(passage.text)
    if one.drug not in (own or _subject(passage, engine)) or not suits(passage, patient):
        return False
    named = next((found for found in map(diseases, passage.places) if found), frozenset[str]())
    if named:
        return any(agree(one.disease, disease) for disease in named)
    return engine.drugs.area(one.drug) == OF_FIELD[one.disease][1]


def _is_high(text: str) -> bool:
    return _HIGH_DOSE.search(fold_chars(text)) is not None


def _subject(passage: GuidelinePassage, engine: AnswerEngine) -> frozenset[str]:
    """Return the drug that a section is about: by its headings, else by a title of one drug.

    What a label of a combination says is of one of its drugs, which the title does not tell.
    """
    by_path = engine.drugs.ingredients("\n".join(passage.path))
    by_title = engine.drugs.ingredients(passage.title)
    return by_path or (by_title if len(by_title) == 1 else frozenset())
