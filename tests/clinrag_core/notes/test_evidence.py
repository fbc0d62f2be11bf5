"""Which passages decide about a plan: of guidelines themselves, for this patient, by weight."""

from __future__ import annotations

import pytest

from clinrag_core.notes.care_contrary import is_refused
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.doses import compare_doses
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.fits import binds, for_age, suits
from clinrag_core.notes.passages import GuidelinePassage
from clinrag_core.notes.patient import NotePatient, read_patient
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis of the lung in adults"
CAP = "Community-acquired pneumonia in adults"
TREATED = "Impression: pulmonary tuberculosis\nPlan: "
WARD = "Impression: community-acquired pneumonia, admitted to a ward\nPlan: "


def patient(text: str) -> NotePatient:
    return read_patient(extractive_summary(read_note(text, 1_000)).summary)


def test_what_the_answer_leaves_out_is_read_in_the_guideline():
    """The answer engine shows what decides a question, not every row; the check needs the rest."""
    engine = Answers(
        (TB, GUIDELINE, "\u2022 Test everyone with tuberculosis for HIV."),
        (TB, GUIDELINE, "Isoniazid is given as 300 mg once daily."),
    )
    said = verdicts(engine, TREATED + "Isoniazid 300 mg daily. HIV test.\n")
    assert said["What is the dose of isoniazid in adults for tuberculosis?"] == "supports"
    assert said["Is an HIV test recommended for tuberculosis?"] == "supports"


@pytest.mark.parametrize(
    ("heading", "verdict"),
    [
        ("Adults", "supports"),
        ("HIV", "no guideline evidence"),
        ("Drug-resistant tuberculosis", "no guideline evidence"),
    ],
)
def test_what_is_said_of_other_people_supports_nothing(heading: str, verdict: str):
    """A dose under "HIV" was support for everybody with tuberculosis."""
    engine = Answers((TB, f"{GUIDELINE}:{heading}", "Isoniazid is given as 300 mg once daily."))
    said = verdicts(engine, TREATED + "Isoniazid 300 mg daily.\n")
    assert said["What is the dose of isoniazid in adults for tuberculosis?"] == verdict


@pytest.mark.parametrize(
    ("note", "row", "verdict"),
    [
        (WARD, "Inpatients: ceftriaxone 1 g daily", "supports"),
        (WARD, "Outpatients: ceftriaxone 1 g daily", "no guideline evidence"),
        (WARD, "Severe pneumonia: ceftriaxone 1 g daily", "no guideline evidence"),
        (WARD, "Outpatients: ceftriaxone 500 mg daily", "contradicts"),
        (f"PMH: COPD\n{TREATED}", "Outpatients without comorbidity: ceftriaxone 1 g daily", None),
    ],
)
def test_a_dose_for_another_setting_supports_nothing(note: str, row: str, verdict: str | None):
    """But what no setting allows is contradicted whatever the setting is."""
    engine = Answers((CAP, GUIDELINE, f"Setting: {row}; Notes: none"))
    said = verdicts(engine, note + "Ceftriaxone 1 g daily.\n")
    question = "What is the dose of ceftriaxone in adults for community-acquired pneumonia?"
    assert said.get(question) == verdict


def test_outpatients_with_a_chronic_disease_are_not_the_healthy_ones():
    own = "Setting: outpatient, no comorbidity; doxycycline 100 mg twice daily"
    healthy = patient("HPI: Well before.\nImpression: community-acquired pneumonia\n")
    frail = patient("PMH: COPD\nImpression: community-acquired pneumonia\n")
    said = GuidelinePassage(own, (), CAP)
    disease = "pneumonia.community"
    assert [binds(said, disease, one) for one in (healthy, frail)] == [True, False]
    other = GuidelinePassage(
        "Setting: outpatient with diabetes; doxycycline 100 mg twice daily", (), CAP
    )
    assert [binds(other, disease, one) for one in (healthy, frail)] == [False, True]


def test_a_passage_on_resistant_disease_is_not_for_one_called_susceptible():
    said = GuidelinePassage("Moxifloxacin 400 mg daily.", ("Doses",), "Drug-resistant tuberculosis")
    susceptible = patient("Impression: drug-susceptible tuberculosis\n")
    unknown = patient("Impression: tuberculosis\n")
    resistant = patient("Impression: MDR-TB\n")
    assert [suits(said, one) for one in (susceptible, unknown, resistant)] == [False, True, True]
    assert [binds(said, "tuberculosis", one) for one in (unknown, resistant)] == [False, True]


