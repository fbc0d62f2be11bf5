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


ROWS = (
    "Weight: 10-14 kg; Isoniazid: 1 tablet; Pyridoxine: half a tablet",
    "Weight: 15-19 kg; Isoniazid: 2 tablets; Pyridoxine: 1 tablet",
)


@pytest.mark.parametrize(
    ("claim", "accepted"),
    [
        (ROWS[1], True),
        ("\n".join(ROWS), True),
        ("Weight: 10-14 kg; Isoniazid: 1 tablet; Pyridoxine: 1 tablet", False),
        ("Weight: 15-19 kg; Isoniazid: 1 tablet", False),
    ],
    ids=["row", "rows", "last", "middle"],
)
def test_the_cells_of_a_row_are_those_of_one_row(context, claim, accepted):
    decisions = run_gates(GATES, context(claim, "\n".join(ROWS)))
    assert all(decision.passed for decision in decisions) == accepted


@pytest.mark.parametrize(
    ("evidence", "claim", "accepted"),
    [
        ("Long-term studies in rats have not been conducted with zolumycin.",
         "Long-term studies in rats were conducted with zolumycin.", False),
        ("Vision is tested before ethambutol begins.",
         "Vision is tested once ethambutol has begun.", False),
        ("The capsules of isoniazid are for oral use.",
         "The capsules of isoniazid are for vaginal use.", False),
        ("Doctors preferentially recommend a 4-month course of rifampin over 9-month isoniazid.",
         "A 4-month course of rifampin is preferred to 9 months of isoniazid.", True),
        ("Doctors preferentially recommend a 4-month course of rifampin over 9-month isoniazid.",
         "A 9-month course of isoniazid is preferred to 4 months of rifampin.", False),
        ("Isoniazid is given to both HIV-negative and HIV-positive people.",
         "Isoniazid is given to people with or without HIV.", True),
        ("Isoniazid is given to HIV-negative people.",
         "Isoniazid is given to people with or without HIV.", False),
        ("Patients with a rash should consult their provider.",
         "Patients with a rash should contact their doctor.", True),
        ("Report any signs and symptoms of hepatitis.", "Report any sign or symptom of hepatitis.",
         True),
        ("Women on hormonal birth control add a barrier.",
         "Women on hormonal contraceptives add a barrier.", True),
        ("Do not exceed 2 g a day in liver disease.",
         "In liver disease 2 g a day is not exceeded.", True),
        ("Consider a scan when fever lasts.", "A scan is considered when fever lasts.", True),
    ],
    ids=["not_done", "before_once", "vaginal", "preferred", "preferred_turned",
         "either_status", "one_status", "doctor", "symptoms", "birth_control",
         "exceeded", "considered"],
)  # fmt: skip
def test_rewordings_pass_and_what_they_turn_does_not(context, evidence, claim, accepted):
    decisions = run_gates(GATES, context(claim, evidence))
    assert all(decision.passed for decision in decisions) == accepted
