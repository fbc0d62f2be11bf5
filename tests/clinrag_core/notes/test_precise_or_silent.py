"""What readers of new notes found: items under a wrong heading, verdicts on something else."""

from __future__ import annotations

import pytest

from clinrag_core.facts.regimens import lettered_regimens
from clinrag_core.facts.short_lengths import lengths_in_full
from clinrag_core.facts.spelled import bare_number
from clinrag_core.notes.assertion import affirmed_names
from clinrag_core.notes.care_lexicon import patient_conditions
from clinrag_core.notes.degrees import Degrees, holds_for
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.outline import outline
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import SummarySection
from clinrag_core.notes.summarise import NoteSummariser
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
TREATED = "Impression: pulmonary tuberculosis\nPlan:\n1. "
SILENT = "no guideline evidence"


def texts(text: str, name: SummarySection) -> list[str]:
    """Return the statements of a note that are in a section of its summary."""
    summary = extractive_summary(read_note(text, 1_000)).summary
    return [" ".join(item.text.split()) for item in summary.section(name)]


def fields(text: str, kind: str = "plan") -> list[tuple[str, str, str]]:
    return [(m.name, m.dose, m.status) for m in read_medications(text, kind)]


def listed(summariser: NoteSummariser, text: str) -> list[str]:
    """Return the lines of the outline under medicines."""
    sections = {s.name: s.groups for s in outline(summariser.summarise(text, with_plan=True))}
    return [i.text for g in sections["medicines_allergies"] for i in g.items]


# --- who the patient is


@pytest.mark.parametrize(
    "said",
    [
        "This is Mr K, fifty-two, plumber, here because the nurse found a positive blood test.",
        "Your patient Mrs B, 71 and weighing 49 kg, goes home today.",
        "Re: Miss T. W., 33 years, baker, 61 kg",
    ],
)
def test_who_the_patient_is_heads_the_summary(said: str):
    """Words for the age, a weight or a test moved it to findings; an initial cut it in two."""
    text = f"{said}\n\nShe has coughed for a month. The film shows a cavity. Sputum smear positive."
    assert texts(text, "patient_snapshot")[0] == said


def test_a_number_in_words_without_its_unit_is_a_dose():
    assert bare_number("rifampin six hundred with it", 9) == len("rifampin six hundred")
    assert bare_number("rifampin two with it", 9) is None
    found = fields("rifampin six hundred with pyrazinamide twelve hundred milligrams daily")
    assert [dose for _, dose, _ in found] == ["six hundred", "twelve hundred milligrams"]


# --- medicines


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Emtricitabine/tenofovir one tablet daily", ["Emtricitabine/tenofovir"]),
        ("Sofosbuvir velpatasvir is one tablet a day", ["Sofosbuvir velpatasvir"]),
        ("Rifampicin 600 mg, isoniazid 300 mg", ["Rifampicin", "isoniazid"]),
        ("Started on RHZE, four tablets daily", ["RHZE"]),
        ("Day 12 of RHZE", []),
    ],
)
def test_the_names_of_one_tablet_are_one_medicine(said: str, expected: list[str]):
    assert [name for name, _, _ in fields(said)] == expected


def test_a_regimen_is_read_by_its_letters():
    found = [(start, end, sorted(drugs)) for start, end, drugs in lettered_regimens("RH or HP")]
    assert found == [(0, 2, ["isoniazid", "rifampin"]), (6, 8, ["isoniazid", "rifapentine"])]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Cefalexin: watch for allergy while on it", "current"),
        ("Cefalexin -> itchy rash in 2012", "allergy"),
        ("No cefalexin allergy", "absent"),
        ("Cefalexin allergy", "allergy"),
    ],
)
def test_an_allergy_is_one_that_somebody_has(said: str, status: str):
    assert [one for _, _, one in fields(said, "past")] == [status]


def test_a_medicine_of_the_plan_is_listed_with_its_dose_and_once(summariser: NoteSummariser):
    """What is taken already was left out; what is said of a part of a tablet came again."""
    text = (
        "Impression: pulmonary tuberculosis\nPlan:\n- RHZE four tablets once daily for two months\n"
        "- She also has pyridoxine 25 mg daily\n- Digoxin level, since rifampicin lowers it\n"
    )
    lines = listed(summariser, text)
    assert "pyridoxine 25 mg daily" in lines
    assert any(line.startswith("RHZE four tablets") for line in lines)
    assert "rifampicin" not in lines


def test_a_heading_of_medicines_is_known_by_its_text():
    text = (
        "WHY SHE CAME\nCough for a week.\n\nWHAT SHE TAKES\nAspirin 75 mg od, ramipril 5 mg bd.\n\n"
        "WHAT WE SAW\nCrackles left base.\n\nFIGURES\nWCC 15, CRP 90.\n\n"
        "WHAT WE DO\nAmoxicillin 1 g tds.\n"
    )
    taken = texts(text, "medicines_allergies")
    assert taken[:2] == ["Aspirin 75 mg od", "ramipril 5 mg bd."]
    assert "Aspirin 75 mg od" not in texts(text, "pertinent_history")
    assert "FIGURES" not in [*texts(text, "objective_findings"), *texts(text, "labs_imaging")]


