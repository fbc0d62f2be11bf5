"""What a label is not for is said where its dose for that use is asked for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.forbidden_uses import use_advised_against
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
USUAL = label("Zolumycin 50 mg four times a day treats cystitis.", group="dosage")

COMMON = {"infections": 0.2, "infection": 0.2, "pyelonephritis": 1.0}


def leads(question: str, said: str, group: str = "indications") -> bool:
    limit = label(said, group=group)
    sources = sources_of([USUAL, limit], DRUGS)._replace(idf=COMMON)
    found = use_advised_against(read_slots(question, DRUGS), sources)
    assert [one.statement for one in found] in ([], [limit])
    return bool(found)


LEFT_OUT = (
    "Zolumycin is not indicated for the treatment of pyelonephritis or perinephric abscesses."
)
COMPLICATED = "Zolumycin is not recommended for the treatment of complicated malaria."
PROGRESSIVE = "It is not approved for use in patients with primary progressive multiple sclerosis."
TOGETHER = (
    "The combination of zolumycin and velotrib is not recommended in the treatment of patients "
    "with rheumatoid arthritis."
)
PARTS = "Zolumycin is not indicated for prophylactic or prolonged use in otitis media."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Zolumycin dose for pyelonephritis?", LEFT_OUT),
        ("How much zolumycin for a perinephric abscess?", LEFT_OUT),
        ("Can zolumycin be used for pyelonephritis?", LEFT_OUT),
        ("Zolumycin dose in complicated malaria", COMPLICATED),
        ("Zolumycin dose for primary progressive MS", PROGRESSIVE),
        ("Zolumycin dose for prolonged prophylactic use in otitis media", PARTS),
    ],
)
def test_a_use_that_the_label_leaves_out_leads(question: str, said: str):
    assert leads(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Zolumycin dose for cystitis?", LEFT_OUT),
        ("Zolumycin dose in uncomplicated malaria", COMPLICATED),
        ("Zolumycin dose for relapsing MS", PROGRESSIVE),
        ("Zolumycin dose for prophylactic use", PARTS),
        ("Does zolumycin for pyelonephritis interact with rifampin?", LEFT_OUT),
        ("Velotrib dose for pyelonephritis?", LEFT_OUT),
        ("Zolumycin dose for skin infections", "Zolumycin should not be used for infections."),
        ("Zolumycin dose in children", "Zolumycin is not approved for use in children."),
        ("Zolumycin dose for rheumatoid arthritis", TOGETHER),
    ],
    ids=[
        "another-use", "its-opposite", "another-form", "a-part", "not-how-it-is-given",
        "another-drug", "every-use", "people", "another-drug-with-it",
    ],
)  # fmt: skip
def test_other_uses_and_questions_do_not(question: str, said: str):
    assert not leads(question, said)
