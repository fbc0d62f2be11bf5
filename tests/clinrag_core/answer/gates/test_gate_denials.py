"""Denials, bounds and new words of claims that are written anew: compared by what they say.

Each thing that may be said in other words has its false neighbour next to it.
"""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def codes(context, claim: str, evidence: str) -> set[str]:
    decisions = run_gates(GATES, context(claim, evidence))
    return {str(d.code) for d in decisions if not d.passed}


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        # A denial in the second sentence of the source, in words of its own.
        ("Shake the isoniazid syrup well. The colour of the bottle is not important.",
         "Shake the isoniazid syrup well; which colour the bottle has doesn't matter."),
        # An aside between commas does not part a denial from what it denies.
        ("Antacids, including chalk and milk of magnesia, should not be taken with levofloxacin.",
         "Levofloxacin should not be taken with antacids, chalk and milk of magnesia included."),
        # Another word of the sense.
        ("Temporarily stop linezolid for 14 days when platelets fall below 50.",
         "When platelets fall below 50, pause linezolid and wait for 14 days."),
        # Bounds that are worded as denials.
        ("Start rifampin within 2 weeks of the test.",
         "Rifampin should be started no later than 2 weeks after the test."),
        ("Blood is taken 2, 6, and 12 weeks after rifampin is started.",
         "Blood is taken at weeks 2, 6 and 12 after the start of rifampin."),
        ("The meal should contain no more than 40 g of fat.",
         "Keep the meal to 40 g of fat at most."),
        ("Rifampin should not be given with saquinavir or within 7 days of stopping it.",
         "Rifampin is best avoided with saquinavir, also during the 7 days after it is stopped."),
        # Idioms whose words look like roles.
        ("Kidney function should be carefully monitored on amikacin.",
         "Keep a close eye on kidney function during amikacin."),
        # Words that limit nothing.
        ("Amikacin is infused during 60 minutes to minimize the risk of harm to the ear.",
         "To keep the risk of harm to the ear small, amikacin is infused during 60 minutes."),
    ],
)  # fmt: skip
def test_what_is_denied_or_bounded_in_other_words_passes(context, evidence, claim):
    assert codes(context, claim, evidence) == set()


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        # The second sentence affirms.
        ("Shake the isoniazid syrup well. The colour of the bottle is important.",
         "Shake the isoniazid syrup well; the colour of the bottle is not important."),
        # The aside is denied, the rest is not.
        ("Food, including milk, may be taken with levofloxacin.",
         "Food, including milk, should not be taken with levofloxacin."),
        ("Temporarily stop linezolid for 14 days when platelets fall.",
         "Take linezolid for 14 days when platelets fall."),
        # The bound is on the other side.
        ("Start rifampin within 2 weeks of the test.",
         "Rifampin should be started no earlier than 2 weeks after the test."),
        ("Blood is taken 2, 6, and 12 weeks after rifampin is started.",
         "Blood is taken at months 2, 6 and 12 after the start of rifampin."),
        ("The meal should contain no more than 40 g of fat.",
         "Keep the meal to 40 g of fat at least."),
        # One of two that are denied is approved of.
        ("Rifampin is not recommended in people with liver disease or after liver injury.",
         "Rifampin is not advised in liver disease, but a suitable choice after liver injury."),
        # A condition is waved aside.
        ("Give amikacin 15 mg/kg to adults whose hearing is normal.",
         "Adults get amikacin 15 mg/kg whatever their hearing."),
        # How long a medicine acts.
        ("Short-acting beta agonists may be given before amikacin.",
         "Long-acting beta agonists may be given before amikacin."),
        # Drugs that are named together.
        ("Give isoniazid and rifampin for four months.",
         "Give isoniazid or rifampin for four months."),
        # Two sentences merged in one clause.
        ("Rifampin turns urine orange. Clofazimine prolongs the QT interval.",
         "Rifampin prolongs the QT interval."),
    ],
)  # fmt: skip
def test_what_was_turned_in_other_words_is_refused(context, evidence, claim):
    assert codes(context, claim, evidence)


def test_a_sentence_of_two_clauses_may_join_two_sentences(context):
    evidence = (
        "Preventive treatment with rifampin substantially lowers the rate of disease among contacts"
        " of patients. No data support routine treatment of visitors."
    )
    claim = (
        "Among contacts, preventive rifampin lowers the rate of disease considerably, whereas there"
        " are no data to support routine treatment of visitors."
    )
    assert codes(context, claim, evidence) == set()


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("No further films are needed after treatment; the patient gets a record of all dates.",
         "No further films are not needed after treatment; the patient gets a record."),
        ("Give no more than 90 g unless nothing else can be done.",
         "Give no more than 90 g unless nothing else can not be done."),
        ("Give it as an injection only where hearing and kidney tests are at hand.",
         "Give it as an injection only where hearing and kidney tests are not at hand."),
    ],
)  # fmt: skip
def test_a_denial_put_into_a_denial_is_refused(context, evidence, claim):
    assert codes(context, claim, evidence)
