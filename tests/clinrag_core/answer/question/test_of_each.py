"""Two drugs against tuberculosis for a mother are asked about one by one. Invented questions."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.of_each import asks_of_each
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.reader import read_facts

DRUGS = DrugLexicon(LABELS)
ISONIAZID, ETHAMBUTOL = frozenset({"isoniazid"}), frozenset({"ethambutol"})


@pytest.mark.parametrize(
    "question",
    [
        "Start isoniazid + ethambutol, 12 weeks pregnant?",
        "Isoniazid and ethambutol for a pregnant woman?",
        "Isoniazid & ethambutol, she breastfeeds. Fine?",
        "Isoniazid with ethambutol, 20 weeks pregnant. Safe?",
    ],
)
def test_two_drugs_for_a_mother_are_asked_about_one_by_one(question: str) -> None:
    slots = read_slots(question, DRUGS)
    assert slots.drugs == (ISONIAZID, ETHAMBUTOL)
    assert (slots.partners, slots.regimens) == ((), ())


@pytest.mark.parametrize(
    ("question", "of_each"),
    [
        ("Isoniazid + ethambutol, 12 weeks pregnant?", True),
        ("Isoniazid + ethambutol for a man of 50?", False),
        ("Do isoniazid and ethambutol interact? She is pregnant.", False),
        ("Isoniazid and zolumycin, 12 weeks pregnant?", False),
        ("Isoniazid, then ethambutol, 12 weeks pregnant?", False),
        ("Isoniazid, 12 weeks pregnant?", False),
        ("On zolumycin and velotrib, platelets 20. Stop or continue?", True),
        ("On zolumycin and velotrib, platelets 20. Is it normal?", False),
        ("Zolumycin and velotrib, platelets 20. Stop or continue?", False),
        ("On zolumycin and velotrib, platelets 20. Stop or continue velotrib?", False),
    ],
)
def test_each_is_asked_about_for_a_mother_or_where_it_is_asked_to_go_on(
    question: str, *, of_each: bool
) -> None:
    assert asks_of_each(read_facts(question, DRUGS)) is of_each


def test_two_drugs_for_anybody_else_are_a_regimen() -> None:
    slots = read_slots("Isoniazid + ethambutol for a man of 50?", DRUGS)
    assert slots.drugs == ()
    assert [drugs for _, drugs in slots.regimens] == [ISONIAZID | ETHAMBUTOL]
