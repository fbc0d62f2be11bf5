"""Whether a passage is about such a patient, and whether it decides something about this one.

A passage for other people is no evidence. One that holds for some only (another setting, people
with HIV, resistant disease), where the note does not say that the patient is one of them, is shown
and decides nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.indications import agree, facet_values
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.people import read_people
from clinrag_core.facts.populations import without_included
from clinrag_core.facts.resistance import resists_several, without_absent_resistance
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.patient import MILD, SEVERE
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.facts.intervals import Interval
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient

_CELL = re.compile(r"; |(?<=[a-z)])\. (?=[A-Z])")
_HEADING = re.compile(r"[A-Z][^:;.]{1,60}:(?: [^:;.]{1,30} years[^:;.]{0,12}:)?")
_REGIMEN = re.compile(r"\b(?:shorter|longer)(?: [\w-]+){0,3} regimens?\b|\bsecond[- ]line\b")
"""What guidelines call the regimens against resistance to rifampicin."""
_ONE_DRUG = re.compile(r"\bhr-tb\b|\bisoniazid[- ]resistan|\bmono-?resistan")
_BOTH = re.compile(r"\b(?:mdr|xdr|rr)\b|\bmulti-?drug|\brifamp\w+[- ]resistan")
_PNEUMONIA, _RESISTANCE, _RESISTANT = "pneumonia", "resistance", "resistant"
_FOR_MULTIRESISTANT = re.compile(r"\b(?:bpal[mc]?|bdllfxc)\b", re.IGNORECASE)
"""Regimens against multidrug-resistant tuberculosis, by their letters."""


def suits(passage: GuidelinePassage, patient: NotePatient, *, conditions: bool = True) -> bool:
    """Return whether a passage is for people of that age, course, weight and conditions.

    `conditions` is False where another check compares those.
    """
    places = [without_included(place) for place in passage.places]
    ages = next((found for place in places if (found := read_people(place).ages)), ())
    if ages and not any(age.low <= patient.age <= age.high for age in ages):
        return False
    if not patient.is_of_course(passage.places):
        return False
    if not patient.is_multiresistant and _FOR_MULTIRESISTANT.search(passage.text):
        return False
    if patient.resistance and _resistance(passage).isdisjoint(patient.resistance):
        return not _resistance(passage)
    return not conditions or all(_has(place, patient) for place in passage.places[:2])


def binds(
    passage: GuidelinePassage,
    disease: str,
    patient: NotePatient,
    names: re.Pattern[str] | None = None,
) -> bool:
    """Return whether a passage that suits a patient holds for this one without more being known.

    `names`, if given, are the words of what it is about, which say nothing of whom it is for: a
    test for HIV is not for people with HIV.
    """
    if _RESISTANT in _resistance(passage) and _RESISTANT not in patient.resistance:
        return False
    words = note_care().whom
    folded = fold_chars(passage.text)
    said = f"{names.sub(' ', folded) if names else folded}\n{fold_chars(passage.places[1])}"
    if words.hiv.search(said) and not patient.has_hiv:
        return False
    is_care = names is not None
    return not agree(disease, _PNEUMONIA) or _is_of_setting(said, patient, is_care=is_care)


def for_age(text: str, age: float) -> str:
    """Return what a text says without the cells and clauses that are for people of another age.

    A row has "Adults: 5 mg/kg; Children: 10 mg/kg": a cell without a heading goes on about the
    people of the one before.
    """
    kept: list[str] = []
    holds = True
    for cell in _CELL.split(text):
        heading = _HEADING.match(cell)
        ages = read_people(heading.group() if heading else cell).ages
        is_of_age = all(one.low <= age <= one.high for one in ages)
        holds = is_of_age if heading else holds and is_of_age
        if holds:
            kept.append(cell)
    return "; ".join(kept)


def for_weight(text: str, weight: float | None) -> str:
    """Return what a row says without the cells that are for people of another body weight.

    What heads the first of several weights heads the others: "A: 10-14 kg 300 mg; over 14 kg ...".
    """
    if weight is None:
        return text
    kept: list[str] = []
    heading = ""
    for cell in text.split("; "):
        bands = [one for one in intervals(cell) if one.of == "weight"]
        is_own = not bands or any(_is_in(one, weight) for one in bands)
        before = cell[: bands[0].start] if bands else ""
        if is_own:
            kept.append(heading + cell if bands and not before.strip() else cell)
        heading = before if before.rstrip().endswith(":") else heading if bands else ""
    return "; ".join(kept)


def _is_in(band: Interval, weight: float) -> bool:
    """Return whether a weight is in a range; whole kilograms leave nobody between two ranges."""
    return band.low <= weight < band.high + 1


def is_of_other_resistance(
    passage: GuidelinePassage, patient: NotePatient, given: frozenset[str]
) -> bool:
    """Return whether a passage is on regimens against resistance that the note does not name.

    Doses and advice for multidrug resistance say nothing of a regimen with rifampicin. What is
    given without rifampicin may be such a regimen, whatever the note calls it.
    """
    if patient.is_multiresistant or "rifampin" not in given:
        return False
    for place in passage.places:
        folded = fold_chars(place)
        if resists_several(place) or _REGIMEN.search(folded):
            return True
        if _ONE_DRUG.search(folded):
            return _RESISTANT not in patient.resistance
    return _RESISTANT in _resistance(passage) and _RESISTANT not in patient.resistance


def resistance_kind(text: str) -> frozenset[str]:
    """Return whether a text is on disease that resists "one" drug or "several"; neither: empty."""
    folded = without_absent_resistance(text)
    if _ONE_DRUG.search(folded) and not _BOTH.search(folded):
        return frozenset({"one"})
    return frozenset({"several"} if resists_several(text) else ())


def has_own_dose(patient: NotePatient, passage: GuidelinePassage) -> bool:
    """Return whether usual doses may not hold for a patient, whose condition a passage leaves out.

    A dose is supported for people with kidney or liver disease, or in pregnancy, only by what is
    said of them.
    """
    named = [read_people(place) for place in passage.places[:2]]
    said = {name for people in named for name in (*people.conditions, *_organs(people))}
    return not patient.conditions <= said


def _organs(people: object) -> list[str]:
    kidney, liver = getattr(people, "kidney", ()), getattr(people, "liver", ())
    return ["renal_impairment"] * bool(kidney) + ["hepatic_impairment"] * bool(liver)


def _has(place: str, patient: NotePatient) -> bool:
    """Return whether the patient has every condition that a text is for."""
    people = read_people(place)
    return patient.conditions.issuperset({*people.conditions, *_organs(people)})


def _resistance(passage: GuidelinePassage) -> frozenset[str]:
    """Return the resistance that a passage is on, by the first of its places that says so."""
    found = (facet_values(place, _RESISTANCE) for place in passage.places)
    return next((values for values in found if values), frozenset())


def _is_of_setting(said: str, patient: NotePatient, *, is_care: bool) -> bool:
    """Return whether what is said of a setting is said of the patient's.

    Which drugs outpatients get depends on their other diseases, which tests does not.
    """
    words = note_care().whom
    is_severe, is_mild = SEVERE.search(said) is not None, MILD.search(said) is not None
    if (is_severe or is_mild) and not (is_severe if patient.is_severe else is_mild):
        return is_mild and not patient.is_severe
    at_home, in_hospital = words.at_home.search(said), words.in_hospital.search(said)
    if (at_home or in_hospital) and not (in_hospital if patient.is_admitted else at_home):
        return False
    if is_care or not at_home or patient.is_admitted:
        return True
    if words.frail.search(words.healthy.sub(" ", said)):
        return patient.is_comorbid
    return not patient.is_comorbid
