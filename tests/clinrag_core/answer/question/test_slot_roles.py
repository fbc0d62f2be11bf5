"""Which drug of a question is asked about: with another one, of a story, of a regimen.

A pair that is missed hides an interaction; a drug that is taken for its alternative is recommended.
"""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.slots import QuestionSlots, read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.lay_words import in_clinical_words

Z, R, V = (frozenset({name}) for name in ("zolumycin", "rifampin", "velotrib"))
_Sets = tuple[frozenset[str], ...]
_STORY = "Zolumycin at breakfast, rifampin at supper."


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


def _roles(slots: QuestionSlots) -> tuple[tuple[frozenset[str], ...], ...]:
    return slots.drugs, slots.partners


@pytest.mark.parametrize(
    ("asked", "roles"),
    [
        ("On zolumycin + rifampin, platelets 20. Stop or continue?", ((Z, R), ())),
        ("On zolumycin and rifampin, platelets 20. Stop the rifampin?", ((R,), (Z,))),
    ],
)
def test_what_becomes_of_two_drugs_that_are_taken_asks_of_each(
    asked: str, roles: tuple[_Sets, _Sets], drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(asked, drugs)) == roles


@pytest.mark.parametrize("said", ["cannot live without", "can't sleep without"])
def test_what_somebody_needs_is_taken(said: str, drugs: DrugLexicon) -> None:
    slots = read_slots(f"About to start zolumycin, {said} rifampin. How are they timed?", drugs)
    assert _roles(slots) == ((Z,), (R,))
    assert not slots.absent


@pytest.mark.parametrize(
    ("asked", "roles"),
    [
        ("8 kg on zolumycin, is starting rifampin. New zolumycin dose?", ((Z,), (R,))),
        ("On zolumycin, starts rifampin, zolumycin dose?", ((Z,), (R,))),
        ("Zolumycin and rifampin dose?", ((Z, R), ())),
    ],
)
def test_the_drug_whose_dose_is_asked_is_not_the_one_that_is_begun(
    asked: str, roles: tuple[_Sets, _Sets], drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(asked, drugs)) == roles


def test_an_allergy_is_asked_about_where_the_drug_is_to_be_given_again(drugs: DrugLexicon) -> None:
    again = read_slots("zolumycin allergy, can we rechallenge", drugs)
    assert (again.drugs, again.allergies) == ((Z,), (Z,))
    other = read_slots("zolumycin allergy, can I give velotrib?", drugs)
    assert (other.drugs, other.allergies) == ((V,), (Z,))


@pytest.mark.parametrize(
    ("asked", "is_one"),
    [
        ("Dose of lamotib with sorafix?", True),
        ("Does lamotib interact with sorafix?", False),
        ("Maximum dose of lamotib with sorafix?", False),
        ("Dose of zolumycin with rifampin?", False),
    ],
)
def test_two_drugs_that_only_one_product_has_are_asked_about_as_that(asked: str, *, is_one: bool):
    """Drugs of other fields; with a label of their own, zolumycin and rifampin are a pair."""
    names = {**LABELS, "lamotib-and-sorafix": ("lamotib and sorafix", "lamotib", "sorafix")}
    slots = read_slots(asked, DrugLexicon(names))
    assert (slots.partners == ()) == is_one
    assert len(slots.drugs[0]) == (2 if is_one else 1)


def test_the_regimen_of_a_relative_is_not_asked_about(drugs: DrugLexicon) -> None:
    assert read_slots("Mother just started RHZE. Baby well, which dose?", drugs).regimens == ()
    assert read_slots("Baby starts RHZE, which dose?", drugs).regimens


def test_a_regimen_is_no_partner_of_what_the_site_of_the_disease_calls_for(
    drugs: DrugLexicon,
) -> None:
    of_site = read_slots("Velotrib dose in TB meningitis on RHZE", drugs)
    assert of_site.partners == ()
    assert read_slots("Velotrib dose on RHZE", drugs).partners


def test_when_treatment_of_hiv_starts_is_not_asked_of_a_regimen(drugs: DrugLexicon) -> None:
    assert read_slots("Day 5 of RHZE, CD4 30: when to start ART?", drugs).regimens == ()


