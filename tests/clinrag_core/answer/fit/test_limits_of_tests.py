"""What a negative test does not show; invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.fit.limits_of_tests import limits_test
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
LIMIT = "Negative NAA results never exclude tuberculosis."


@pytest.mark.parametrize(
    ("question", "said", "limits"),
    [
        ("Cough, MTD (NAA) negative twice. Can I say TB is excluded?", LIMIT, True),
        ("Xpert was negative in a man with fever. TB ruled out?", LIMIT, True),
        ("Xpert was negative. Can TB be excluded?", "NAA is done on all specimens.", False),
        ("Xpert was positive. Is another infection excluded?", LIMIT, False),
        ("Xpert was negative. Which sputum is sent next?", LIMIT, False),
    ],
)
def test_a_negative_test_that_excludes_nothing_answers_whether_it_does(question, said, limits):
    assert limits_test(read_slots(question, DRUGS), said) is limits


@pytest.mark.parametrize(
    ("question", "stage"),
    [
        ("Three smears negative. Can I say TB is excluded?", set()),
        ("Is TB ruled out?", set()),
        ("A boy of 4, TB is excluded: what does he get?", {"latent"}),
    ],
)
def test_a_disease_whose_exclusion_is_asked_is_not_excluded(question, stage):
    assert read_slots(question, DRUGS).facet("stage") & {"latent"} == stage


@pytest.mark.parametrize(
    ("question", "said", "limits"),
    [
        ("Can PCR show that TB is cured?", "PCR can remain positive after treatment.", True),
        ("TST after treatment for latent TB?", "The TST stays positive for years.", True),
        ("TST after treatment for latent TB?", "PCR can remain positive after treatment.", False),
        ("Can PCR show TB in a child?", "PCR can remain positive after treatment.", False),
        ("Can PCR show that TB is cured?", "PCR was positive in most children.", False),
    ],
)
def test_a_test_that_stays_positive_answers_whether_it_shows_a_cure(question, said, limits):
    assert limits_test(read_slots(question, DRUGS), said) is limits


@pytest.mark.parametrize(
    ("question", "limits"),
    [
        ("Xpert follows the response to treatment, so when is it repeated?", True),
        ("Is Xpert done before treatment?", False),
        ("Smears follow the response to treatment, so when are they repeated?", False),
    ],
)
def test_a_molecular_test_that_follows_no_treatment_answers_when_it_is_repeated(question, limits):
    said = "GeneXpert is not suitable for monitoring."
    assert limits_test(read_slots(question, DRUGS), said) is limits


def test_whether_two_tests_are_both_done_is_not_answered_by_what_neither_shows():
    said = "Neither the tuberculin skin test nor IGRAs have value for diagnosing active TB."
    either, both = "Is a TST or an IGRA test best?", "Should both a TST and an IGRA test be done?"
    assert [limits_test(read_slots(one, DRUGS), said) for one in (either, both)] == [True, False]
