"""A verdict is on the drug, the pair and the strain that its quote is on."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

FLAGS = {"warns", "contradicts"}
TB = "Tuberculosis"
SEVERAL = "Contacts of MDR disease should NOT receive preventive treatment with rifampin."


def flagged(engine: Answers, text: str) -> set[str]:
    """Return the questions about a note that end in a warning or a contradiction."""
    return {question for question, said in verdicts(engine, text).items() if said in FLAGS}


def plan(line: str, history: str = "45-year-old woman.") -> str:
    return f"HPI: {history}\nImpression: pulmonary tuberculosis\nPlan:\n1. {line}\n"


@pytest.mark.parametrize(
    ("strain", "is_flagged"),
    [
        ("resistant to isoniazid, susceptible to rifampicin", False),
        ("resistant to isoniazid but not to rifampicin", False),
        ("resistant to isoniazid and rifampicin", True),
    ],
)
def test_a_strain_resists_only_what_it_is_called_resistant_to(strain: str, is_flagged: bool):
    engine = Answers((TB, GUIDELINE, SEVERAL))
    note = (
        f"HPI: 40-year-old man with pulmonary tuberculosis. The isolate is {strain}. "
        "His son, aged 5, is well.\nImpression: pulmonary tuberculosis\n"
        "Plan:\n1. For the son, rifampicin 200 mg daily as a contact\n2. Sputum monthly\n"
    )
    asked = "Is rifampin recommended for contacts of multidrug-resistant disease?"
    assert (asked in flagged(engine, note)) == is_flagged


def test_what_a_label_of_a_combination_says_of_one_of_its_drugs_is_of_that_one():
    said = "Ketoconazole lowers the concentration of rifampin and so the effect of Rifater."
    whole = "isoniazid+pyrazinamide+rifampin"
    engine = Answers(
        (whole, "interactions", said), ("rifampin", "interactions", "Take it fasting.")
    )
    asked = flagged(
        engine,
        plan(
            "Isoniazid 300 mg, pyrazinamide 1.5 g and rifampicin 600 mg daily",
            "On ketoconazole 200 mg.",
        ),
    )
    assert any("rifampin" in q and "ketoconazole" in q for q in asked)
    assert not any("isoniazid" in q and "ketoconazole" in q for q in asked)


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("Abacavir/dolutegravir/lamivudine tablets raise the exposure to riociguat.", False),
        ("Lamivudine raises the exposure to abacavir: avoid the two together.", True),
    ],
)
def test_the_names_of_one_tablet_are_no_pair(said: str, is_flagged: bool):
    engine = Answers(("abacavir", "interactions", said))
    note = plan("Abacavir 300 mg bd", "45-year-old woman on lamivudine 150 mg bd.")
    assert any("lamivudine" in q for q in flagged(engine, note)) == is_flagged


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        (
            "The efficacy of sofosbuvir in patients with cirrhosis is supported by two trials.",
            False,
        ),
        ("The safety of sofosbuvir in patients with cirrhosis has not been established.", True),
    ],
)
def test_that_a_drug_works_in_a_disease_is_no_warning(said: str, is_flagged: bool):
    engine = Answers(("sofosbuvir", "contraindications", said))
    note = plan("Sofosbuvir 400 mg daily", "45-year-old woman with cirrhosis.")
    assert any("sofosbuvir" in q for q in flagged(engine, note)) == is_flagged


def test_drugs_of_one_list_are_no_pair():
    listed = (
        "Interactions with zidovudine, lamivudine and the newer drug abacavir are set out below: "
        "rifamycins lower the concentration of some agents."
    )
    engine = Answers((TB, GUIDELINE, listed), ("abacavir", "interactions", "Take it with water."))
    note = plan("Abacavir 300 mg bd", "45-year-old woman on lamivudine 150 mg bd.")
    assert not any("lamivudine" in q for q in flagged(engine, note))


def test_a_label_that_points_to_another_label_is_no_warning():
    said = "See ribavirin prescribing information for contraindication in cirrhosis."
    engine = Answers(("sofosbuvir", "contraindications", said))
    note = plan("Sofosbuvir 400 mg daily", "45-year-old woman with cirrhosis.")
    assert not any("sofosbuvir" in q for q in flagged(engine, note))


@pytest.mark.parametrize(
    ("history", "status"),
    [
        ("Lady of forty, smear positive.", "for somebody else"),
        ("Boy of four, brought by a woman from the shelter.", "planned"),
    ],
)
def test_the_boy_of_a_grown_patients_note_is_another_person(history: str, status: str):
    note = read_note(
        f"HPI: {history}\nImpression: tuberculosis\nPlan:\n"
        "1. For the little boy, four years old, isoniazid 150 mg daily\n2. Sputum monthly\n",
        1_000,
    )
    given = [m for i in extractive_summary(note).summary.assessment for m in i.medications]
    assert [m.status for m in given] == [status]


def test_what_a_relative_does_not_get_is_given_to_nobody():
    note = read_note(
        "HPI: 40-year-old man.\nImpression: tuberculosis\nPlan:\n"
        "1. Husband, well, clear film: no preventive isoniazid\n2. Sputum monthly\n",
        1_000,
    )
    given = [m for i in extractive_summary(note).summary.assessment for m in i.medications]
    assert [m.status for m in given] == ["absent"]