def test_what_somebody_cannot_stop_is_taken(drugs: DrugLexicon) -> None:
    assert _roles(read_slots("Zolumycin dose, can't come off rifampin?", drugs)) == ((Z,), (R,))


def test_a_drug_that_did_harm_is_asked_about_where_it_is_to_be_given_again(
    drugs: DrugLexicon,
) -> None:
    asked = "Had a seizure on zolumycin, can I restart it once she's on velotrib?"
    assert _roles(read_slots(asked, drugs)) == ((Z,), (V,))
    cured = read_slots("Had a seizure on zolumycin, can I give velotrib?", drugs)
    assert _roles(cured) == ((V,), ())


@pytest.mark.parametrize(
    "question",
    [f"{_STORY} Does it matter?", f"Clerk, 40. {_STORY} Any trouble?",
     "Rifampin at supper, zolumycin at breakfast. Does it matter? Thanks."],
)  # fmt: skip
def test_two_drugs_of_a_story_are_asked_about_as_a_pair(question: str, drugs: DrugLexicon) -> None:
    """The label of the drug that is not for tuberculosis has what rifampin does to it."""
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z,), (R,))
    assert "interaction" in slots.aspects


@pytest.mark.parametrize(
    "question",
    [f"{_STORY} What dose?", f"{_STORY} How long?", "Dose of zolumycin and rifampin? Thanks.",
     "Dose of zolumycin? And of rifampin? She is 40.", _STORY.replace(", r", ". R"),
     "Zolumycin and rifampin for a child. Weight 22 kg.",
     "Zolumycin or rifampin for her gout. Does it matter?"],
)  # fmt: skip
def test_each_of_two_drugs_is_asked_about_where_a_pair_is_not(
    question: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z, R), ())
    assert "interaction" not in slots.aspects


def test_which_drug_is_asked_leaves_the_drugs_of_a_case_as_taken(drugs: DrugLexicon) -> None:
    slots = read_slots(f"Clerk, 40. {_STORY} Which drug suits his cough?", drugs)
    assert _roles(slots) == ((), (Z, R))


@pytest.mark.parametrize(
    "question",
    ["She cannot take rifampin. Zolumycin instead?", "Can't stomach rifampin, is zolumycin ok?",
     "Rifampin is a hard no, zolumycin ok?", "Rifampin is off the table. Zolumycin?",
     "She cannot take rifampin/isoniazid. Zolumycin?",
     "Zolumycin for one who cannot take rifampin/isoniazid?",
     "She is unable to take rifampin or isoniazid. Zolumycin?",
     "She cannot take rifampin, isoniazid or ethambutol. Zolumycin?",
     "She cannot take rifampin, zolumycin was begun. Is it right?",
     "Zolumycin for gout refractory to colchicine and rifampin?"],
)  # fmt: skip
def test_a_drug_that_somebody_cannot_take_is_why_another_is_asked_about(
    question: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z,), ())
    assert not slots.regimens


@pytest.mark.parametrize(
    "question",
    ["He cannot take rifampin with velotrib, right?", "Cannot rifampin be had on velotrib?",
     "Is rifampin contraindicated in her on velotrib?",
     "Is it so that rifampin is not an option with velotrib?",
     "He cannot take rifampin and velotrib together?",
     "Rifampin cannot be had. He cannot take rifampin with velotrib. Why?"],
)  # fmt: skip
def test_whether_two_drugs_can_be_taken_together_asks_about_both(
    question: str, drugs: DrugLexicon
) -> None:
    """Without the pair the answer would be silent on the interaction."""
    assert _roles(read_slots(question, drugs)) == ((R,), (V,))


@pytest.mark.parametrize("question", ["She cannot take rifampin.", "Can she not take rifampin?"])
def test_the_only_drug_that_is_named_is_asked_about(question: str, drugs: DrugLexicon) -> None:
    assert _roles(read_slots(question, drugs)) == ((R,), ())


