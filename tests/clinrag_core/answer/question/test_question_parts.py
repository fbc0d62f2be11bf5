"""The questions that a question of several is made of."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.fit.conclusive import concludes
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.facts.drugs import DrugLexicon


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Dose of zolumycin?", ["Dose of zolumycin?"]),
        ("Zolumycin and velotrib?", ["Zolumycin and velotrib?"]),
        (
            "Zolumycin dose for an infant of 8 kg, and if we start rifampin?",
            [
                "Zolumycin dose for an infant of 8 kg",
                "if we start rifampin with Zolumycin for an infant of 8 kg?",
            ],
        ),
        (
            "Dose and side effects of zolumycin in TB",
            ["Dose of zolumycin in TB", "side effects of zolumycin in TB"],
        ),
        (
            "Boxed warning and monitoring of zolumycin",
            ["Boxed warning of zolumycin", "monitoring of zolumycin"],
        ),
        ("Dose and duration of zolumycin", ["Dose and duration of zolumycin"]),
        (
            "Zolumycin dose in TB meningitis and how many months of TB drugs?",
            [
                "Zolumycin dose in TB meningitis",
                "how many months of TB drugs in TB meningitis?",
            ],
        ),
        (
            "Zolumycin dose in TB meningitis and how many months of TB treatment if it is latent?",
            ["Zolumycin dose in TB meningitis", "how many months of TB treatment if it is latent?"],
        ),
        (
            "Zolumycin with rifampin: dose, and for how long after TB treatment?",
            [
                "Zolumycin with rifampin: dose",
                "for how long after TB treatment with Zolumycin?",
            ],
        ),
        ("Zolumycin dose and monitoring?", ["Zolumycin dose?", "Zolumycin monitoring?"]),
        ("Signs and symptoms of TB", ["Signs and symptoms of TB"]),
        (
            "Zolumycin and velotrib must be taken 12 hours apart, so when?",
            ["Zolumycin and velotrib must be taken 12 hours apart, so when?"],
        ),
        (
            "Which drugs, at what dose and for how long in MB leprosy?",
            ["Which drugs, at what dose in MB leprosy?", "for how long in MB leprosy?"],
        ),
        (
            "When do I start, and what do I monitor, with zolumycin?",
            ["When do I start with zolumycin?", "what do I monitor, with zolumycin?"],
        ),
        (
            "Zolumycin dose for TB in adults and in children?",
            ["Zolumycin dose for TB in adults?", "Zolumycin dose for TB in children?"],
        ),
        (
            "Zolumycin dose in children and adolescents?",
            ["Zolumycin dose in children and adolescents?"],
        ),
        (
            "Rash on zolumycin. When do I restart and at what dose?",
            ["Rash on zolumycin. When do I restart and at what dose?"],
        ),
        (
            "Overdose of zolumycin, does dialysis help? what else do I do",
            ["Overdose of zolumycin, does dialysis help? what else do I do"],
        ),
        (
            "Zolumycin: what eye checks at the start and above which daily dose is it toxic?",
            [
                "Zolumycin: what eye checks at the start",
                "above which daily dose is Zolumycin toxic?",
            ],
        ),
        (
            "What regimen and how long for isoniazid-resistant TB?",
            ["What regimen and how long for isoniazid-resistant TB?"],
        ),
        (
            "Isoniazid-resistant TB: drugs and length, any drug that can be stopped early?",
            [
                "Isoniazid-resistant TB: drugs and length,",
                "Isoniazid-resistant TB: any drug that can be stopped early?",
            ],
        ),
        (
            "Zolumycin dose with rifampin, and how soon after TB drugs should ART begin?",
            ["Zolumycin dose with rifampin", "how soon after TB drugs should ART begin?"],
        ),
        (
            "TB meningitis: total duration, and over how many weeks is the steroid tapered?",
            [
                "TB meningitis: total duration",
                "TB meningitis: over how many weeks is the steroid tapered?",
            ],
        ),
        (
            "Walking pneumonia in a child: which drug is first, and which one is to be avoided?",
            [
                "Walking pneumonia in a child: which drug is first",
                "Walking pneumonia in a child: which one is to be avoided?",
            ],
        ),
        (
            "Fever for a week, new patches. Relapse, and what treatment?",
            ["Fever for a week, new patches. Relapse, and what treatment?"],
        ),
        (
            "Zolumycin: stop it at 2 months? What does CDC say and what did WHO find?",
            ["Zolumycin: stop it at 2 months? What does CDC say and what did WHO find?"],
        ),
        (
            "Is it leprosy, and what treatment?",
            ["Is it leprosy", "what treatment for leprosy?"],
        ),
        (
            "Zolumycin: how long on? And he forgot one, next due in 4 hours - take it?",
            [
                "Zolumycin: how long on",
                "And he forgot one, next due in 4 hours - take Zolumycin?",
            ],
        ),
        (
            "Zolumycin for a 20 kg child - dose? And does it need food?",
            [
                "Zolumycin for a 20 kg child - dose",
                "And does Zolumycin need food for a 20 kg child?",
            ],
        ),
        (
            "How many zolumycin tablets for a 20 kg child, and before or after food?",
            [
                "How many zolumycin tablets for a 20 kg child",
                "Should zolumycin be taken before or after food?",
            ],
        ),
        (
            "How many zolumycin tablets a day and with food or not?",
            ["How many zolumycin tablets a day", "Should zolumycin be taken with food or not?"],
        ),
        (
            "Zolumycin or velotrib? And what dose for the one you pick?",
            [
                "Zolumycin",
                "velotrib",
                "And what dose for Zolumycin?",
                "And what dose for velotrib?",
            ],
        ),
        (
            "How many zolumycin tablets for 52 kg, with food or not?",
            [
                "How many zolumycin tablets for 52 kg",
                "Should zolumycin be taken with food or not?",
            ],
        ),
        (
            "pt on HD three times a week: can I use zolumycin and at what dose?",
            [
                "pt on HD three times a week: can I use zolumycin",
                "at what dose with zolumycin in a patient (dialysis)?",
            ],
        ),
        (
            "Zolumycin or velotrib in adults? and can a child of 9 have either",
            [
                "Zolumycin in adults",
                "velotrib in adults",
                "and can a child of 9 have Zolumycin",
                "and can a child of 9 have velotrib",
            ],
        ),
        (
            "Patient on lopinavir/ritonavir needs TB drugs - zolumycin, and what dose of velotrib?",
            [
                "Patient on lopinavir/ritonavir needs TB drugs - zolumycin",
                "what dose of velotrib with lopinavir/ritonavir for TB?",
            ],
        ),
        (
            "A child of 3: skin test or IGRA preferred, and should we do both routinely?",
            [
                "A child of 3: skin test or IGRA preferred",
                "should we do both TB blood test and TB skin test routinely?",
            ],
        ),
        (
            "On rifampin: dose of zolumycin? And if on velotrib?",
            ["On rifampin: dose of zolumycin", "On velotrib: dose of zolumycin"],
        ),
        (
            "Zolumycin in Child Pugh B cirrhosis? And is there anything for C?",
            [
                "Zolumycin in Child Pugh B cirrhosis",
                "And is there anything for Child-Pugh C with Zolumycin?",
            ],
        ),
        (
            "When do I repeat sputum on TB treatment and what if it is still positive at 2 months?",
            [
                "When do I repeat sputum on TB treatment",
                "what if the sputum is still positive at 2 months?",
            ],
        ),
        (
            "Dose of zolumycin, and does velotrib affect rashes on it?",
            ["Dose of zolumycin", "does velotrib affect rashes on zolumycin?"],
        ),
        (
            "Zolumycin: total dose of a course, and where is it injected?",
            ["Zolumycin: total dose of a course", "where is Zolumycin injected?"],
        ),
        (
            "How should sputum be followed, and how often?",
            ["How should sputum be followed, and how often?"],
        ),
        (
            "Dose of zolumycin and does it cause deafness?",
            ["Dose of zolumycin", "does zolumycin cause deafness?"],
        ),
        (
            "Is zolumycin safe in pregnancy and what should be monitored?",
            [
                "Is zolumycin safe in pregnancy",
                "what should be monitored with zolumycin in pregnancy?",
            ],
        ),
        (
            "What is the dose of zolumycin in children? Can it harm the ear?",
            [
                "What is the dose of zolumycin in children",
                "Can zolumycin harm the ear in children?",
            ],
        ),
        (
            "What is the dose of zolumycin and of rifampin in renal impairment?",
            [
                "What is the dose of zolumycin in renal impairment?",
                "What is the dose of rifampin in renal impairment?",
            ],
        ),
        (
            "Dose of zolumycin in adults and of rifampin in children?",
            ["Dose of zolumycin in adults?", "Dose of rifampin in children?"],
        ),
        (
            "Which is safer in pregnancy, zolumycin or rifampin?",
            ["Which is safer in pregnancy, zolumycin?", "Which is safer in pregnancy, rifampin?"],
        ),
        ("zolumycin versus rifampin for TB", ["zolumycin for TB", "rifampin for TB"]),
        ("Is 3HP better than 9H?", ["3HP", "9H"]),
        (
            "zolumycin dose for leprosy vs prostate cancer",
            ["zolumycin dose for leprosy", "zolumycin dose for prostate cancer"],
        ),
        (
            "zolumycin dose for leprosy vs malaria",
            ["zolumycin dose for leprosy", "zolumycin dose for malaria"],
        ),
        ("zolumycin with rifampin", ["zolumycin with rifampin"]),
        ("Do zolumycin and rifampin interact?", ["Do zolumycin and rifampin interact?"]),
        ("rifampin/zolumycin dose", ["rifampin/zolumycin dose"]),
        (
            "Since zolumycin is safe for the ears, can I skip hearing tests?",
            ["Since zolumycin is safe for the ears", "can I skip hearing tests with zolumycin?"],
        ),
        (
            "What does the baby get, does she stop zolumycin?",
            ["What does the baby get,", "does she stop zolumycin?"],
        ),
        ("On rifampin, can I start zolumycin?", ["On rifampin, can I start zolumycin?"]),
        (
            "zolumycin - how long to shake the vial, and what if one forgets a day?",
            [
                "zolumycin - how long to shake the vial",
                "what if one forgets a day with zolumycin?",
            ],
        ),
        (
            "How is zolumycin given with rifampin, and when can it be stopped?",
            [
                "How is zolumycin given with rifampin",
                "when can zolumycin be stopped with rifampin?",
            ],
        ),
        (
            "Smear positive after zolumycin. What is it called and what do I do next?",
            ["Smear positive after zolumycin. What is it called and what do I do next?"],
        ),
        (
            "Dose of zolumycin with rifampin? And with velotrib?",
            ["Dose of zolumycin with rifampin?", "Dose of zolumycin with velotrib?"],
        ),
        (
            "Zolumycin: ok with velotrib? And what dose in Child-Pugh B?",
            ["Zolumycin: ok with velotrib", "And what dose in Child-Pugh B with Zolumycin?"],
        ),
        (
            "zolumycin: how often does the skin turn red vs velotrib?",
            [
                "zolumycin: how often does the skin turn red?",
                "velotrib: how often does the skin turn red?",
            ],
        ),
        (
            "zolumycin + velotrib: which way does the velotrib go and what zolumycin dose is best?",
            [
                "zolumycin + velotrib: which way does the velotrib go",
                "what zolumycin dose is best with velotrib?",
            ],
        ),
        ("Doses of 3HP, and who must not get it?", ["Doses of 3HP", "who must not get 3HP?"]),
        ("Is zolumycin preferred, and why?", ["Is zolumycin preferred, and why?"]),
        (
            "Definition of XDR, poor response and relapse",
            ["Definition of XDR", "Definition of poor response", "Definition of relapse"],
        ),
        (
            "QuantiFERON vs tuberculin test in a child",
            ["QuantiFERON test in a child", "tuberculin test in a child"],
        ),
        (
            "Can zolumycin be given to contacts of a man with INH-resistant TB, and which dose?",
            [
                "Can zolumycin be given to contacts of a man with INH-resistant TB",
                "which dose with zolumycin for contacts of a man with INH-resistant TB?",
            ],
        ),
        (
            "zolumycin eye checks - when first and how often after",
            ["zolumycin eye checks - when first", "zolumycin eye checks - how often after"],
        ),
        ("Skin test or blood test in a 3-year-old?", ["Skin test or blood test in a 3-year-old?"]),
        (
            "Which bloods on zolumycin, and at which weeks?",
            ["Which bloods on zolumycin, and at which weeks?"],
        ),
        (
            "Zolumycin dose if the patient weighs 62 kg and is also on rifampin?",
            ["Zolumycin dose if the patient weighs 62 kg and is also on rifampin?"],
        ),
        (
            "As rifampin-zolumycin is preferred for LTBI, which dose of velotrib?",
            [
                "As rifampin-zolumycin is preferred for LTBI",
                "which dose of velotrib for LTBI?",
            ],
        ),
        (
            "zolumycin with rifampin: what dose? and can she take her chalk tablet?",
            [
                "zolumycin with rifampin: what dose",
                "and can she take her chalk tablet with zolumycin?",
            ],
        ),
        (
            "zolumycin in someone on rifampin: allowed, and what dose?",
            [
                "zolumycin in someone on rifampin: allowed",
                "what dose of zolumycin with rifampin?",
            ],
        ),
        (
            "Zolumycin dose, and what changes if we give velotrib as well?",
            ["Zolumycin dose", "what changes if we give velotrib as well with Zolumycin?"],
        ),
        (
            "When do I stop zolumycin and is velotrib needed in between?",
            ["When do I stop zolumycin", "is velotrib needed in between with zolumycin?"],
        ),
        (
            "On rifampin: what zolumycin dose, and what velotrib dose?",
            ["On rifampin: what zolumycin dose", "what velotrib dose with rifampin?"],
        ),
        (
            "With rifampin treatment of TB, how do I change zolumycin, and what velotrib dose?",
            [
                "With rifampin treatment of TB, how do I change zolumycin",
                "what velotrib dose with rifampin for TB?",
            ],
        ),
        (
            "definition of cure and lost to follow-up for adults, the manual",
            [
                "Definition of cure for adults, the manual",
                "Definition of lost to follow-up for adults, the manual",
            ],
        ),
        ("TST or IGRA in a 3-year-old?", ["TST or IGRA in a 3-year-old?"]),
        (
            "When is a TST or IGRA repeated in adults?",
            ["When is a TST repeated in adults?", "When is a IGRA repeated in adults?"],
        ),
        (
            "Must zolumycin be watched, and does it need blood tests in an adult: which, when",
            [
                "Must zolumycin be watched",
                "does zolumycin need blood tests in an adult: which, when",
            ],
        ),
        (
            "Rifampin-resistant TB: which drugs and how many months?",
            ["Rifampin-resistant TB: which drugs and how many months?"],
        ),
        ("zolumycin CrCl 22, and CrCl 12?", ["zolumycin CrCl 22?", "zolumycin CrCl 12?"]),
        (
            "zolumycin for a 5 kg and a 12 kg child",
            ["zolumycin for a 5 kg child", "zolumycin for a 12 kg child"],
        ),
        (
            "Can rifampin/zolumycin be given on dialysis and at what dose?",
            [
                "Can rifampin/zolumycin be given on dialysis",
                "at what dose with rifampin/zolumycin in a patient (dialysis, kidney impairment)?",
            ],
        ),
    ],
)
def test_a_question_is_taken_apart(question: str, parts: list[str], drugs: DrugLexicon) -> None:
    assert list(split_questions(question, drugs)) == parts


@pytest.mark.parametrize(
    ("said", "leads"),
    [
        ("Who is on the longer regimen can no longer be switched to the shorter one.", True),
        ("The longer regimen is longer than the shorter one.", False),
    ],
)
def test_what_says_whether_somebody_may_be_switched_answers(
    said: str, *, leads: bool, drugs: DrugLexicon
) -> None:
    asked = "Three months of the longer regimen. May I switch her over to the shorter one?"
    assert concludes(read_slots(asked, drugs), said) is leads


def test_a_later_question_is_on_the_disease_of_the_first(drugs: DrugLexicon) -> None:
    asked = "zolumycin for pneumonia, mg per kg and how often"
    assert split_questions(asked, drugs)[1] == "how often with zolumycin for pneumonia?"


def test_the_drug_of_the_first_question_on_a_patient_is_that_of_the_others(drugs) -> None:
    story = "Woman of 40 with pneumonia, CrCl 35, can swallow."
    asked = f"{story} IV or oral zolumycin, and is the dose cut?"
    assert split_questions(asked, drugs) == (
        f"{story} IV or oral zolumycin?",
        f"{story} Zolumycin: is the dose cut?",
    )


def test_a_later_question_on_what_is_taken_as_well_is_on_both(drugs: DrugLexicon) -> None:
    asked = "Zolumycin for 2 months: what eye checks? And he takes velotrib - leave it?"
    assert split_questions(asked, drugs)[1] == "On Zolumycin, And he takes velotrib - leave it?"
    other = "Zolumycin for 2 months: what eye checks? And velotrib - how much?"
    assert not split_questions(other, drugs)[1].startswith("On ")


def test_a_later_question_is_on_the_form_of_the_first(drugs: DrugLexicon) -> None:
    asked = "Zolumycin capsules - which juices are ok and can I push it down a tube?"
    assert split_questions(asked, drugs)[1] == "can I push Zolumycin capsules down a tube?"


def test_each_question_after_a_patient_s_story_is_answered(drugs: DrugLexicon) -> None:
    story = "Woman of 40 on rifampin. Her film is clear."
    asked = f"{story} Can she have zolumycin, and how long is she seen?"
    assert split_questions(asked, drugs) == (
        f"{story} Can she have zolumycin?",
        f"{story} How long is she seen?",
    )
    for one in (f"{story} Can she have zolumycin, and if not, what then?", f"{story} What now?"):
        assert split_questions(one, drugs) == (one,)


def test_a_statement_before_a_comma_is_no_question(drugs: DrugLexicon) -> None:
    story = "Woman of 45 on zolumycin, poor reply. We gave it up, how long do we watch for rashes?"
    assert split_questions(story, drugs) == (story,)


@pytest.mark.parametrize(
    "question",
    [
        "Zolumycin for scabies: can the bag hold glucose? Dose and for how many days?",
        "Woman of 74, allergic to velotrib. Can she have zolumycin and at which dose?",
    ],
)
def test_a_part_that_asks_a_dose_has_the_only_drug_that_is_asked_about(question, drugs):
    parts = split_questions(question, drugs)
    assert len(parts) > 1
    for part in parts:
        slots = read_slots(part, drugs)
        assert not slots.asks_dosing or slots.drugs


def test_what_is_added_is_asked_of_the_topic_and_not_before(drugs: DrugLexicon) -> None:
    asked = "Isoniazid-resistant TB: which drugs for how long, and do I add velotrib?"
    assert split_questions(asked, drugs) == (
        "Isoniazid-resistant TB: which drugs for how long",
        "Isoniazid-resistant TB: do I add velotrib?",
    )


def test_what_goes_with_the_first_drug_is_not_asked_of_its_partner(drugs: DrugLexicon) -> None:
    asked = "Zolumycin with velotrib - how far apart, and are antacids ok with it?"
    assert split_questions(asked, drugs)[1] == "are antacids ok with Zolumycin?"


def test_how_often_a_step_is_taken_is_no_question_of_its_own(drugs: DrugLexicon) -> None:
    asked = "Weaning off zolumycin: how big should each drop be and how often?"
    assert split_questions(asked, drugs) == (asked,)


def test_what_was_told_before_the_first_question_is_told_before_the_next(drugs):
    parts = split_questions("Zolumycin week 3, rash. Stop which drug? How to restart", drugs)
    assert parts == (
        "Zolumycin week 3, rash. Stop which drug",
        "Zolumycin week 3, rash. How to restart",
    )


def test_a_drug_without_a_label_is_asked_about_on_the_other_one_of_its_pair():
    drugs = DrugLexicon({"zolumycin": ("zolumycin",)})
    question = "On zolumycin + methadone 70 mg, sweating. What is it and what of the methadone?"
    parts = split_questions(question, drugs)
    assert parts[-1].startswith("On zolumycin, ")
    assert "methadone" in parts[-1]
