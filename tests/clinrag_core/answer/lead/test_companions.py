"""Warnings that are shown whatever the ranking says, and what is said where nothing fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.pairs import answers_pair
from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.fit.unmet import unmet
from clinrag_core.answer.lead.companions import (
    forbidding_warnings,
    forbids_them,
    of_no_change,
    safety_companions,
    warns_them,
    without_rules_of_classes,
)
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

if TYPE_CHECKING:
    from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


CONTRAINDICATED = label("Zolumycin is contraindicated with rifampin.", group="contraindications")
BY_CLASS = label("Strong inducers are contraindicated.", group="contraindications")
BOXED = label("Pregnancy: zolumycin may harm the fetus.", group="boxed_warning")
NOT_FOR_CHILDREN = label("Not recommended in children under 12 years.", group="warnings")
OF_OTHER = label(
    "Velotrib is contraindicated with rifampin.", "velotrib", group="contraindications"
)
RATES = label(
    "Rates by age are 0 per 1,000 under 20 years, 3 per 1,000 under 40, 9 per 1,000 over 65 years.",
    group="boxed_warning",
)
HARMLESS = label("Rifampin may be taken at another hour.", group="interactions")
LACTATION = label(
    "Mothers should not breastfeed their infants.",
    group="contraindications",
    headings=("Lactation",),
)
EVERY = [RATES, LACTATION, HARMLESS, OF_OTHER, NOT_FOR_CHILDREN, BOXED, BY_CLASS, CONTRAINDICATED]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("zolumycin dose with rifampin", [CONTRAINDICATED, BY_CLASS]),
        ("rifampin with zolumycin", [CONTRAINDICATED, BY_CLASS]),
        ("velotrib with rifampin", [OF_OTHER]),
        ("zolumycin dose in pregnancy", [BOXED]),
        ("zolumycin dose for a 6-year-old", [NOT_FOR_CHILDREN]),
        ("zolumycin dose for a 14-year-old", []),
        ("zolumycin dose", []),
        ("velotrib in pregnancy", []),
    ],
)
def test_the_warnings_of_the_pair_or_people_asked_are_chosen(
    question: str, expected: list[IndexedStatement], drugs: DrugLexicon
) -> None:
    assert list(safety_companions(read_slots(question, drugs), EVERY, drugs)) == expected


CHILDREN = label("Contraindicated in children of 1 to 11 years.", group="contraindications")


@pytest.mark.parametrize(
    ("question", "warning", "warns", "forbids"),
    [
        ("zolumycin dose with rifampin", CONTRAINDICATED, True, True),
        ("zolumycin dose with rifampin", BY_CLASS, False, False),
        ("velotrib dose with rifampin", CONTRAINDICATED, False, False),
        ("zolumycin dose in pregnancy", BOXED, True, False),
        ("zolumycin dose for a 6-year-old", CHILDREN, True, True),
        ("zolumycin dose for a 14-year-old", CHILDREN, False, False),
        ("zolumycin dose for a 6-year-old", NOT_FOR_CHILDREN, False, False),
    ],
)
def test_a_warning_that_names_the_very_people_or_pair_is_known(
    question: str, warning: IndexedStatement, warns: bool, forbids: bool, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert warns_them(slots, warning, drugs) == warns
    assert forbids_them(slots, warning, drugs) == forbids


@pytest.mark.parametrize(
    ("question", "forbids"),
    [
        ("3-year-old living with somebody with MDR-TB, should we give zolumycin?", True),
        ("3-year-old living with somebody with TB, should we give zolumycin?", False),
        ("Which dose of zolumycin for a contact of MDR-TB?", True),
    ],
)
def test_what_a_guideline_forbids_for_the_strains_comes_first_where_permission_is_asked(
    question: str, forbids: bool, drugs: DrugLexicon
) -> None:
    advice = statement("Contacts of patients with MDR-TB should not receive zolumycin.")
    assert forbids_them(read_slots(question, drugs), advice, drugs) == forbids


def test_an_allergy_to_the_parts_of_a_product_forbids_no_pair(drugs: DrugLexicon) -> None:
    product = label(
        "Contraindicated after hypersensitivity to zolumycin or rifampin.",
        "zolumycin",
        "rifampin",
        group="contraindications",
    )
    slots = read_slots("Zolumycin with rifampin: which blood tests?", drugs)
    assert not forbids_them(slots, product, drugs)
    assert forbids_them(slots, CONTRAINDICATED, drugs)
    assert safety_companions(slots, [product, CONTRAINDICATED], drugs) == (CONTRAINDICATED,)


def test_a_dose_for_contacts_of_resistant_disease_is_forbidden_where_they_get_none(
    drugs: DrugLexicon,
) -> None:
    advice = statement("Contacts of patients with MDR-TB should not receive zolumycin.")
    for question, forbids in (
        ("Dose of zolumycin for household contacts of MDR-TB", True),
        ("Dose of zolumycin for MDR-TB", False),
        ("Dose of zolumycin for household contacts of TB", False),
    ):
        assert forbids_them(read_slots(question, drugs), advice, drugs) is forbids


def test_the_label_of_either_drug_of_a_pair_forbids_it(drugs: DrugLexicon) -> None:
    slots = read_slots("Patient on zolumycin needs rifampin, how to time it?", drugs)
    assert slots.drugs == (frozenset({"rifampin"}),)
    assert forbids_them(slots, CONTRAINDICATED, drugs)
    assert not forbids_them(slots, BY_CLASS, drugs)


@pytest.mark.parametrize(
    ("of_pair", "shown"),
    [
        ("No dose adjustment is necessary with velotrib.", [0, 2]),
        ("Velotrib raises the levels of zolumycin.", [0, 1, 2]),
    ],
)
def test_what_a_label_says_of_the_very_pair_comes_before_its_rules_of_classes(
    of_pair: str, shown: list[int], drugs: DrugLexicon
) -> None:
    """Halving the dose with a drug that needs no change treats too little."""
    every = [
        label(of_pair, group="interactions"),
        label("Halve the dose when given with strong inhibitors.", group="interactions"),
        label("The usual dose of zolumycin is 300 mg once daily.", group="dosage"),
    ]
    slots = read_slots("Patient on zolumycin needs velotrib. Reduce the dose?", drugs)
    ranked = [RankedStatement(one, "labels", 1.0, 0.5) for one in every]
    kept = without_rules_of_classes(slots, ranked, drugs)
    assert kept == [ranked[n] for n in shown]


def test_what_forbids_a_pair_is_not_overruled_by_an_unchanged_dose(drugs: DrugLexicon) -> None:
    unchanged = label("No dose adjustment is necessary with velotrib.", group="interactions")
    forbidding = label("Velotrib must not be given with zolumycin.", group="interactions")
    slots = read_slots("Patient on zolumycin needs velotrib. Reduce the dose?", drugs)
    both = [RankedStatement(one, "labels", 1.0, 0.5) for one in (unchanged, forbidding)]
    assert of_no_change(slots, both[:1], drugs) == both[:1]
    assert of_no_change(slots, both, drugs) == []


@pytest.mark.parametrize(
    ("question", "warning", "answers"),
    [
        ("May zolumycin be taken with rifampin?", CONTRAINDICATED, True),
        ("Dose of zolumycin with rifampin?", CONTRAINDICATED, False),
        ("May zolumycin be taken with velotrib?", CONTRAINDICATED, False),
        ("May zolumycin be taken with rifampin?", BY_CLASS, False),
        ("May zolumycin be taken?", CONTRAINDICATED, False),
    ],
)
def test_a_warning_that_names_both_drugs_answers_on_the_pair_but_gives_no_dose(
    question: str, warning: IndexedStatement, answers: bool, drugs: DrugLexicon
) -> None:
    ranked = [RankedStatement(warning, "labels", 1.0, 0.5)]
    assert answers_pair(read_slots(question, drugs), ranked, drugs) is answers


@pytest.mark.parametrize(
    ("question", "statement", "fits"),
    [
        ("Clerk, 40, on velotrib. Zolumycin from today, any interaction?", HARMLESS, False),
        ("Clerk, 40, on rifampin. Zolumycin from today, any interaction?", HARMLESS, True),
        ("Clerk, 40, on rifampin. Zolumycin from today, how often?", NOT_FOR_CHILDREN, True),
        ("Clerk, 40, on rifampin and velotrib. Zolumycin now, any interaction?", HARMLESS, True),
    ],
)
def test_a_statement_on_neither_partner_of_a_patient_says_nothing_of_the_interaction(
    question: str, statement: IndexedStatement, fits: bool, drugs: DrugLexicon
) -> None:
    found = misfits(read_slots(question, drugs), statement, drugs)
    assert ("partner" not in {one.slot for one in found}) is fits


def test_an_interaction_warns_in_a_pair_only(drugs: DrugLexicon) -> None:
    row = label("Children: avoid velotrib with zolumycin.", group="interactions")
    assert safety_companions(read_slots("zolumycin in children", drugs), [row], drugs) == ()
    pair = read_slots("zolumycin with velotrib in children", drugs)
    assert safety_companions(pair, [row], drugs) == (row,)


def test_a_boxed_warning_by_effect_comes_before_a_text_that_names_both(drugs: DrugLexicon) -> None:
    boxed = label("Drugs that prolong the QT interval add to its effect.", group="boxed_warning")
    text = statement("Do not use zolumycin if moxifloxacin is at hand.")
    slots = read_slots("zolumycin with moxifloxacin", drugs)
    assert safety_companions(slots, [text, boxed], drugs) == (boxed, text)


def test_what_is_never_quoted_is_no_warning(drugs: DrugLexicon) -> None:
    unsure = BOXED.model_copy(update={"id": "unsure-row-of-a-table", "unfit": ("unsure_binding",)})
    assert safety_companions(read_slots("zolumycin in pregnancy", drugs), [unsure], drugs) == ()


@pytest.mark.parametrize(
    ("question", "statements", "expected"),
    [
        (
            "zolumycin dose with CrCl 25 mL/min",
            [label("300 mg daily."), label("Creatinine clearance above 50 mL/min: 300 mg daily.")],
            "No dose of zolumycin for creatinine clearance 25 mL/min in these sources; "
            "they have it for creatinine clearance more than 50 mL/min.",
        ),
        (
            "zolumycin dose with CrCl 25 mL/min",
            [label("300 mg daily.")],
            "No dose of zolumycin for creatinine clearance 25 mL/min in these sources; "
            "they have it for people in general only.",
        ),
        (
            "zolumycin dose with CrCl 25 mL/min",
            [label("CrCl 30 to 50 mL/min: 150 mg daily.")],
            "No dose of zolumycin for creatinine clearance 25 mL/min in these sources; "
            "they have it for creatinine clearance 30 to 50 mL/min.",
        ),
        (
            "zolumycin dose for a 3-month-old",
            [label("Children 2 years and older: 10 mg/kg daily.")],
            "No dose of zolumycin for 3 months in these sources; "
            "they have it for 2 years and more.",
        ),
        (
            "intrathecal zolumycin dose",
            [label("300 mg intravenously.")],
            "No dose of zolumycin by the intrathecal route in these sources; "
            "they have the intravenous route.",
        ),
        (
            "dose of rifampin",
            [label("Take two tablets daily.", "rifampin", "zolumycin")],
            "No dose of rifampin in these sources; "
            "they have the combination rifampin and zolumycin.",
        ),
        (
            "velotrib with rifampin",
            [label("Take 50 mg daily.", "velotrib")],
            "No statement on the interaction of velotrib with rifampin in these sources; "
            "they do not name the two together.",
        ),
        (
            "velotrib dose for a 22 kg child on rifampin",
            [
                label("Take 50 mg daily.", "velotrib"),
                label("With rifampin, 50 kg or more: 80 mg daily.", "velotrib"),
            ],
            "No dose of velotrib for 22 kg in these sources; they have it for 50 kg and more.",
        ),
        (
            "dose of zolumycin",
            [statement("Give velotrib.")],
            "No dose of zolumycin in these sources.",
        ),
        (
            "dose of zolumycin",
            [label("Nausea is common.")],
            "No dose of zolumycin in these sources.",
        ),
        ("dose of zolumycin", [label("300 mg daily."), label("Nausea.")], ""),
        (
            "zolumycin dose for pneumonia",
            [
                label(
                    "Zolumycin 300 mg may cause Clostridioides difficile colitis.", group="warnings"
                )
            ],
            "No dose of zolumycin for pneumonia in these sources; they do not say it.",
        ),
        (
            "zolumycin dose for dogs",
            [label("300 mg daily.")],
            "No dose of zolumycin for dogs in these sources; they have it for people.",
        ),
        (
            "dose of zolumycin",
            [label("200 mg in a study.", group="clinical_studies")],
            "No recommended dose of zolumycin in these sources; "
            "their figures are about clinical studies.",
        ),
    ],
)
def test_what_nothing_meets_is_said_with_what_there_is(
    question: str, statements: list[IndexedStatement], expected: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert unmet(slots, [misfits(slots, one, drugs) for one in statements]) == expected


def test_a_regimen_by_its_letters_does_not_warn_of_one_of_its_drugs(drugs: DrugLexicon) -> None:
    other = statement("The 3HP regimen is not recommended for pregnant women.")
    of_drug = statement("Isoniazid is not recommended for pregnant women with hepatitis.")
    slots = read_slots("Isoniazid in a pregnant woman", drugs)
    assert safety_companions(slots, [other, of_drug], drugs) == (of_drug,)
    assert safety_companions(read_slots("3HP in a pregnant woman", drugs), [other], drugs) == (
        other,
    )


def test_a_label_that_advises_against_a_pair_leads_where_nothing_else_speaks_of_it(
    drugs: DrugLexicon,
) -> None:
    avoid = RankedStatement(
        label("Avoid rifampin during treatment with zolumycin.", group="warnings"), "label", 1.0, 0
    )
    included = RankedStatement(statement("Zolumycin should be included."), "guideline", 2.0, 0)
    dose = RankedStatement(label("With rifampin zolumycin is 200 mg.", group="dosage"), "l", 2.0, 0)
    slots = read_slots("Patient on rifampin starting zolumycin. Can she have both?", drugs)
    assert forbidding_warnings(slots, [avoid], [included], drugs) == [avoid]
    assert forbidding_warnings(slots, [avoid], [dose], drugs) == []


def test_advice_forbids_only_to_those_whom_its_sentence_names(drugs: DrugLexicon) -> None:
    of_others = statement("Zolumycin protects infants. Contacts of MDR-TB should not receive it.")
    of_them = statement("Zolumycin protects adults. Infants should not receive it.")
    slots = read_slots("Infant of 8 months, well. Start zolumycin?", drugs)
    assert not forbids_them(slots, of_others, drugs)
    assert forbids_them(slots, of_them, drugs)


def test_a_child_of_a_weight_is_no_newborn(drugs: DrugLexicon) -> None:
    newborns = RankedStatement(
        label("Contraindicated in neonates under one month of age.", group="contraindications"),
        "label", 1.0, 0,
    )  # fmt: skip
    of_weight = read_slots("Zolumycin 3 mL for a 12 kg child, 2 years old, ok?", drugs)
    of_any = read_slots("Can a newborn of 3 kg have zolumycin 3 mL?", drugs)
    assert forbidding_warnings(of_weight, [newborns], [], drugs) == []
    assert forbidding_warnings(of_any, [newborns], [], drugs) == [newborns]


def test_where_contraindications_are_found_is_no_warning(drugs: DrugLexicon) -> None:
    refers = label(
        "For information about contraindications of rifampin refer to its label.",
        group="contraindications",
    )
    slots = read_slots("Zolumycin with rifampin, dose?", drugs)
    assert safety_companions(slots, [refers, CONTRAINDICATED], drugs) == (CONTRAINDICATED,)