@pytest.mark.parametrize(
    ("question", "asked", "partners", "codes"),
    [
        ("Does 4R harm the liver?", (R,), (), []),
        ("What dose has 4R?", (), (), ["4R"]),
        ("Does 3HP harm the liver?", (), (), ["3HP"]),
        ("Is 4R or 6H kinder to the liver?", (), (), ["4R", "6H"]),
        ("Does 4R harm somebody who is on velotrib?", (V,), (R,), []),
        ("On velotrib. Latent TB: 3HP or 4R?", (V,), (R, frozenset({"rifapentine"})), []),
    ],
)
def test_a_regimen_of_one_drug_is_that_drug_unless_a_dose_is_asked(
    question: str, asked: _Sets, partners: _Sets, codes: list[str], drugs: DrugLexicon
) -> None:
    """The letters also say how many months: a dose of 4R is not any dose of rifampin."""
    slots = read_slots(question, drugs)
    assert (*_roles(slots), [code for code, _ in slots.regimens]) == (asked, partners, codes)


@pytest.mark.parametrize(
    ("asking", "asked", "others"),
    [
        ("may the two run together?", (V,), {"ethambutol", "isoniazid", "pyrazinamide", *R}),
        ("for how long is it given?", (), V),
        ("does it harm the liver?", (), V),
    ],
)
def test_the_drug_of_a_patient_meets_those_of_a_regimen_where_nothing_else_is_asked(
    asking: str, asked: _Sets, others: set[str], drugs: DrugLexicon
) -> None:
    """The label of the drug, not what is said of the regimen, has how they go together."""
    slots = read_slots(f"Sailor, 40, takes velotrib. RHZE from tonight: {asking}", drugs)
    assert (slots.drugs, set().union(*slots.partners)) == (asked, others)
    assert bool(slots.regimens) == (not asked)


@pytest.mark.parametrize(
    ("question", "asked", "partners"),
    [
        ("Zolumycin off for a week before rifampin?", (Z,), (R,)),
        ("Off zolumycin for a week before rifampin?", (Z,), (R,)),
        ("Thinking of zolumycin, rifampin runs already. Safe?", (Z,), (R,)),
        ("TB nonsusceptible to rifampin: zolumycin?", (Z,), ()),
        ("On rifampin for leprosy. Change the MDT?", (), (R,)),
    ],
)
def test_what_is_begun_left_off_or_useless_has_its_part(
    question: str, asked: _Sets, partners: _Sets, drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(question, drugs)) == (asked, partners)


def test_a_dose_that_a_patient_on_two_drugs_takes_is_not_asked(drugs: DrugLexicon) -> None:
    vignette = "Clerk, 40, is on zolumycin 300 mg and rifampin 600 mg. Do the two go together?"
    assert not read_slots(vignette, drugs).asks_dosing
    assert read_slots("Is zolumycin 300 mg right?", drugs).asks_dosing


def test_a_story_is_read_apart_from_its_question_however_it_begins(drugs: DrugLexicon) -> None:
    assert read_slots("Clerk, 40, is on rifampin. zolumycin since May, any trouble?", drugs).is_case
    assert not read_slots("Clerk, 40, on approx. zolumycin 300 mg", drugs).is_case


def test_drugs_joined_by_a_sign_are_taken_one_by_one(drugs: DrugLexicon) -> None:
    slots = read_slots("Patient on velotrib/isoniazid starting zolumycin. Raise the dose?", drugs)
    assert slots.drugs == (Z,)
    assert slots.partners == (frozenset({"isoniazid"}), V)


def test_what_a_drug_of_the_story_is_for_is_not_what_is_asked(drugs: DrugLexicon) -> None:
    story = "On zolumycin for Crohn's, a week of fever."
    assert not read_slots(f"{story} Does a negative test rule histoplasmosis out?", drugs).diseases
    assert read_slots(f"{story} Which dose of zolumycin?", drugs).diseases


def test_what_a_reaction_settled_with_is_not_taken(drugs: DrugLexicon) -> None:
    slots = read_slots("Rash on zolumycin, settled with velotrib. Third dose of it?", drugs)
    assert V not in (*slots.drugs, *slots.partners)


