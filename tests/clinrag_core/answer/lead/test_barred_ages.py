"""A label that bars the age of a child answers what its dose is. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.barred_ages import barred_by_age
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)
ASKED = "Dose of zolumycin for a 7-month-old?"
BAR = label("Zolumycin is not recommended in infants younger than 1 year.", group="warnings")


def barred(question: str, *statements: IndexedStatement) -> list[IndexedStatement]:
    found = barred_by_age(read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return [one.statement for one in found]


@pytest.mark.parametrize(
    ("question", "is_barred"),
    [
        (ASKED, True),
        ("Dose of zolumycin for a boy of 7 months, 8 kg?", True),
        ("Dose of zolumycin for a newborn?", True),
        ("Dose of zolumycin for a 5-year-old?", False),
        ("Dose of zolumycin for children?", False),
        ("Dose of zolumycin?", False),
        ("Dose of zolumycin for a man of 60?", False),
        ("Side effects of zolumycin in a 7-month-old?", False),
        ("Dose of velotrib for a 7-month-old?", False),
        ("Doses of zolumycin and velotrib for a 7-month-old?", False),
    ],
)
def test_a_label_bars_the_dose_of_a_child_of_the_age(question: str, *, is_barred: bool) -> None:
    assert barred(question, BAR) == ([BAR] if is_barred else [])


@pytest.mark.parametrize(
    "said",
    [
        "Zolumycin is contraindicated in children less than 2 years of age.",
        "Zolumycin is not approved for children below 12 months.",
        "Zolumycin should not be given to infants aged < 1 year.",
        "Zolumycin has not been used under 1 year.",
    ],
)
def test_an_age_is_barred_in_many_words(said: str) -> None:
    bar = label(said, group="contraindications")
    assert barred(ASKED, bar) == [bar]


@pytest.mark.parametrize(
    "said",
    [
        "Zolumycin is not recommended under 1 year of age following surgery.",
        "Zolumycin is not recommended under 1 year of age unless nothing else helps.",
        "Zolumycin is not recommended under 6 months of age.",
        "Zolumycin was not studied in infants younger than 1 year.",
        "Zolumycin is contraindicated in fits. Infants younger than 1 year: see below.",
        "Infants of 6 to 12 months may have tea; zolumycin is not used under 1 month of age.",
    ],
    ids=["narrowed", "with-an-exception", "another-age", "no-bar", "two-sentences", "two-ages"],
)
def test_what_does_not_bar_all_of_an_age_is_no_bar(said: str) -> None:
    assert barred(ASKED, label(said, group="warnings")) == []


@pytest.mark.parametrize(
    ("said", "group", "is_barred"),
    [
        ("Infants aged 6 to 12 months: 5 mg once daily.", "dosage", False),
        ("Children aged 2 to 12 years: 5 mg once daily.", "dosage", True),
        ("Children: 5 mg once daily.", "dosage", True),
        ("Infants aged 6 to 12 months: 5 mg once daily.", "clinical_studies", True),
        ("Infants aged 6 to 12 months on 5 mg once daily had fits.", "warnings", True),
    ],
    ids=["of-the-age", "of-another-age", "of-any-child", "of-a-study", "of-a-warning"],
)
def test_a_dose_of_the_label_for_the_age_lifts_the_bar(
    said: str, group: str, *, is_barred: bool
) -> None:
    dose = label(said, group=group)
    for statements in ((BAR, dose), (dose, BAR)):
        assert barred(ASKED, *statements) == ([BAR] if is_barred else [])


def test_other_sections_and_other_products_bar_nothing() -> None:
    seen = label(BAR.said, group="adverse_reactions")
    both = label(BAR.said, "rifampin", "zolumycin", group="warnings")
    assert barred(ASKED, seen, both) == []


def test_one_bar_is_enough() -> None:
    again = label(BAR.said, group="contraindications")
    assert barred(ASKED, BAR, again) == [BAR]


def test_a_label_of_two_drugs_bars_no_dose_of_one_that_has_no_label_of_its_own() -> None:
    said = "It is not recommended in infants younger than 1 year."
    both = label(said, "velotrib", "ethambutol", group="warnings")
    assert barred("Dose of ethambutol for a 7-month-old?", both) == []
    own = label(said, "ethambutol", group="warnings")
    assert barred("Dose of ethambutol for a 7-month-old?", own) == [own]
