"""What a guideline prefers of two drugs begins the answer to a comparison; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.select.comparisons import preferences, says_outdated
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
OLD = statement("Zolumycin is preferred to velotrib.", year=2001)
NEW = statement("Velotrib is preferred to zolumycin.", year=2025)
BY_CLASS = statement("Rifamycins are preferred, rather than isoniazid, for latent tuberculosis.")


def found(question: str, *statements) -> list:
    return [one.statement for one in preferences(question, sources_of(statements, DRUGS))]


def test_the_newest_preference_of_two_drugs_comes_first():
    assert found("Is zolumycin better than velotrib?", OLD, NEW) == [NEW, OLD]


@pytest.mark.parametrize(
    "question",
    [
        "Is zolumycin good?",
        "zolumycin dose versus velotrib dose",
        "Is zolumycin better than isoniazid?",
    ],
    ids=["nothing-compared", "doses", "other-side"],
)
def test_a_preference_answers_no_other_question(question: str):
    assert found(question, OLD, NEW) == []


def test_a_side_may_be_named_by_a_class_that_the_other_is_not_of():
    assert found("Is rifampin better than isoniazid in latent TB?", BY_CLASS) == [BY_CLASS]
    assert found("4R or 3HP: which one is better?", BY_CLASS) == []


def test_a_class_of_one_of_its_drugs_names_no_regimen():
    of_both = "Is rifampin + pyrazinamide better than isoniazid in latent TB?"
    assert found(of_both, BY_CLASS) == []
    with_both = statement("Rifamycins with pyrazinamide are an alternative to isoniazid.")
    assert found(of_both, with_both) == [with_both]


def test_what_is_preferred_for_others_is_no_answer():
    for_children = statement("In children zolumycin is preferred to velotrib.")
    assert found("Is zolumycin better than velotrib in a man of 70 years?", for_children) == []
    for_gout = statement("In pneumonia zolumycin is preferred to velotrib.")
    assert found("Is zolumycin better than velotrib in tuberculosis?", for_gout) == []


def test_a_choice_may_be_asked_for_without_a_word_for_it():
    assert found("Zolumycin or velotrib with rifampin?", NEW) == [NEW]
    assert found("Which is better with rifampin, zolumycin or velotrib?", NEW) == [NEW]
    assert found("Can zolumycin or velotrib cause a rash?", NEW) == []


def test_what_names_both_comes_before_the_choice_of_a_class():
    of_class = statement("Rifampin is the rifamycin of choice.")
    of_both = statement("Rifampin is preferred to rifapentine.")
    assert found("Rifampin or rifapentine?", of_class, of_both) == [of_both, of_class]


def test_a_label_prefers_nothing():
    assert found("Is zolumycin better than velotrib?", label(OLD.said)) == []


def test_an_older_preference_is_not_shown_with_a_newer_one():
    both = preferences("Is zolumycin better than velotrib?", sources_of([OLD, NEW], DRUGS))
    assert says_outdated(f"{OLD.said} It is cheap.", both)
    assert not says_outdated(NEW.said, both)
    assert not says_outdated(OLD.said, both[1:])


def test_the_other_names_of_a_drug_are_looked_up():
    short = statement("INH is the preferred alternative to rifampin.")
    assert found("Is rifampin better than isoniazid?", short) == [short]


def test_the_choice_from_a_class_of_both_prefers_one_of_them():
    choice = statement("Levofloxacin is the fluoroquinolone of first choice in tuberculosis.")
    asked = "Is levofloxacin or moxifloxacin preferred for tuberculosis?"
    assert found(asked, choice) == [choice]
    assert found("Is levofloxacin or zolumycin preferred for tuberculosis?", choice) == []
