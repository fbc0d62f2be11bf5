"""A label of an inhaled or topical product says so where no route is asked for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.local_products import of_local_product
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
KIDNEYS = label("No dose is changed in renal impairment.", routes=("inhaled",))


def test_what_a_product_is_for_is_said():
    question = "Zolumycin dose with CrCl 30?"
    slots = read_slots(question, DRUGS)
    assert "is for inhalation only" in of_local_product(slots, [KIDNEYS], DRUGS, question)


def test_a_route_that_another_part_of_the_question_names_is_named():
    question = "Inhaled zolumycin, one vial or two? On zolumycin, also on velotrib with CrCl 30?"
    slots = read_slots("On zolumycin, also on velotrib with CrCl 30?", DRUGS)
    assert of_local_product(slots, [KIDNEYS], DRUGS, question) == ""


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Inhaled zolumycin dose with CrCl 30?", KIDNEYS),
        ("Zolumycin foam with CrCl 30?", KIDNEYS),
        ("Zolumycin inhal. with CrCl 30?", KIDNEYS),
        ("Zolumax dose with CrCl 30?", KIDNEYS),
        ("Velotrib dose with CrCl 30?", KIDNEYS),
        ("Zolumycin dose?", label("Inhale 300 mg; inhaled twice daily.", routes=("inhaled",))),
        ("Zolumycin dose?", label("300 mg twice daily.", routes=("oral",))),
        ("Zolumycin dose?", label("300 mg twice daily.", routes=("inhaled", "oral"))),
        ("Zolumycin dose?", label("300 mg twice daily.")),
    ],
)
def test_nothing_is_said_where_that_is_plain_or_no_matter(question, statement):
    assert of_local_product(read_slots(question, DRUGS), [statement], DRUGS, question) == ""