def test_a_passage_on_a_regimen_against_resistance_to_several_drugs_is_for_no_other_patient():
    said = GuidelinePassage("Nursing is not advised on BPaL.", ("Mothers",), "Tuberculosis")
    one_drug = patient("Impression: isoniazid-resistant tuberculosis\n")
    several = patient("Impression: MDR-TB\n")
    assert [suits(said, one) for one in (one_drug, several)] == [False, True]


@pytest.mark.parametrize(
    "planned",
    ["Breast-feeding to stop.", "Stop breastfeeding.", "Breastfeeding stopped until culture."],
)
def test_an_end_of_breastfeeding_is_care_that_is_left_out(planned: str):
    assert is_refused(planned, note_care().measures["breastfeeding"])


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("Gout.", "supports"),
        ("Chronic kidney disease.", "no guideline evidence"),
        ("Cirrhosis.", "no guideline evidence"),
    ],
)
def test_a_usual_dose_is_not_supported_where_another_may_be_needed(condition: str, verdict: str):
    engine = Answers((TB, GUIDELINE, "Isoniazid is given as 300 mg once daily."))
    said = verdicts(engine, f"PMH: {condition}\n{TREATED}Isoniazid 300 mg daily.\n")
    assert said["What is the dose of isoniazid in adults for tuberculosis?"] == verdict


def test_an_allergy_takes_the_support_of_a_drug_whose_label_is_not_there():
    engine = Answers((CAP, GUIDELINE, "Ceftriaxone is given as 1 g once daily to inpatients."))
    note = f"Allergies: cefuroxime\n{WARD}Ceftriaxone 1 g daily.\n"
    question = "What is the dose of ceftriaxone in adults for community-acquired pneumonia?"
    assert verdicts(engine, note)[question] == "no guideline evidence"


def test_advice_to_give_a_drug_supports_no_dose_that_nothing_states():
    engine = Answers(
        (TB, GUIDELINE, "Co-trimoxazole is given to all."),
    )
    said = verdicts(engine, TREATED + "Co-trimoxazole 960 mg daily.\n")
    assert "supports" not in said.values()


ROW = "Isoniazid: 5 mg/kg once daily, at most 300 mg"
CELLS = "Medicine: Rifampicin; Dose in mg per kg (range): 10 (8\u201312); Maximum per day: 600 mg"


@pytest.mark.parametrize(
    ("note", "source", "kilograms", "verdict"),
    [
        ("isoniazid 300 mg daily", ROW, 58.0, "supports"),
        ("isoniazid 300 mg daily", ROW, 70.0, "supports"),
        ("isoniazid 100 mg daily", ROW, 58.0, "contradicts"),
        ("isoniazid 225 mg daily", ROW, 58.0, "related"),
        ("isoniazid 300 mg weekly", ROW, 58.0, "related"),
        ("rifampicin 450 mg daily", CELLS, 45.0, "supports"),
        ("rifampicin 150 mg daily", CELLS, 45.0, "contradicts"),
        ("rifampicin 150 mg daily", CELLS, None, "related"),
        ("amoxicillin 500 mg", "Amoxicillin: 90 mg/kg a day in two divided doses", 12.0, "related"),
    ],
)
def test_a_dose_by_weight_is_compared_where_the_note_prints_the_weight(
    note: str, source: str, kilograms: float | None, verdict: str
):
    """Half of the dose for 45 kg was only `related`."""
    assert compare_doses(note, [(source, source)], kilograms) == verdict


@pytest.mark.parametrize(
    ("text", "kilograms"),
    [
        ("O/E: weight 58 kg", 58.0),
        ("HPI: 39-year-old woman, 45 kg, cough.", 45.0),
        ("HPI: Cough and 7 kg weight loss.", None),
        ("HPI: He lost 6 kg.", None),
    ],
)
def test_a_weight_is_the_patients_and_no_loss(text: str, kilograms: float | None):
    assert patient(f"{text}\n").weight == kilograms


def test_an_enzyme_that_breaks_nothing_down_joins_no_drugs():
    """Induction of CYP2E1 was a warning of every drug that CYP3A4 breaks down."""
    engine = Answers(
        ("isoniazid", "interactions", "Isoniazid induces CYP2E1."),
        ("rifampin", "interactions", "Rifampin induces CYP3A4 and CYP2C9."),
    )
    said = verdicts(engine, "DH: simvastatin 40 mg, metoprolol 50 mg, isoniazid, rifampin\n")
    warned = {q for q, verdict in said.items() if verdict == "warns"}
    assert warned == {"Does simvastatin interact with rifampin?"}


def test_guidelines_name_a_pair_that_labels_leave_out():
    engine = Answers(
        ("rifampin", "interactions", "Rifampin raises nothing."),
        (TB, GUIDELINE, "Medicine: Apixaban; Effect of rifampin: level falls by half"),
        (TB, GUIDELINE, "Rifampin, phenytoin and carbamazepine lower their concentrations."),
    )
    said = verdicts(engine, "DH: apixaban 5 mg, phenytoin 300 mg, rifampin 600 mg\n")
    assert said["Does apixaban interact with rifampin?"] == "warns"
    assert said["Does phenytoin interact with rifampin?"] == "no guideline evidence"


