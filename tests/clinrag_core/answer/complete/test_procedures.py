"""The steps of a procedure are shown together, those for the form asked about. Invented texts."""

from __future__ import annotations

from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.complete.procedures import with_procedures
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
SECTION = [
    label(said)
    for said in (
        "ZOLUMYCIN capsules Swallow whole.",
        "Administration with Juice Through a Tube Open capsule.",
        "Sprinkle the granules into 40 mL of juice.",
        "Inject through the tube.",
        "Administration with Water Through a Tube Place a tablet in a syringe.",
        "Shake gently.",
        "Administration by Mouth Chew the tablet.",
    )
]
THROUGH_JUICE = " ".join(one.said for one in SECTION[1:4])


def shown(question: str, *places: int) -> list[str]:
    fitting = [RankedStatement(SECTION[n], "label", 5.0 - n / 10, 0.5) for n in places]
    slots, sources = read_slots(question, DRUGS), sources_of(SECTION, DRUGS)
    return [one.statement.said for one in with_procedures(fitting, slots, sources)]


def test_a_step_is_shown_with_its_procedure_once():
    how = "How do I give a zolumycin capsule through a tube?"
    assert shown(how, 3, 2) == [THROUGH_JUICE]
    assert shown(how, 0, 3) == [SECTION[0].said, THROUGH_JUICE]


def test_the_steps_of_another_form_are_left_out():
    assert shown("How do I give a zolumycin capsule through a tube?", 5, 3) == [THROUGH_JUICE]
    (one,) = shown("How do I give a zolumycin tablet through a tube?", 3, 5)
    assert one == f"{SECTION[4].said} {SECTION[5].said}"


def test_nothing_is_joined_where_no_procedure_is_asked_for():
    assert shown("Which dose of zolumycin through a tube?", 3) == [SECTION[3].said]
    assert shown("How long is zolumycin given?", 3) == [SECTION[3].said]
