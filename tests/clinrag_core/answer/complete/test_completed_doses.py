"""A dose comes with what it is not complete without. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.complete.completed_doses import completing
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)


def completed(question: str, *statements: IndexedStatement) -> list[IndexedStatement]:
    """What completes the dose of the first statement."""
    ranked = [RankedStatement(one, "label", 5.0 - n, 0.5) for n, one in enumerate(statements)]
    slots = read_slots(question, DRUGS)
    found = completing(slots, ranked[:1], ranked, sources_of(statements, DRUGS))
    assert all(one.score == ranked[0].score for one in found)
    return [one.statement for one in found]


@pytest.mark.parametrize(
    ("first", "count"),
    [
        ("Creatinine clearance 15 to 30 mL/min: half the usual regimen", 1),
        ("Creatinine clearance 15 to 30 mL/min: zolumycin 100 mg once daily", 0),
    ],
)
def test_a_part_of_the_usual_dose_comes_with_the_usual_dose(first: str, count: int) -> None:
    reduced = label(first, group="dosage", statement_kind="row")
    usual = label("For pneumonia zolumycin 200 mg is given twice daily.", group="dosage")
    other = label("Children: zolumycin 5 mg/kg twice daily for pneumonia.", group="dosage")
    ranked = [RankedStatement(one, "label", 5.0, 0.5) for one in (reduced, other, usual)]
    slots = read_slots("Zolumycin for pneumonia, CrCl 22 mL/min: dose?", DRUGS)
    found = completing(slots, ranked[:1], ranked, sources_of([reduced, other, usual], DRUGS))
    assert [one.statement for one in found] == [usual][:count]


@pytest.mark.parametrize(
    "other",
    [
        "The total daily dose of zolumycin should not exceed 1600 mg twice daily.",
        "For pneumonia zolumycin 200 mg is given twice daily.",
    ],
    ids=["a maximum", "of a disease that is not asked about"],
)
def test_what_is_no_usual_dose_of_all_completes_no_part_of_it(other: str):
    half = label("Creatinine clearance 15 to 30 mL/min: half the usual regimen", group="dosage")
    assert completed("Zolumycin, CrCl 22 mL/min: dose?", half, label(other, group="dosage")) == []


@pytest.mark.parametrize(("kilograms", "count"), [(8, 1), (40, 0)])
def test_a_change_of_the_dose_by_weight_comes_with_the_row_of_the_weight(kilograms, count):
    change = label("Rifampin: give the weight-based dose twice daily.", group="interactions")
    row = label("6 kg to less than 10 kg: 15 mg once daily", group="dosage", statement_kind="row")
    asked = f"Zolumycin dose for a child of {kilograms} kg with rifampin?"
    assert completed(asked, change, row) == [row][:count]


def test_a_usual_dose_in_tablets_comes_with_its_part():
    half = label("Creatinine clearance 15 to 30 mL/min: half the usual regimen", group="dosage")
    usual = label("The usual dosage is 1 double strength tablet every 12 hours.", group="dosage")
    assert completed("Zolumycin, CrCl 22 mL/min: dose?", half, usual) == [usual]


@pytest.mark.parametrize(
    ("other", "is_added"),
    [
        ("With strong inducers: zolumycin 50 mg twice daily", True),
        ("With strong inducers: zolumycin 50 mg once daily", False),
        ("Zolumycin with velotrib: 50 mg twice daily", False),
    ],
)
def test_how_often_with_a_partner_comes_with_how_much(other: str, is_added: bool):
    often = label("Rifampin: give zolumycin twice daily.", group="interactions")
    much = label(other, group="dosage")
    found = completed("Zolumycin dose with rifampin", often, much)
    assert found == ([much] if is_added else [])


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("zolumycin dose on haemodialysis", 0),
        ("zolumycin dose on haemodialysis, CrCl 25 mL/min", 1),
    ],
)
def test_a_supplement_after_dialysis_comes_with_the_maintenance_dose(question: str, row: int):
    cells = ("Creatinine Clearance (mL/min): 15; Dose (mg): 100",)
    cells += ("Creatinine Clearance (mL/min): > 15 to 29; Dose (mg): 200",)
    rows = [label(said, group="dosage", statement_kind="row", caption="Doses") for said in cells]
    supplement = label(
        "Hemodialysis; Supplement (mg): 125 Patients on hemodialysis get maintenance doses based on"
        " estimates of creatinine clearance.",
        group="dosage",
        statement_kind="row",
        caption="Doses",
    )
    assert completed(question, supplement, *rows) == [rows[row]]


@pytest.mark.parametrize(
    ("row", "is_added"),
    [
        (
            "Patients: decompensated cirrhosis (Child-Pugh B or C); Regimen: ZOLUMAX + velotrib",
            True,
        ),
        ("Patients: compensated cirrhosis (Child-Pugh A); Regimen: ZOLUMAX", False),
    ],
)
def test_a_dose_that_stays_comes_with_what_such_patients_are_given_as_well(
    row: str, is_added: bool
) -> None:
    stays = "No dosage adjustment of zolumycin is recommended in Child-Pugh A, B or C."
    first = label(stays, group="specific_populations")
    of_them = label(row, group="dosage", statement_kind="row")
    assert completed("Zolumycin dose in Child-Pugh B?", first, of_them) == [of_them] * is_added


@pytest.mark.parametrize(
    ("said", "comes"),
    [
        ("The recommended dose of zolumycin is 2 mg daily in patients of at least 80 years.", True),
        ("The recommended dose of zolumycin is 2 mg daily in patients below 18 years.", False),
    ],
)
def test_a_dose_with_a_partner_comes_with_that_for_their_very_age(said: str, comes: bool):
    half = label("With velotrib the dose of zolumycin is 3 mg daily.", group="interactions")
    asked = "82 year old on zolumycin, is velotrib ok with it?"
    own = label(said, group="dosage")
    assert completed(asked, half, own) == [own] * comes
    assert completed("82 year old on zolumycin?", half, own) == []
