"""A label of an inhaled or topical product says so where no route is asked for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.local_products import guideline_before_local, of_local_product
from clinrag_core.answer.sources import RankedStatement
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


@pytest.mark.parametrize(
    ("question", "is_led"),
    [
        ("Can zolumycin be given in pregnancy?", True),
        ("Can inhaled zolumycin be given in pregnancy?", False),
    ],
)
def test_a_guideline_leads_before_the_label_of_a_local_product(question: str, is_led: bool):
    """An inhaled product's "no data" had hidden that the drug is contraindicated."""
    own = label("There are no data in pregnancy.", routes=("inhaled",))
    general = statement("Zolumycin is contraindicated in pregnancy.")
    ranked = [RankedStatement(one, "b", 5.0 - n / 10, 0.5) for n, one in enumerate((own, general))]
    found = guideline_before_local(ranked, read_slots(question, DRUGS), DRUGS)
    assert (found[0].statement == general) == is_led