@pytest.mark.parametrize("how", ["settled on", "well, is settled on", "now well settled on"])
def test_a_drug_that_a_patient_is_settled_on_is_asked_about(drugs: DrugLexicon, how: str) -> None:
    asked = read_slots(f"34 weeks pregnant, {how} zolumycin, does it have to stop?", drugs)
    assert Z in asked.drugs


def test_a_drug_that_a_rash_settled_on_is_not_taken(drugs: DrugLexicon) -> None:
    slots = read_slots("Rash on zolumycin settled on velotrib. Third dose of it?", drugs)
    assert V not in (*slots.drugs, *slots.partners)


def test_names_before_combo_are_one_product(drugs: DrugLexicon) -> None:
    of_product = read_slots("Strengths of the zolumycin velotrib combo tablet?", drugs)
    assert Z not in of_product.drugs
    assert Z in read_slots("Zolumycin velotrib combination therapy, safe?", drugs).drugs


def test_an_overdose_is_treated_alike_at_any_age(drugs: DrugLexicon) -> None:
    asked = read_slots("A child of 4 took an overdose of zolumycin, what now?", drugs)
    assert not asked.people
    assert not read_slots("He took an overdose of zolumycin, has seizures. Now?", drugs).findings
    assert read_slots("A child of 4 takes zolumycin, what dose?", drugs).people


def test_drugs_put_into_one_cup_are_a_pair_whatever_brand_is_named(drugs: DrugLexicon) -> None:
    slots = read_slots("Can zolumycin (Zolumax) go into the same cup as velotrib?", drugs)
    assert _roles(slots) == ((Z,), (V,))


def test_a_drug_that_failed_is_not_taken_and_two_to_separate_are_a_pair(drugs: DrugLexicon) -> None:
    slots = read_slots("After rifampin failure, on velotrib. Starting zolumycin, ok?", drugs)
    assert _roles(slots) == ((Z,), (V,))
    parts = split_questions("Zolumycin and velotrib: should I separate them?", drugs)
    assert len(parts) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Child of 28 kg with latent TB: what weekly isoniazid and rifapentine doses?",
        "A child lives with a TB patient and is well: isoniazid or just watching?",
    ],
)
def test_a_regimen_and_a_story_are_not_taken_apart(question: str, drugs: DrugLexicon) -> None:
    assert split_questions(question, drugs) == (question,)


def test_two_names_that_nothing_parts_are_one_product_if_a_label_has_it(drugs: DrugLexicon) -> None:
    product = frozenset({"rifampin", "zolumycin"})
    assert read_slots("rifampin zolumycin pill while breastfeeding", drugs).drugs == (product,)
    apart = read_slots("velotrib zolumycin pill while breastfeeding", drugs).drugs
    assert set(apart) == {frozenset({"velotrib"}), Z}


@pytest.mark.parametrize(
    ("question", "asked", "partners"),
    [
        ("A man of 60 is getting zolumycin. The registrar gave 5 mg. How much is due?", (Z,), ()),
        ("A man of 60 is on rifampin. His urine is red. How long is that so?", (), (R,)),
        ("A man previously failed rifampin + velotrib. How long is zolumycin given?", (Z,), ()),
        ("How long is zolumycin given to a man who has failed velotrib and rifampin?", (Z,), ()),
    ],
)
def test_the_one_drug_of_a_patient_is_asked_about_and_none_of_an_earlier_treatment(
    question: str, asked: _Sets, partners: _Sets, drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(question, drugs)) == (asked, partners)


@pytest.mark.parametrize(
    "question",
    [
        "My patient is on rifampin 600 mg. Can she have zolumycin with it?",
        "She takes rifampin (600 mg) daily. Can she have zolumycin too?",
    ],
)
def test_how_much_somebody_takes_of_a_partner_asks_for_no_dose(question: str, drugs) -> None:
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z,), (R,))
    assert not slots.asks_dosing


def test_what_is_told_after_the_question_is_taken(drugs: DrugLexicon) -> None:
    slots = read_slots("Man of 82, 57 kg. What dose of zolumycin? needs rifampin too", drugs)
    assert _roles(slots) == ((Z,), (R,))


