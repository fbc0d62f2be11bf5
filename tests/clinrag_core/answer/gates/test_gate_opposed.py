"""A claim in other words names no opposite, no sister term and no other actor than its evidence."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.lexicon.opposed import are_opposites, are_sisters, opposed_terms, sort_of
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
CONTACT_LENSES = "Rifampicin turns tears orange and can stain soft contact lenses."
DIABETES = "One in five people with TB have diabetes."
PHARMACIST = "The pharmacist prepares the infusion and the nurse checks it."
COMPLETION = (
    "Directly observed therapy gave a higher completion rate and fewer relapses than"
    " self-administration."
)
REFERRAL = "Refer the child to the hospital when the oxygen saturation is below 90%."


def codes(context, claim: str, evidence: str) -> set[str]:
    return {str(d.code) for d in run_gates(GATES, context(claim, evidence)) if not d.passed}


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (CONTACT_LENSES, "Hard contact lenses can be stained by rifampicin."),
        (
            "Adjunctive dexamethasone improves survival in tuberculous meningitis.",
            "Survival in tuberculous peritonitis is improved by adjunctive dexamethasone.",
        ),
        (
            "Migrants from high-burden countries should be offered an IGRA.",
            "An IGRA should be offered to travellers to high-burden countries.",
        ),
        (
            "Rifampicin binds the beta subunit of RNA polymerase.",
            "The beta subunit of DNA gyrase is what rifampicin binds.",
        ),
        (
            "Cefuroxime is a second-generation cephalosporin and may be used in mild penicillin"
            " allergy.",
            "In mild penicillin allergy third-generation cephalosporins such as cefuroxime may be"
            " used.",
        ),
    ],
)
def test_a_word_that_excludes_one_that_is_gone_is_refused(context, evidence, claim):
    assert "word_turned" in codes(context, claim, evidence)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (CONTACT_LENSES, "Soft contact lenses can be stained by rifampicin."),
        ("Relief after the first dose is brief.", "After the first dose relief is not prolonged."),
    ],
)
def test_a_word_that_stays_or_is_denied_is_none(context, evidence, claim):
    assert "word_turned" not in codes(context, claim, evidence)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (DIABETES, "One in five people with diabetes have TB."),
        (
            "Of the deaths, 70% occurred in adults over 65.",
            "Of adults over 65, 70% died.",
        ),
        (PHARMACIST, "The infusion is prepared by the nurse and checked by the pharmacist."),
        (
            COMPLETION,
            "Self-administered therapy was completed more often and relapsed less than directly"
            " observed therapy.",
        ),
        (
            "Transfer the patient from the intensive care unit to the ward once stable.",
            "Once stable, the patient is moved to the intensive care unit from the ward.",
        ),
        (
            "Give 4 mL of the syrup at first and then 2 mL.",
            "The syrup is given as 2 mL, followed by 4 mL.",
        ),
    ],
)
def test_sides_that_are_exchanged_are_refused(context, evidence, claim):
    assert {"sides_exchanged", "owner_changed"} & codes(context, claim, evidence)


def test_a_value_of_a_part_with_a_subject_of_its_own_stays_its_own(context):
    evidence = "Nausea occurred in 12% of patients on pretomanid and headache in 9%."
    wrong = "Headache was seen in 12% of those taking pretomanid, nausea in 9%."
    right = "Of patients given pretomanid, 12% had nausea and 9% had headaches."
    assert "owner_changed" in codes(context, wrong, evidence)
    assert not codes(context, right, evidence)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (DIABETES, "Diabetes is present in 20% of people who have TB."),
        (PHARMACIST, "The infusion is prepared by the pharmacist and checked by the nurse."),
        (
            "Antacids containing aluminium should be taken two hours after ciprofloxacin.",
            "Ciprofloxacin should be taken two hours before aluminium-containing antacids.",
        ),
        (
            "Give the antiemetic 30 minutes before the antibiotic.",
            "The antibiotic follows the antiemetic after half an hour.",
        ),
        (
            "Sputum is collected first, and antibiotics are then started.",
            "Collect sputum before antibiotics are begun.",
        ),
        (
            "All household contacts are screened except those treated within the last two years.",
            "Screening covers every household contact who has not been treated in the past two"
            " years.",
        ),
        (
            "The drug is given at 400 mg on day 1 and at 200 mg on days 3 to 9.",
            "The drug is given at 400 mg on day 1 and at 200 mg for seven days, from day 3 to 9.",
        ),
        (REFERRAL, "Refer the child to the hospital when the oxygen saturation falls below 90%."),
        (
            "The interval is extended when creatinine clearance is below 40 mL/min.",
            "Below a creatinine clearance of 40 mL/min the interval is extended.",
        ),
        (
            "Median time to conversion fell from 57 to 36 days.",
            "The median time to conversion fell to 36 days from 57.",
        ),
        (
            "No difference in mortality was found between the two regimens.",
            "Mortality was similar with both regimens.",
        ),
    ],
)
def test_the_same_in_other_words_passes(context, evidence, claim):
    assert not codes(context, claim, evidence)


@pytest.mark.parametrize(
    ("evidence", "old", "new", "code"),
    [
        (REFERRAL, " when the oxygen saturation is below 90%", "", "limit_dropped"),
        (
            "The skin test is usually preferred in children under 5 years.",
            " in children",
            "",
            "population_dropped",
        ),
        (
            "Eruptions return with each course, often on the hands.",
            "often",
            "always",
            "strength_exchanged",
        ),
        (
            "Begin treatment within two weeks of the diagnosis, except in meningitis.",
            "except",
            "including",
            "limit_dropped",
        ),
        (
            "The contents of the capsule may be mixed with apple sauce.",
            "may be",
            "are",
            "modality_changed",
        ),
        (
            "Take it one hour before or two hours after a meal.",
            "after",
            "before",
            "order_exchanged",
        ),
    ],
)
def test_a_copy_that_differs_in_one_place_is_refused(context, evidence, old, new, code):
    assert old in evidence
    assert code in codes(context, evidence.replace(old, new), evidence)


def test_opposites_are_so_in_both_orders_and_by_their_beginnings():
    assert are_opposites("thick", "thin")
    assert are_opposites("thin", "thick")
    assert are_opposites("hyperthermia", "hypothermia")
    assert are_opposites("tachycardia", "bradycardia")
    assert not are_opposites("overall", "underlying")
    assert not are_opposites("thick", "thick")


def test_sisters_are_of_one_row_or_end_alike():
    assert are_sisters("monday", "friday")
    assert are_sisters("bronchoscopy", "gastroscopy")
    assert are_sisters("lymphadenitis", "pericarditis")
    assert not are_sisters("monday", "monday")
    assert not are_sisters("disease", "increase")


def test_words_that_only_end_so_are_of_no_sort():
    assert {sort_of(word) for word in opposed_terms().not_of_endings} == {""}
    assert sort_of("hepatitis") == "itis"


@pytest.mark.parametrize("row", [*opposed_terms().pairs, *opposed_terms().beginnings])
def test_a_pair_is_of_two_different_words(row):
    one, other = row.split()
    assert one != other
