"""The question gate on labels of combinations: what they say of one of their drugs."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

BOTH = ("rifampin", "zolumycin")


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "said", "frame"),
    [
        ("How much does a meal lower zolumycin absorption?",
         "A meal lowers the absorption of zolumycin by 20%.", {}),
        ("How often is the liver tested with zolumycin?",
         "Test the liver every 3 weeks.", {"run_in": "Zolumycin"}),
        ("Which amounts of zolumycin were fatal?",
         "Deaths were reported after 9 to 30 g of zolumycin.", {}),
        ("rifazol 10/325: how many tablets a day?",
         "Rifazol 7.5/325 and 10/325: not more than 6 tablets a day.", {}),
        ("What is in one rifazol tablet?",
         "A tablet holds 60 mg rifampin and 25 mg zolumycin.", {}),
    ],
    ids=["own-words", "run-in", "amounts", "strength", "composition"],
)  # fmt: skip
def test_a_combination_label_may_speak_of_one_drug(question, said, frame, drugs):
    assert misfits(read_slots(question, drugs), label(said, *BOTH, **frame), drugs) == ()


@pytest.mark.parametrize(
    ("question", "said", "frame"),
    [
        ("What is the dose of zolumycin?", "Take four tablets daily.", {"run_in": "Zolumycin"}),
        ("What is the dose of zolumycin?", "Rifazol is taken for 2 months.", {}),
        ("How often is zolumycin given?", "Take it every day.", {}),
        ("What is the dose of zolumycin?", "Rifampin and zolumycin: give 300 mg daily.", {}),
        (
            "rifazol 10/325: how many tablets a day?",
            "Rifazol 5/325: not more than 8 tablets a day.",
            {},
        ),
    ],
    ids=["tablets", "product", "no-drug", "figure-of-both", "strength"],
)
def test_its_dose_is_never_that_of_one_drug(question, said, frame, drugs):
    found = misfits(read_slots(question, drugs), label(said, *BOTH, **frame), drugs)
    assert "product" in {one.slot for one in found}


@pytest.mark.parametrize("title", ["ZOLUMYCIN", "fda zolumycin"])
def test_the_text_of_a_label_among_the_guidelines_is_on_its_drug(title, drugs):
    asked = read_slots("Tendons on levofloxacin?", drugs)
    said = "Tendons may rupture after fluoroquinolones."
    other = statement(said, document_title=title, headings=("Warnings",))
    assert [one.slot for one in misfits(asked, other, drugs)] == ["subject"]
    care = statement(said, document_title="Care with zolumycin or levofloxacin in tuberculosis")
    assert misfits(asked, care, drugs) == ()


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("Man on velotrib. Rifampin about to start. Anything to change?", True),
        ("Man on velotrib. Isoniazid about to start. Anything to change?", False),
    ],
)
def test_a_row_on_a_pair_of_a_combination_is_of_the_drug_that_induces(question, fits, drugs):
    row = label(
        "Avoid concomitant use: Drug: Velotrib; Clinical effect: Decrease exposure by 40%",
        "rifampin", "isoniazid", group="interactions", statement_kind="row",
    )  # fmt: skip
    found = misfits(read_slots(question, drugs), row, drugs)
    assert ("product" not in {one.slot for one in found}) is fits
