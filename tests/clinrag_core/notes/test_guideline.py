"""A note's doses and medicines against answers: supported, contradicted, warned of, or unknown."""

from __future__ import annotations

import pytest

from clinrag_core.notes.doses import compare_doses
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

NOTE = """HPI: 34-year-old man, unwell for two weeks.
PMH: gout
DH: warfarin 5 mg daily
Impression: pulmonary tuberculosis
Plan:
1. Start isoniazid 300 mg daily
2. Start pyrazinamide 1500 mg daily
3. Amoxicillin 500 mg three times daily for his sinusitis
4. Mrs. Vantongeren to rest
"""


def test_each_thing_of_a_note_gets_its_verdict():
    engine = Answers(
        ("pyrazinamide", "contraindications", "Acute gout."),
        ("isoniazid", "warnings", "Gout may occur, also after one dose."),
        ("isoniazid", "interactions", "Warfarin levels rise."),
        ("pyrazinamide", "interactions", "Warfarin levels do not change."),
        dose_isoniazid=("Adults: 5 mg/kg daily, at most 200 mg.", "Isoniazid"),
        dose_pyrazinamide=("Pyrazinamide 1500 mg daily.", "Pyrazinamide"),
    )
    found = verdicts(engine, NOTE)
    for part, verdict in {
        "dose of isoniazid": "contradicts",
        "dose of amoxicillin": "no guideline evidence",
        "pyrazinamide contraindicated in patients with gout": "warns",
        "warfarin interact with isoniazid": "warns",
        "warfarin interact with pyrazinamide": "no guideline evidence",
    }.items():
        assert [v for question, v in found.items() if part in question] == [verdict], part
    assert "related" not in found.values()  # more is said of both drugs


def test_guidelines_are_asked_only_about_what_is_given_for_their_diseases():
    engine = Answers()
    verdicts(engine, NOTE)
    assert engine.asked == [
        "What is the dose of isoniazid in adults for tuberculosis?",
        "What is the dose of pyrazinamide in adults for tuberculosis?",
    ]


def test_a_question_is_asked_once_while_a_release_is_open():
    engine = Answers()
    assert verdicts(engine, NOTE) == verdicts(engine, NOTE)
    assert len(engine.asked) == len(set(engine.asked))


@pytest.mark.parametrize(
    ("claim", "title"),
    [
        ("Isoniazid 300 mg daily.", "Pneumonia in the community"),
        ("Isoniazid 300 mg daily for plague.", "Isoniazid"),
        ("Isoniazid 300 mg daily in children under 12 years.", "Isoniazid"),
        ("Isoniazid 300 mg daily.", "Tuberculosis in infants"),
        ("Isoniazid 300 mg daily in renal impairment.", "Isoniazid"),
        ("In this trial patients received isoniazid 300 mg daily.", "Isoniazid"),
        ("Pyrazinamide 300 mg daily.", "Pyrazinamide"),
    ],
    ids=["disease-of-title", "disease", "age", "age-of-title", "kidney", "study", "drug"],
)
def test_a_passage_on_something_else_supports_nothing(claim: str, title: str):
    found = verdicts(Answers(dose_isoniazid=(claim, title)), NOTE)
    (verdict,) = [v for q, v in found.items() if "dose of isoniazid" in q]
    assert verdict == "no guideline evidence"


@pytest.mark.parametrize(
    ("row", "warns"),
    [
        (("linezolid", "interactions", "Sertraline may add to the effect."), True),
        (("linezolid", "interactions", "Serotonergic drugs may add to the effect."), True),
        (("linezolid", "interactions", "Tricyclic antidepressants may add to it."), False),
        (("linezolid", "interactions", "No interaction with sertraline: no effect."), False),
        (("linezolid", "warnings", "Do not give linezolid with sertraline."), True),
        (("linezolid", "warnings", "Nausea is treated with sertraline."), False),
        (
            (
                "linezolid",
                "contraindications",
                "Linezolid is contraindicated when sertraline is contraindicated.",
            ),
            False,
        ),
        (("linezolid", "contraindications", "Allergy to linezolid or sertraline."), False),
        (("isoniazid+linezolid", "interactions", "Isoniazid raises sertraline."), False),
        (("isoniazid+linezolid", "interactions", "Linezolid with sertraline is a danger."), True),
    ],
)
def test_a_label_warns_of_what_is_given_as_well(row: tuple[str, str, str], warns: bool):
    found = verdicts(Answers(row), "DH: linezolid, sertraline\n")
    assert found == {
        "Does linezolid interact with sertraline?": "warns" if warns else "no guideline evidence"
    }


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Use with caution in patients with a history of seizures.", "warns"),
        ("Avoid it if you have epilepsy.", "warns"),
        ("Seizures occur, also after one dose.", "related"),
        ("It does not help.", "no guideline evidence"),
    ],
)
def test_a_label_warns_of_a_condition_that_the_patient_has(said: str, verdict: str):
    found = verdicts(Answers(("linezolid", "warnings", said)), "PMH: epilepsy\nDH: linezolid\n")
    assert found == {"Is linezolid contraindicated in patients with seizures?": verdict}


