"""A part that met nothing is left out only where another part names its drug. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.generate.protocol import QuotableStatement
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.answer.select.part_selection import PartSelection
from clinrag_core.answer.select.selection import without_named
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "said", "kept"),
    [
        ("nausea with velotrib?", "Nausea: zolumycin 9 %, velotrib 4 %.", False),
        ("nausea with velotrib?", "Nausea: zolumycin 9 %.", True),
        ("dose of velotrib?", "Zolumycin 300 mg is given with velotrib.", True),
    ],
    ids=["named", "not-named", "dose"],
)
def test_what_is_missing_is_said_unless_the_other_part_has_it(question: str, said: str, kept: bool):
    shown = QuotableStatement(label(said), 1.0, ())
    met = PartSelection(read_slots("zolumycin", DRUGS), [shown], "", ())
    missing = PartSelection(read_slots(question, DRUGS), [], "No statement on velotrib.", ())
    assert (missing in without_named([met, missing])) is kept


def test_what_a_patient_keeps_taking_is_asked_about_with_the_drug_before():
    asked = "Dose of zolumycin at CrCl 20, and may the patient keep taking velotrib?"
    slots = read_slots(split_questions(asked, DRUGS)[1], DRUGS)
    assert (slots.drugs, slots.partners) == (
        (frozenset({"velotrib"}),),
        (frozenset({"zolumycin"}),),
    )
    alone = "Dose of zolumycin, and may pregnant women take velotrib?"
    assert not read_slots(split_questions(alone, DRUGS)[1], DRUGS).partners


def test_what_is_not_known_of_the_same_drug_is_said():
    shown = QuotableStatement(label("Zolumycin 300 mg is given for 7 days."), 1.0, ())
    met = PartSelection(read_slots("How long is zolumycin given?", DRUGS), [shown], "", ())
    missing = PartSelection(read_slots("Is zolumycin diluted?", DRUGS), [], "Not prepared.", ())
    assert missing in without_named([missing, met])
