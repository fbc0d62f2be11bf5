"""What is asked of a drug together with its dose is shown with it. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.complete.other_matters import of_other_matters
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)
DOSE = label("Zolumycin 300 mg once daily.", group="dosage")
FOOD = label("Take zolumycin two hours before a meal.", group="dosage")
OTHER = label("Take velotrib with food.", "velotrib", group="dosage")
CHECKS = label(
    "Check the blood count monthly during zolumycin.", group="warnings", aspects=("monitoring",)
)


def added(question: str, *section: IndexedStatement) -> list[str]:
    first, *rest = (RankedStatement(one, "labels", 2.0 - n, 0.5) for n, one in enumerate(section))
    slots, sources = read_slots(question, DRUGS), sources_of(list(section), DRUGS)
    found = of_other_matters(slots, [first], rest, sources)
    assert all(one.score == first.score for one in found)
    return [one.statement.said for one in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Zolumycin dose, before or after food?", [FOOD.said]),
        ("Zolumycin dose and monitoring?", [CHECKS.said]),
        ("Zolumycin dose?", []),
        ("Is zolumycin taken before or after food?", []),
    ],
)
def test_another_matter_is_shown_with_the_dose(question: str, expected: list[str]) -> None:
    assert added(question, DOSE, OTHER, FOOD, CHECKS) == expected


def test_what_the_first_statement_says_already_is_not_added() -> None:
    whole = label("Zolumycin 300 mg once daily, two hours before a meal.", group="dosage")
    assert added("Zolumycin dose, before or after food?", whole, FOOD) == []


def test_how_long_is_said_for_all_in_the_same_section() -> None:
    """An age in weeks is no length of a course, nor is a dose a day."""
    dose = label("Children: 5 mg/kg of zolumycin every 24 hours.", group="dosage")
    other = label("Children over 6 weeks: with water.", group="dosage", aspects=("duration",))
    course = label("Treatment goes on for 10 days.", group="dosage", aspects=("duration",))
    study = course.model_copy(update={"document_id": "another", "id": "another"})
    asked = "Zolumycin for a 3 year old: dose and duration?"
    assert added(asked, dose, other, study, course) == [course.said]
    assert added(asked, dose, other, study) == []


@pytest.mark.parametrize("asked", ["Zolumycin dose, food?", "Zolumycin dose and what food?"])
def test_food_is_asked_about_in_a_word(asked: str) -> None:
    assert added(asked, DOSE, FOOD) == [FOOD.said]