ROWS = "Regimen: daily; Adults: isoniazid 5 mg/kg, maximum 300 mg; Children: isoniazid 10 mg/kg"


@pytest.mark.parametrize(
    ("age", "kept"),
    [
        (40.0, "Regimen: daily; Adults: isoniazid 5 mg/kg, maximum 300 mg"),
        (6.0, "Regimen: daily; Children: isoniazid 10 mg/kg"),
    ],
)
def test_a_cell_for_adults_is_not_for_children(age: float, kept: str):
    """Half of a child's dose was that of the adults in the same row."""
    assert for_age(ROWS, age) == kept


def test_a_cell_without_a_heading_is_of_the_one_before():
    said = "Adults: isoniazid 5 mg/kg; rifampin 10 mg/kg; Children: isoniazid 10 mg/kg; rifampin 15"
    assert for_age(said, 6.0) == "Children: isoniazid 10 mg/kg; rifampin 15"


def test_a_dose_under_the_heading_of_another_regimen_supports_nothing():
    row = (TB, f"{GUIDELINE}:The rifapentine-moxifloxacin regimen", "Isoniazid 300 mg once daily.")
    question = "What is the dose of isoniazid in adults for tuberculosis?"
    given = f"{TREATED}Isoniazid 300 mg daily"
    engine = Answers(row)
    assert verdicts(engine, f"{given} and rifampin.\n")[question] == "no guideline evidence"
    assert verdicts(engine, f"{given} and rifapentine 1200 mg daily.\n")[question] == "supports"


def test_what_outpatients_do_not_need_is_contradicted_whatever_else_they_have():
    engine = Answers(
        (
            CAP,
            GUIDELINE,
            "Outpatients need no sputum culture (strong recommendation, low evidence).",
        )
    )
    note = "PMH: asthma\nImpression: community-acquired pneumonia\nPlan: Sputum culture.\n"
    question = "Is a sputum culture recommended for community-acquired pneumonia?"
    assert verdicts(engine, note)[question] == "contradicts"


def test_what_a_test_did_not_find_is_no_resistance():
    said = patient("RESULTS\nXpert positive, rifampicin resistance not detected.\n")
    assert "resistant" not in said.resistance


def test_an_age_that_asks_for_care_takes_no_support():
    engine = Answers(
        (TB, GUIDELINE, "Isoniazid is given as 300 mg once daily."),
        ("isoniazid", "warnings", "The risk of hepatitis rises in older adults: watch closely."),
    )
    said = verdicts(engine, f"HPI: 70-year-old man.\n{TREATED}Isoniazid 300 mg daily.\n")
    assert said["What is the dose of isoniazid in adults for tuberculosis?"] == "supports"
    assert "warns" in said.values()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Tests do not replace a sputum culture.", ""),
        ("A sputum culture should not be repeated.", "contradicts"),
        (
            "Patients being treated twice weekly should have a sputum culture.",
            "no guideline evidence",
        ),
        ("A case was defined as one whose sputum culture is positive; culture is indicated.", None),
    ],
)
def test_a_denial_must_be_of_the_care_and_a_report_advises_nothing(text: str, verdict: str | None):
    """ "They do not replace a culture" contradicted a culture."""
    said = verdicts(Answers((TB, GUIDELINE, text)), TREATED + "Sputum culture.\n")
    question = "Is a sputum culture recommended for tuberculosis?"
    assert said[question] == (verdict or "no guideline evidence")


@pytest.mark.parametrize(
    "title", ["Outbreak of tuberculosis in a town", "Tuberculosis surveillance"]
)
def test_a_report_of_what_happened_is_no_guideline(title: str):
    engine = Answers((title, GUIDELINE, "A sputum culture is recommended."))
    said = verdicts(engine, TREATED + "Sputum culture.\n")
    assert set(said.values()) == {"no guideline evidence"}


def test_a_dose_far_from_a_drug_in_a_sentence_is_of_something_else():
    """The dose of linezolid, said of who went on without it, contradicted that of pretomanid."""
    text = (
        "Patients could stay on bedaquiline and isoniazid, provided that they had received the "
        "1200 mg per day dose for four weeks at least and were responding to treatment."
    )
    said = verdicts(Answers((TB, GUIDELINE, text)), TREATED + "Isoniazid 300 mg daily.\n")
    assert (
        said["What is the dose of isoniazid in adults for tuberculosis?"] == "no guideline evidence"
    )
