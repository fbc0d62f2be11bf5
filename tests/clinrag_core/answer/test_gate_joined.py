"""Claims of several sentences: a change in one of them is seen whatever the others say."""

from __future__ import annotations

from itertools import product

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
AROUND = (
    ("Do not take antacids within 2 hours of the tablets.", "No deaths occurred in this group."),
    (
        "Hearing should be tested every month because amikacin may damage it, and patients are told"
        " to report ringing in the ears.",
        "The tablets are swallowed whole with a glass of water.",
    ),
)
"""Sentences that stay the same: with denials of their own, and long ones."""
JOINTS = (" ", "\n", "\n• ")


def passes(context, sentence: str, other: str, place: int, around: tuple[str, ...], joint: str):
    """Return whether a claim passes that has another sentence in the place of one of three."""
    evidence, claim = ([*around[:place], one, *around[place:]] for one in (sentence, other))
    decisions = run_gates(GATES, context(joint.join(claim), joint.join(evidence)))
    return all(decision.passed for decision in decisions)


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("Restriction of milk products is not necessary.",
         "Restriction of milk products is necessary."),
        ("No data support routine doses of zinc in children.",
         "some data support routine doses of zinc in children."),
        ("No cases of jaundice were reported.", "some cases of jaundice were reported."),
        ("No cases of jaundice were reported.", "Cases of jaundice were reported."),
        ("The syrup does not contain sugar.", "The syrup contains sugar."),
        ("Moxifloxacin should be avoided in pregnancy.",
         "Moxifloxacin should be used in pregnancy."),
        ("Give isoniazid 300 mg once daily.", "Give isoniazid 600 mg once daily."),
        ("Clofazimine is taken with food.", "Delamanid is taken with food."),
        ("Rifapentine lowers the exposure of dolutegravir.",
         "Rifapentine raises the exposure of dolutegravir."),
        ("Linezolid may be stopped after 16 weeks.", "Linezolid must be stopped after 16 weeks."),
        ("Sputum is collected before treatment starts.",
         "Sputum is collected after treatment starts."),
        ("Patients with silicosis are tested each year.",
         "Contacts with silicosis are tested each year."),
    ],
    ids=["not", "no_data", "no_cases", "no_dropped", "does_not", "avoid", "dose", "drug",
         "direction", "modality", "time", "people"],
)  # fmt: skip
def test_a_change_in_any_sentence_of_a_joined_claim_is_rejected(context, sentence, other):
    for place, around, joint in product(range(3), AROUND, JOINTS):
        assert not passes(context, sentence, other, place, around, joint)
        assert passes(context, sentence, sentence, place, around, joint)


def test_a_sentence_that_is_said_twice_keeps_its_denials(context):
    twice = "The syrup does not contain sugar. Shake it. The syrup does not contain sugar."
    once = twice.replace("does not contain", "contains", 1)
    decisions = run_gates(GATES, context(once, twice))
    assert "negation_removed" in {decision.code for decision in decisions}