def test_a_plan_for_a_child_is_not_for_its_mother():
    text = (
        "She is 30 years old. Her son is 5 months old.\nImpression: pulmonary tuberculosis\n"
        "Plan:\n1. Rifampicin 600 mg daily\n2. The baby to have isoniazid 50 mg daily\n"
    )
    note = read_note(text, 1_000)
    summary = extractive_summary(note).summary
    plan = extractive_plan(note, summary)
    status = {m.name: m.status for i in summary.assessment for m in i.medications}
    assert status["isoniazid"] == "for somebody else"
    assert plan.recommendations
    own = text.replace("Her son is 5 months old.", "").replace("30 years", "5 months")
    items = extractive_summary(read_note(own, 1_000)).summary.assessment
    assert "for somebody else" not in [m.status for i in items for m in i.medications]


# --- results, problems, what closes a note


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("CD4 380, VL <40.", "labs_imaging"),
        ("Crackles left base.", "objective_findings"),
        ("Urine hCG negative.", "labs_imaging"),
        ("T 38.1, HR 90.", "objective_findings"),
    ],
)
def test_results_under_objective_are_results(said: str, name: SummarySection):
    text = f"S: cough\nO: Power normal. {said}\nA: Pulmonary tuberculosis.\nP: Sputum monthly.\n"
    assert said in texts(text, name)


@pytest.mark.parametrize("when", ["since 2014", "positive 4 years", "positive for 4 years"])
def test_since_when_somebody_is_ill_is_no_result(when: str):
    said = f"HIV {when}, takes dolutegravir 50 mg, never misses."
    assert said in texts(
        f"S: {said} Cough.\nO: T 37\nA: CAP\nP: Amoxicillin.\n", "pertinent_history"
    )


@pytest.mark.parametrize("said", ["Suitable for BPaLM.", "CURB-65 3.", "Fit for discharge."])
def test_what_somebody_is_fit_for_is_no_problem(said: str):
    text = f"Impression: Pulmonary tuberculosis. {said}\nPlan: rest\n"
    assert texts(text, "key_problems") == ["Pulmonary tuberculosis."]


@pytest.mark.parametrize(
    "said", ["Lobar pneumonia, improving.", "Pulmonary TB, HIV well controlled."]
)
def test_a_disease_with_how_it_goes_is_a_problem(said: str):
    assert said in texts(f"Impression: {said} Gout.\nPlan: rest\n", "key_problems")


@pytest.mark.parametrize("said", ["Son updated.", "Wife has our number.", "Neighbour has key."])
def test_who_was_informed_is_neither_history_nor_plan(said: str):
    text = f"Plan\n1. Rest.\n2. Isoniazid 300 mg daily.\n3. Fluids.\n\n{said}\n"
    note = read_note(text, 1_000)
    made = extractive_summary(note)
    assert said in [item.text for item in made.left_out]
    stated = [r.recommendation for r in extractive_plan(note, made.summary).recommendations]
    assert said not in stated


@pytest.mark.parametrize(
    "said", ["NFR: not discussed.", "He stays in our single room.", "Penicillin allergy."]
)
def test_what_closes_a_note_and_says_something_clinical_stays(said: str):
    text = f"Plan\n1. Rest.\n2. Isoniazid 300 mg daily.\n3. Fluids.\n\n{said}\n"
    assert said not in [item.text for item in extractive_summary(read_note(text, 1_000)).left_out]


# --- verdicts


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("periods regular, not pregnant, no epilepsy", set[str]()),
        ("she is pregnant, no epilepsy", {"pregnancy"}),
        ("colour vision normal", set[str]()),
        ("heart failure and no diabetes", {"heart_failure"}),
        ("no active disease, in a man with heart failure", {"heart_failure"}),
        ("no gout, heart failure or epilepsy", set[str]()),
    ],
)
def test_a_condition_is_one_that_a_statement_affirms(said: str, names: set[str]):
    assert affirmed_names(said, patient_conditions()) == names


@pytest.mark.parametrize(
    ("history", "is_flagged"), [("not pregnant, has a coil", False), ("is pregnant", True)]
)
def test_nobody_is_warned_of_a_pregnancy_that_is_denied(history: str, is_flagged: bool):
    engine = Answers((TB, GUIDELINE, "Linezolid should be avoided in pregnancy."))
    note = f"HPI: 30-year-old woman. She {history}.\n{TREATED}Linezolid 600 mg daily\n"
    found = {q for q, v in verdicts(engine, note).items() if v == "warns"}
    assert bool(found) == is_flagged


