"""How a drug goes with a mineral is said of everybody. Invented texts."""

from __future__ import annotations

import pytest
from fakes.gate_checks import check_fit, check_misfit, check_qualifier
from fakes.statements import LABELS, label

from clinrag_core.answer.fit.pairs import is_on_supplement
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
ASKED = "Can a pregnant woman take zolumycin with iron?"
IRON = "Iron lowers the absorption of zolumycin: take it 2 hours before."


@pytest.mark.parametrize("who", ["a pregnant woman", "a child", "a woman who breastfeeds"])
def test_how_a_drug_goes_with_a_mineral_holds_for_whoever_asks(who: str) -> None:
    question = ASKED.replace("a pregnant woman", who)
    check_fit(question, label(IRON, group="interactions"), DRUGS)
    check_qualifier(question, label(IRON, group="dosage"), DRUGS)


def test_another_mineral_says_nothing_for_a_pregnant_woman() -> None:
    other = label(IRON.replace("Iron", "Zinc"), group="interactions")
    check_misfit(ASKED, other, "partner", DRUGS)


def test_what_is_said_of_other_people_does_not_hold() -> None:
    adults = label(f"In adults {IRON.lower()}", group="interactions")
    check_misfit("Can a child take zolumycin with iron?", adults, "people", DRUGS)


def test_a_dose_for_a_pregnant_woman_is_not_answered_by_a_mineral() -> None:
    check_qualifier(
        "Dose of zolumycin for a pregnant woman on iron?", label(IRON, group="interactions"), DRUGS
    )


@pytest.mark.parametrize(
    ("question", "ingredient", "group", "expected"),
    [
        (ASKED, "zolumycin", "interactions", True),
        (ASKED, "velotrib", "interactions", False),
        (ASKED, "zolumycin", "warnings", False),
        (ASKED.replace("iron", "milk"), "zolumycin", "interactions", False),
        (ASKED.replace("zolumycin", "tea"), "zolumycin", "interactions", False),
    ],
)
def test_a_mineral_is_named_by_the_label_of_the_drug_in_its_interactions(
    question: str, ingredient: str, group: str, *, expected: bool
) -> None:
    own = statement_slots(label(IRON, ingredient, group=group), DRUGS)
    assert is_on_supplement(read_slots(question, DRUGS), own) is expected


def test_what_is_said_of_one_mineral_does_not_hold_for_another() -> None:
    with_iron = label("With food zolumycin and iron may be taken at once.", group="interactions")
    with_cations = label("Zolumycin is taken 2 hours before magnesium.", group="interactions")
    asked = "Zolumycin and antacids together?"
    check_misfit(asked, with_iron, "partner", DRUGS)
    check_fit(asked, with_cations, DRUGS)
    check_fit("Zolumycin with iron?", with_iron, DRUGS)
