"""What a term means and how many of a thing there are come first; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
NEARER = "The meaning of the word was agreed on by the experts, who counted two votes."


def first(question: str, *texts: str) -> str:
    section = [statement(text) for text in texts]
    found = [RankedStatement(one, "guideline", 2.0 - n, 2.0 - n) for n, one in enumerate(section)]
    slots, sources = read_slots(question, DRUGS), sources_of(section, DRUGS)
    return most_exact_first(found, slots, sources)[0].statement.said


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("what is treatment failure", "c) Treatment failed: The smear stays positive."),
        ("what counts as cured TB", "a) Cure: A patient whose last two smears were negative."),
        ("Lost to follow up definition", "e) Lost to follow-up A patient who stays away."),
        ("definition XDR", "XDR-TB: strains that resist more than MDR-TB."),
        ("What's a household contact?", "Household contact: who shares a roof with the patient."),
        ("What counts as severe disease in an adult?", "Severe TB: it has reached the brain."),
        ("when do we call TB disease extensive?", "Extensive (or far) TB disease: on both sides."),
        (
            "definition of lost to follow up for TB",
            "e) Lost to follow-up A patient who stays away.",
        ),
        (
            "What counts as extensive TB disease per the manual?",
            "Extensive TB disease is defined here as cavities on both sides.",
        ),
        ("when do we call a tb pt lost to follow up", "e) Lost to follow-up: who stays away."),
        (
            "After how long does Ruritania call a TB patient lost to follow-up?",
            "e) Lost to follow-up A TB patient who stays away for 2 months.",
        ),
    ],
)
def test_what_opens_with_a_term_in_any_form_of_it_defines_it(question: str, exact: str):
    assert first(question, NEARER, exact) == exact


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("what is treatment failure", "Treatment success: The smear is negative at the end."),
        ("what is treatment failure", "Treatment failed in many of those who came late."),
        ("what is presumptive TB", "All presumptive TB patients are seen again."),
        ("When does treatment fail, and why?", "c) Treatment failed: The smear stays positive."),
    ],
    ids=["another-term", "no-meaning", "of-all", "no-definition-asked"],
)
def test_what_defines_another_term_or_nothing_does_not_come_first(question: str, other: str):
    assert first(question, NEARER, other) == NEARER


def test_the_number_of_what_is_counted_comes_first():
    exact = "At least three sputum specimens are sent."
    assert first("How many sputum samples are needed?", "Sputum is sent early.", exact) == exact
    assert first("How many sputum samples are needed?", NEARER, "Three doctors came.") == NEARER


def test_a_time_is_no_number_of_things():
    other = "Six more months are given to contacts."
    assert first("How many more months of treatment?", NEARER, other) == NEARER


def test_a_difference_in_figures_comes_first_where_it_is_asked():
    exact = "Monthly culture was more sensitive for failure than monthly smear (0.9 versus 0.5)."
    other = "Culture takes more than 2 weeks, and a monthly smear finds failure."
    asked = "Does monthly culture find failure better than a monthly smear, by how much?"
    assert first(asked, NEARER, exact) == exact
    assert first(asked, NEARER, other) == NEARER
    assert first("Which monthly smear for failure is preferred?", NEARER, exact) == NEARER
