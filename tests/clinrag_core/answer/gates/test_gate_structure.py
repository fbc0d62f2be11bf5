"""What joins, bounds and holds the parts of a claim, in the claim's own words."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def is_accepted(context, evidence: str, claim: str) -> bool:
    return all(decision.passed for decision in run_gates(GATES, context(claim, evidence)))


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        # A bound in any order of its words, with any unit.
        ("If the pulse is less than or equal to 50 bpm, atenolol should be paused.",
         "With a pulse of 50 bpm or lower, atenolol should be paused.",
         "With a pulse of 50 bpm or higher, atenolol should be paused."),
        ("Do not exceed 70 ng/kg/min in the first hour.",
         "In the first hour the rate must not go above 70 ng/kg/min.",
         "In the first hour the rate must not go below 70 ng/kg/min."),
        ("Prednisone is given at 1 mg/kg (not more than 50 mg/day) for three weeks.",
         "Prednisone 1 mg/kg, to a ceiling of 50 mg a day, is given for three weeks.",
         "Prednisone 1 mg/kg, to a ceiling of 60 mg a day, is given for three weeks."),
        ("Amikacin is given in three doses a week during the continuation phase.",
         "In the continuation phase amikacin is given three times weekly.",
         "In the continuation phase amikacin is given twice weekly."),
        # Lists that are named respectively.
        ("Cough was reported by 40%, 50% and 60% of the patients on 10 mg, 20 mg and 30 mg, "
         "respectively.",
         "Cough was reported by 40% of patients on 10 mg, 50% on 20 mg and 60% on 30 mg.",
         "Cough was reported by 60% of patients on 10 mg, 50% on 20 mg and 40% on 30 mg."),
        # Holders in two sentences.
        ("These patients should take it daily during the intensive phase. They take it daily or "
         "three times a week during the continuation phase.",
         "It should be taken daily in the intensive phase and daily or three times a week in the "
         "continuation phase.",
         "It should be taken daily or three times a week in the intensive phase and daily in the "
         "continuation phase."),
        # A condition and its opposite.
        ("A skin test is acceptable where a blood test is not available.",
         "If no blood test is available, a skin test is acceptable.",
         "Unless a blood test is unavailable, a skin test is acceptable."),
        # A change that ends before it begins, and the figure that is not chosen.
        ("With oxygen the mortality fell from 12% to 6%.",
         "Mortality fell from 12% to 6% with oxygen.",
         "Mortality fell from 6% to 12% with oxygen."),
        ("The central 24 degrees should be tested instead of the central 10 degrees.",
         "The advice is to test the central 24 degrees instead of the central 10.",
         "The advice is to test the central 10 degrees instead of the central 24."),
        # Nothing is known of it, or it is known not to be so.
        ("There are no adequate data on the risk of pretomanid in pregnancy.",
         "Adequate data on the risk of pretomanid in pregnancy are lacking.",
         "Adequate data show no risk of pretomanid in pregnancy."),
        # "Such data" are those of the sentence before.
        ("When culture results are available, they should guide the choice. In the absence of such "
         "data, local epidemiology may contribute to it.",
         "If there are no culture results, local epidemiology may contribute to the choice.",
         "If there are culture results, local epidemiology must make the choice."),
        # One word that holds another; a phrase of which only the letters are named.
        ("Some patients developed irreversible myelosuppression.",
         "Some patients developed irreversible suppression of the bone marrow.",
         "Some patients developed reversible suppression of the bone marrow."),
        ("The USPSTF recommends that adults at risk are tested.",
         "The U.S. Preventive Services Task Force recommends that adults at risk are tested.",
         "The U.S. Preventive Services Task Force recommends that children at risk are tested."),
        # What is done after a time goes on, and what is ended does not.
        ("Men should use condoms during treatment and for 3 months after stopping it.",
         "Men should use condoms during treatment and for 3 months after its end.",
         "Men should use condoms during treatment but need not do so after its end."),
    ],
)  # fmt: skip
def test_the_same_passes_and_the_false_one_does_not(
    context, evidence: str, same: str, false: str
) -> None:
    assert is_accepted(context, evidence, same)
    assert not is_accepted(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("Stop the drug and monitor the patient until the enzymes are normal.",
         "Stop the drug, continue the others and monitor the patient."),
        ("People who have a written result should not be tested.",
         "People who report a result should not be tested, even if nothing is written."),
        ("The first and most important level is administrative.",
         "The administrative level is the least important one."),
        ("Stay at home because the sputum is positive.",
         "Stay at home until the sputum is positive."),
    ],
)  # fmt: skip
def test_what_its_evidence_does_not_say_is_refused(context, evidence: str, claim: str) -> None:
    assert not is_accepted(context, evidence, claim)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("Liver enzymes are checked in patients with jaundice. The drug is stopped if significant "
         "liver injury is confirmed.",
         "Confirmed significant liver injury is a reason to stop the drug, and jaundice calls for "
         "a check of liver enzymes."),
        ("Bleeding occurred in 17 (11%) patients in the apixaban group and 3 (4%) patients in the "
         "standard of care group.",
         "Bleeding was reported in 11% on apixaban and 4% on standard of care."),
    ],
)  # fmt: skip
def test_more_of_the_same_passes(context, evidence: str, claim: str) -> None:
    assert is_accepted(context, evidence, claim)