def test_no_word_of_the_note_but_drugs_and_diseases_is_asked():
    engine = Answers()
    verdicts(engine, NOTE)
    assert engine.asked
    for word in ("Vantongeren", "rest", "Start", "1500"):
        assert not [question for question in engine.asked if word in question]


@pytest.mark.parametrize(
    ("note", "source", "verdict"),
    [
        ("300 mg daily", "at most 300 mg daily", "supports"),
        ("900 mg daily", "Daily: at most 300 mg; twice a week: at most 900 mg", "contradicts"),
        ("900 mg twice a week", "Daily: at most 300 mg; twice a week: at most 900 mg", "supports"),
        ("500 mg daily", "400 to 600 mg daily", "supports"),
        ("100 mg daily", "Take 250 mg daily", "contradicts"),
        ("1200 mg daily", "25 mg/kg daily, for 40 to 55 kg 1000 mg daily", "related"),
        ("5 mg daily", "10 tablets daily", "related"),
        ("15 mg/kg daily", "15 to 20 mg/kg daily", "supports"),
        ("1000 mg daily", "Weight: 40 to 55 kg; Daily dose: 1000 mg", "related"),
        ("900 mg daily", "Adults above 30 kg: 300 mg once daily", "contradicts"),
        ("400 mg daily", "400 mg daily for 2 weeks, then 200 mg daily", "related"),
        ("500 mg on day 1, then 250 mg daily", "500 mg on day 1, then 250 mg daily", "supports"),
        (
            "400 mg daily for 2 weeks then 200 mg three times a week",
            "400 mg once daily for 2 weeks, followed by 200 mg 3 times per week for 22 weeks.",
            "supports",
        ),
        ("200 mg daily", "400 mg daily for 2 weeks, then 200 mg 3 times per week", "related"),
        ("100 mg daily for 3 weeks", "100 mg daily for 5 days", "related"),
        ("1 g three times daily for 5 days", "we recommend 1 g three times daily", "supports"),
        ("300 mg daily", "If the liver fails, 300 mg daily", "related"),
        ("900 mg weekly", "daily; at most 300 mg", "related"),
        ("900 mg", "300 mg daily or 900 mg weekly", "related"),
    ],
    ids=["most", "above-most", "by-frequency", "range", "other", "by-weight", "other-unit",
         "per-kg", "weight-row", "heaviest", "phase", "phases",
         "sequence", "other-of-sequence", "duration", "no-duration", "condition",
         "other-frequency", "no-frequency"],
)  # fmt: skip
def test_doses_are_compared_by_frequency_and_limit(note: str, source: str, verdict: str):
    assert compare_doses(note, [(source, source)]) == verdict


def test_a_dose_is_not_supported_for_a_patient_that_the_label_warns_of():
    engine = Answers(
        ("pyrazinamide", "contraindications", "Severe hepatic damage. Acute gout."),
        dose_pyrazinamide=("Pyrazinamide 1500 mg daily.", "Pyrazinamide"),
    )
    found = verdicts(engine, NOTE.replace("gout", "chronic liver disease"))
    assert not [q for q in found if "dose of pyrazinamide" in q]
    assert found["Is pyrazinamide contraindicated in patients with liver disease?"] == "warns"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Isoniazid is indicated for active tuberculosis.", "supports"),
        ("Isoniazid is recommended only if it is susceptible.", "no guideline evidence"),
        ("Isoniazid should not be used.", "contradicts"),
    ],
)
def test_a_drug_without_a_dose_is_supported_by_advice_to_give_it(claim: str, verdict: str):
    engine = Answers(isoniazid_recommended=(claim, "Tuberculosis care"))
    found = verdicts(engine, NOTE.replace("isoniazid 300 mg daily", "isoniazid"))
    assert found["Is isoniazid recommended for tuberculosis?"] == verdict


@pytest.mark.slow
def test_questions_of_a_note_leave_no_audit_record(released):
    from clinrag_core.users.answering import open_answering

    engine = open_answering(released).engine
    assert engine.ask("What is the dose of isoniazid?").audit_id
    before = [p.read_bytes() for p in released.home.rglob("audit/**/*") if p.is_file()]
    assert engine.unaudited().ask("Does isoniazid interact with warfarin?").audit_id is None
    after = [p.read_bytes() for p in released.home.rglob("audit/**/*") if p.is_file()]
    assert before == after
    assert before


def test_what_must_not_be_missed_comes_first():
    engine = Answers(
        ("isoniazid", "interactions", "Phenytoin levels rise."),
        ("Tuberculosis", GUIDELINE, "Isoniazid is given as 300 mg once daily, at most 300 mg."),
        ("Tuberculosis", GUIDELINE, "Ethambutol is given as 800 mg once daily."),
    )
    note = (
        "DH: phenytoin 300 mg\nImpression: tuberculosis\nPlan: isoniazid 900 mg daily. Ethambutol"
    )
    said = verdicts(engine, f"{note} 800 mg daily.\n")
    assert list(dict.fromkeys(said.values())) == [
        "contradicts", "warns", "supports", "no guideline evidence"
    ]  # fmt: skip
