"""Which drugs a case asks about: both that somebody takes, and none that is over. Invented."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
ZOLUMYCIN, VELOTRIB = frozenset({"zolumycin"}), frozenset({"velotrib"})
RIFAMPIN = frozenset({"rifampin"})
STORY = "Man of 70 on velotrib for gout. He is also on zolumycin."


@pytest.mark.parametrize(
    "asked",
    [
        "Keep both going?",
        "Are the two needed?",
        "Should either be dropped?",
        "Does it matter?",
        "Does that matter for his gout?",
        "Do they interact?",
    ],
)
def test_a_case_that_asks_of_both_drugs_is_on_the_pair(asked: str) -> None:
    slots = read_slots(f"{STORY} {asked}", DRUGS)
    assert (slots.drugs, slots.partners) == ((ZOLUMYCIN,), (VELOTRIB,))


@pytest.mark.parametrize("asked", ["Is he ill?", "Cough for a week?", "Which antibiotic?"])
def test_a_case_that_asks_something_else_is_on_neither_drug(asked: str) -> None:
    slots = read_slots(f"{STORY} {asked}", DRUGS)
    assert (slots.drugs, slots.partners) == ((), (VELOTRIB, ZOLUMYCIN))


def test_of_three_drugs_both_is_no_pair() -> None:
    three = STORY.replace("also on zolumycin", "also on zolumycin and rifampin")
    slots = read_slots(f"{three} Keep both going?", DRUGS)
    assert slots.drugs == ()
    assert set(slots.partners) == {VELOTRIB, ZOLUMYCIN, RIFAMPIN}


@pytest.mark.parametrize(
    ("story", "partners"),
    [
        ("Man had 6 days of velotrib.", ()),
        ("Woman received three doses of velotrib.", ()),
        ("Man was given a 2-week course of velotrib.", ()),
        ("Man on velotrib.", (VELOTRIB,)),
        ("Man had 6 days of rifampin.", (RIFAMPIN,)),
        ("Man had 6 days of rifampin. He is on velotrib.", (RIFAMPIN, VELOTRIB)),
        ("Man had 6 days of velotrib. He is on rifampin.", (RIFAMPIN,)),
    ],
)
def test_a_drug_that_is_over_is_no_partner_unless_it_changes_enzymes(
    story: str, partners: tuple[frozenset[str], ...]
) -> None:
    slots = read_slots(f"{story} Dose of zolumycin?", DRUGS)
    assert (slots.drugs, slots.partners) == ((ZOLUMYCIN,), partners)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Finished 4 months rifampicin for LTBI, repeat Quantiferon?", ()),
        ("She completed 4 months of rifampin. Repeat the TST?", ()),
        ("On rifampin for LTBI, repeat Quantiferon?", (RIFAMPIN,)),
        ("Finished 4 months rifampin, when is the next visit?", (RIFAMPIN,)),
    ],
)
def test_a_test_for_the_infection_after_a_drug_is_not_asked_about_the_drug(
    question: str, asked: tuple[frozenset[str], ...]
) -> None:
    slots = read_slots(question, DRUGS)
    assert (slots.drugs, slots.partners) == (asked, ())