def test_what_somebody_does_not_do_is_no_refusal_of_care():
    engine = Answers(
        (TB, GUIDELINE, "All mothers with tuberculosis should continue breastfeeding.")
    )
    asked = "Is breastfeeding recommended for tuberculosis?"
    note = "HPI: 30-year-old woman, not breast-feeding.\n" + TREATED + "Isoniazid 300 mg daily.\n"
    assert asked not in verdicts(engine, note)
    stopped = TREATED + "Stop breast-feeding.\n"
    assert verdicts(engine, stopped)[asked] == "contradicts"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("A sputum culture is recommended for all patients with tuberculosis.", "supports"),
        (
            "A sputum culture should be sent in tuberculosis to protect health workers.",
            "supports",
        ),
        ("Policies should say who gets a sputum culture in tuberculosis.", SILENT),
        ("In patients on dialysis a sputum culture is recommended in tuberculosis.", SILENT),
    ],
)
def test_support_is_advice_for_such_people_on_that_care(said: str, verdict: str):
    found = verdicts(Answers((TB, GUIDELINE, said)), f"{TREATED}Sputum culture.\n")
    assert found["Is a sputum culture recommended for tuberculosis?"] == verdict


@pytest.mark.parametrize("whom", ["TB patients", "patients with presumptive and diagnosed TB"])
def test_what_patients_with_the_disease_get_supports_nothing_in_latent_infection(whom: str):
    engine = Answers((TB, GUIDELINE, f"All {whom} should be offered an HIV test."))
    note = "Impression: latent tuberculosis infection\nPlan:\n1. HIV test.\n"
    asked = "Is an HIV test recommended for latent tuberculosis infection?"
    assert verdicts(engine, note).get(asked, SILENT) == SILENT


def test_how_often_a_drug_is_given_is_not_how_often_it_is_observed():
    engine = Answers((TB, GUIDELINE, "Directly observed therapy is recommended."))
    note = f"{TREATED}Isoniazid for 6 months, reviewed monthly, by DOT.\n"
    asked = "Is directly observed therapy recommended for tuberculosis?"
    assert verdicts(engine, note)[asked] == "supports"


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("Avoid linezolid in patients with liver disease.", True),
        ("If signs of liver disease occur, discontinue linezolid.", False),
        ("Cases have been associated with liver disease.", False),
        (
            "Patients with liver disease may have bradycardia when it is coadministered with "
            "amiodarone.",
            False,
        ),
    ],
)
def test_a_harm_that_may_come_warns_of_no_condition(said: str, is_flagged: bool):
    engine = Answers(("linezolid", "warnings", said))
    note = f"PMH: chronic liver disease\n{TREATED}Linezolid 600 mg daily.\n"
    asked = "Is linezolid contraindicated in patients with liver disease?"
    assert (verdicts(engine, note).get(asked) == "warns") == is_flagged


@pytest.mark.parametrize(("age", "holds"), [(62.0, False), (66.0, True)])
def test_a_warning_of_an_age_is_of_the_figure_that_it_prints(age: float, holds: bool):
    said = "Advanced age (65 years or older) is a risk: caution in the elderly."
    assert holds_for(said, "older_age", Degrees(age)) == holds


def test_contacts_of_multidrug_resistant_disease_get_no_isoniazid():
    engine = Answers(
        (TB, GUIDELINE, "Rifampin is for people exposed to isoniazid-resistant disease."),
        (TB, GUIDELINE, "Contacts of MDR tuberculosis patients should not receive isoniazid."),
    )
    note = (
        "HPI: 40-year-old man. Resistant to rifampicin and isoniazid. His daughter, aged 4, is well"
        ".\nImpression: MDR tuberculosis\nPlan:\n1. For the daughter, isoniazid 150 mg daily\n"
    )
    found = verdicts(engine, note)
    asked = "Is isoniazid recommended for contacts of multidrug-resistant disease?"
    assert found[asked] == "contradicts"


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("two months, after which two drugs for four more", "two drugs for four months"),
        ("for 6 months, then one for three more", "one for three months"),
        ("three more tablets", "three more tablets"),
    ],
)
def test_a_length_without_its_unit_has_the_one_before(said: str, whole: str):
    assert lengths_in_full(said).endswith(whole)


@pytest.mark.parametrize(
    ("heading", "is_flagged"), [("Bone and spinal tuberculosis", True), ("Care of patients", False)]
)
def test_a_site_is_that_of_the_heading_where_its_text_names_none(heading: str, is_flagged: bool):
    engine = Answers(
        (TB, GUIDELINE, "Tuberculosis is treated with 2RHZE/4RH."),
        (TB, f"{GUIDELINE}:{heading}", "Disease of these tissues needs extended TB treatment."),
    )
    note = (
        "HPI: 40-year-old man, film with vertebral destruction.\nImpression: spinal tuberculosis\n"
        "Plan:\n1. RHZE for 2 months, after which rifampicin and isoniazid for four more.\n"
    )
    asked = "How long is isoniazid with rifampin given for tuberculosis?"
    assert (verdicts(engine, note).get(asked) == "contradicts") == is_flagged
