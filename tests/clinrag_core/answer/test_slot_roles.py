"""Which drug of a question is asked about: with another one, of a story, of a regimen.

A pair that is missed hides an interaction; a drug that is taken for its alternative is recommended.
"""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.slots import QuestionSlots, read_slots
from clinrag_core.facts.drugs import DrugLexicon

Z, R = (frozenset({name}) for name in ("zolumycin", "rifampin"))
_STORY = "Zolumycin at breakfast, rifampin at supper."


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


def _roles(slots: QuestionSlots) -> tuple[tuple[frozenset[str], ...], ...]:
    return slots.drugs, slots.partners


@pytest.mark.parametrize(
    "question",
    [f"{_STORY} Does it matter?", f"Clerk, 40. {_STORY} Any trouble?",
     "Rifampin at supper, zolumycin at breakfast. Does it matter? Thanks."],
)  # fmt: skip
def test_two_drugs_of_a_story_are_asked_about_as_a_pair(question: str, drugs: DrugLexicon) -> None:
    """The label of the drug that is not for tuberculosis has what rifampin does to it."""
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z,), (R,))
    assert "interaction" in slots.aspects


@pytest.mark.parametrize(
    "question",
    [f"{_STORY} What dose?", f"{_STORY} How long?", "Dose of zolumycin and rifampin? Thanks.",
     "Dose of zolumycin? And of rifampin? She is 40.", _STORY.replace(", r", ". R"),
     "Zolumycin and rifampin for a child. Weight 22 kg.",
     "Zolumycin or rifampin for her gout. Does it matter?"],
)  # fmt: skip
def test_each_of_two_drugs_is_asked_about_where_a_pair_is_not(
    question: str, drugs: DrugLexicon
) -> None:
    slots = read_slots(question, drugs)
    assert _roles(slots) == ((Z, R), ())
    assert "interaction" not in slots.aspects


def test_which_drug_is_asked_leaves_the_drugs_of_a_case_as_taken(drugs: DrugLexicon) -> None:
    slots = read_slots(f"Clerk, 40. {_STORY} Which drug suits his cough?", drugs)
    assert _roles(slots) == ((), (Z, R))
