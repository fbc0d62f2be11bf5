"""What labels say under headings of people: kidneys, pregnancy, age, alcohol."""

from __future__ import annotations

import pytest

from clinrag_core.model.statement import IndexedStatement
from clinrag_core.notes.extractive import quoted_item
from clinrag_core.notes.label_conditions import contraindications, is_allergen
from clinrag_core.notes.label_statements import LabelStatement
from clinrag_core.notes.read import read_note
from clinrag_core.text.normalise import fold_chars
from tests.fakes.note_answers import Answers, stated, verdicts


def headed(said: str, heading: str, group: str = "specific_populations") -> LabelStatement:
    one: IndexedStatement = stated(1, "levofloxacin", group, said)
    one = one.model_copy(update={"headings": ("8 Use", heading)})
    return LabelStatement(one, fold_chars(said), ())


def verdict(one: LabelStatement, condition: str) -> str:
    note = read_note("DH: levofloxacin 750 mg daily\n", 1_000)
    item = quoted_item(note, note.units[0])
    (made,) = contraindications({"levofloxacin": item}, [condition], {"levofloxacin": [one]})
    return made.verdict


@pytest.mark.parametrize(
    ("said", "heading", "group", "condition", "expected"),
    [
        ("Change the interval below 50 mL/min.", "8.6 Renal Impairment",
         "specific_populations", "kidney_disease", "warns"),
        ("Usual dose: 750 mg; 20 to 49 mL/min: every 48 hours", "2.2 Renal Impairment",
         "dosage", "kidney_disease", "related"),
        ("750 mg every 24 hours", "2.1 Adults", "dosage", "kidney_disease",
         "no guideline evidence"),
        ("No change of dose.", "8.6 Renal Impairment",
         "specific_populations", "kidney_disease", "related"),
        ("Given late it can cause bleeding in mother and newborn.", "8.1 Pregnancy",
         "specific_populations", "pregnancy", "warns"),
        ("Tendon rupture is more likely.", "8.5 Geriatric Use",
         "specific_populations", "older_age", "warns"),
        ("No different response is known.", "8.5 Geriatric Use",
         "specific_populations", "older_age", "no guideline evidence"),
        ("The risk rises with daily alcohol use.", "Boxed warning",
         "boxed_warning", "alcohol", "warns"),
    ],
)  # fmt: skip
def test_a_section_on_people_is_about_them_by_its_heading(
    said: str, heading: str, group: str, condition: str, expected: str
):
    """Sentences under "Renal Impairment" seldom name the kidneys again."""
    assert verdict(headed(said, heading, group), condition) == expected


@pytest.mark.parametrize(
    ("age", "is_asked"), [("63-year-old man", True), ("33-year-old man", False)]
)
def test_age_is_a_reason_to_look_into_a_label(age: str, is_asked: bool):
    row = "Age over 60 years raises the risk of tendon rupture."
    engine = Answers(("levofloxacin", "warnings", row))
    said = verdicts(engine, f"HPI: {age} with a cough.\nDH: levofloxacin 750 mg\n")
    assert ("warns" in said.values()) is is_asked


@pytest.mark.parametrize(
    ("habit", "is_warned"),
    [("He drinks heavily.", True), ("Alcohol use disorder.", True), ("Rare alcohol.", False)],
)
def test_only_harmful_drinking_is_warned_of(habit: str, is_warned: bool):
    engine = Answers(("isoniazid", "boxed_warning", "The risk rises with daily alcohol use."))
    said = verdicts(engine, f"SH: {habit}\nDH: isoniazid 300 mg\n")
    assert ("warns" in said.values()) is is_warned


def test_an_allergy_concerns_drugs_of_one_chemical_kind_only():
    assert is_allergen("cefuroxime", "ceftriaxone")
    assert not is_allergen("ethambutol", "pyrazinamide")
    assert is_allergen("ethambutol", "ethambutol")


def test_harm_that_a_drug_did_before_is_no_treatment_now():
    """ "Hepatitis with pyrazinamide in 2015" made pyrazinamide a medicine of the patient."""
    engine = Answers(("rifampin", "interactions", "Pyrazinamide adds to the harm of rifampin."))
    said = verdicts(engine, "PMH: hepatitis with pyrazinamide in 2015\nDH: rifampin 600 mg\n")
    assert not any("pyrazinamide" in question for question in said)
