"""The checks before a drug is started are gathered from its label. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.checks_before import MOST, checks_before
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
PREGNANT = label(
    "Women who may conceive should have a pregnancy test prior to administration of zolumycin.",
    group="boxed_warning",
)
KIDNEYS = label("Measure creatinine before initiating zolumycin.", group="warnings")
ECG = label("Obtain an ECG at baseline.", group="dosage")
VIAL = label("Inspect vials prior to administration.", group="dosage")
BABY = label("The infant should be tested before breastfeeding begins.", group="warnings")
RETURNED = label("Counts returned to baseline levels in a month.", group="warnings")
LATER = label("Monitor the liver every month.", group="warnings")
EVERY = [KIDNEYS, PREGNANT, VIAL, BABY, RETURNED, LATER, ECG]


def found(question: str, *statements) -> list[str]:
    sources = sources_of(list(statements or EVERY), DRUGS)
    return [one.statement.said for one in checks_before(read_slots(question, DRUGS), sources)]


@pytest.mark.parametrize(
    "question",
    [
        "What do I check before starting zolumycin?",
        "28F for zolumycin: what needs checking before the first dose?",
        "Baseline bloods for zolumycin?",
        "34M: what has to be tested first with zolumycin?",
        "Zolumycin: which blood test do I need before and how often after?",
    ],
)
def test_the_checks_before_a_drug_are_shown_together(question: str) -> None:
    assert found(question) == [one.said for one in (ECG, PREGNANT, KIDNEYS)]


@pytest.mark.parametrize(
    "question",
    [
        "What is the dose of zolumycin?",
        "What do I check during zolumycin?",
        "What do I check before starting zolumycin with rifampin?",
    ],
)
def test_nothing_leads_where_no_checks_before_it_are_asked(question: str) -> None:
    assert found(question) == []


def test_no_more_is_shown_than_an_answer_has_room_for() -> None:
    checks = (
        "Measure creatinine and urea",
        "Obtain an audiogram of both sides",
        "Test hepatitis serology",
        "Assess visual acuity and fields",
        "Screen a chest radiograph",
        "Check potassium or calcium",
        "Evaluate mood with questionnaires",
        "Determine genotype by laboratory",
    )
    many = [label(f"{one} before initiating it.", group="warnings") for one in checks]
    assert len(found("What do I check before starting zolumycin?", *many)) == MOST