def test_drugs_of_a_story_are_taken_where_antiretrovirals_are_asked_about(drugs) -> None:
    slots = read_slots("Meningitis, started RHZE + zolumycin yesterday. ART inside 2 weeks?", drugs)
    assert slots.drugs == ()
    assert Z in slots.partners


@pytest.mark.parametrize(
    ("other", "is_pair"), [("dolutegravir", True), ("isoniazid", False), ("velotrib", False)]
)
def test_a_drug_against_tuberculosis_with_one_of_another_field_is_a_pair(
    other: str, is_pair: bool, drugs: DrugLexicon
) -> None:
    slots = read_slots(f"{other} + rifampin: dose?", drugs)
    assert (slots.partners != ()) == is_pair


def test_a_rifamycin_named_with_a_drug_against_hiv_is_given_with_it(drugs: DrugLexicon) -> None:
    slots = read_slots("Dolutegravir and rifampin for TB, dose?", drugs)
    assert _roles(slots) == ((frozenset({"dolutegravir"}),), (R,))


def test_two_drugs_of_other_fields_joined_by_a_sign_are_a_pair(drugs: DrugLexicon) -> None:
    slots = read_slots("On telavancin + heparin, is the INR real?", drugs)
    assert slots.drugs
    assert slots.partners


@pytest.mark.parametrize("earlier", ["relapse after", "prior exposure to", "relapsed on"])
def test_a_drug_before_a_relapse_is_not_taken(earlier: str, drugs: DrugLexicon) -> None:
    slots = read_slots(f"Pneumonia, {earlier} rifampin. Zolumycin for 12 weeks?", drugs)
    assert _roles(slots) == ((Z,), ())


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("Failed zolumycin/rifampin. Can I use velotrib?", ((V,), ())),
        ("Had jaundice on rifampin last year. Zolumycin with velotrib?", ((Z,), (V,))),
        ("On rifampin, wants zolumycin instead. How do I switch?", ((Z,), ())),
        ("Man on zolumycin 600 mg, starting rifampin. Leave zolumycin at 600?", ((Z,), (R,))),
    ],
)
def test_what_failed_or_harmed_is_not_taken_and_what_is_changed_is_asked_about(
    question: str, roles: tuple[_Sets, _Sets], drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(question, drugs)) == roles


def test_a_regimen_is_why_a_vitamin_is_given(drugs: DrugLexicon) -> None:
    slots = read_slots("Child on RHZE: which dose of pyridoxine?", drugs)
    assert _roles(slots) == ((frozenset({"pyridoxine"}),), ())
    assert not slots.regimens


def test_of_an_overdose_the_drug_that_was_taken_is_asked_about(drugs: DrugLexicon) -> None:
    text = "Took 40 zolumycin 50s. They want rifampin, and what of velotrib? What do we do?"
    slots = read_slots(in_clinical_words(text), drugs)
    assert (slots.drugs, slots.partners) == ((frozenset({"zolumycin"}),), ())


def test_a_combination_that_somebody_is_treated_with_is_asked_about(drugs: DrugLexicon) -> None:
    slots = read_slots("TB induction with Rifazol, adult 50 kg, diabetic. How many tablets?", drugs)
    assert _roles(slots) == ((R | Z,), ())


def test_a_drug_that_somebody_bleeds_from_is_not_the_one_asked_about(drugs: DrugLexicon) -> None:
    assert read_slots("Zolumycin bleed, how many mg of velotrib?", drugs).drugs == (V,)


@pytest.mark.parametrize(
    ("asked", "roles"),
    [
        ("On velotrib and about to begin zolumycin-based treatment. What to watch?", ((Z,), (V,))),
        ("On a zolumycin-based regimen. Dose of velotrib?", ((V,), (Z,))),
    ],
)
def test_a_regimen_with_a_drug_that_is_begun_is_asked_about(
    asked: str, roles: tuple[_Sets, _Sets], drugs: DrugLexicon
) -> None:
    assert _roles(read_slots(asked, drugs)) == roles
