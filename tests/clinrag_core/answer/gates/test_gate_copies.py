"""A copy of a sentence with one word exchanged says something else."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
LIVER = (
    "The pair is not recommended for persons with liver disease or for those who have had liver"
    " injury on isoniazid."
)
STOP = "Do not abruptly discontinue the tablets, as pain and withdrawal may follow ( 2.3 )."
DOSE = "For most patients the recommended dose is 50 mg taken as needed, at most once a day."


def codes(context, claim: str, evidence: str) -> set[str]:
    decisions = run_gates(GATES, context(claim, evidence), every=True)
    return {str(d.code) for d in decisions if not d.passed}


@pytest.mark.parametrize(
    ("evidence", "old", "new", "code"),
    [
        (LIVER, "who have had", "who have not had", "negation_added"),
        (STOP, "Do not abruptly", "Do abruptly", "negation_removed"),
        (STOP, "may follow", "should follow", "modality_changed"),
        (DOSE, "50 mg", "50 g", "unit_exchanged"),
        (DOSE, "50 mg", "60 mg", "quantity_not_in_evidence"),
    ],
)
def test_one_word_exchanged_in_a_copy_is_refused(context, evidence, old, new, code):
    assert old in evidence
    assert code in codes(context, evidence.replace(old, new), evidence)


def test_one_drug_for_another_in_a_copy_is_refused(context):
    evidence = "The QT interval is longer on moxifloxacin in some, less so on levofloxacin."
    claim = evidence.replace("levofloxacin", "moxifloxacin")
    assert "drug_exchanged" in codes(context, claim, evidence)


def test_each_sentence_is_compared_for_itself(context):
    evidence = f"{DOSE} {LIVER}"
    claim = f"{LIVER.replace('who have had', 'who have not had')} {DOSE}"
    assert "negation_added" in codes(context, claim, evidence)
    assert not codes(context, f"{LIVER} {DOSE}", evidence)


@pytest.mark.parametrize("evidence", [LIVER, STOP, DOSE])
def test_a_copy_passes(context, evidence):
    assert not codes(context, evidence, evidence)


def test_a_short_claim_may_word_a_denial_otherwise(context):
    evidence = "The syringe must never be used again once it was opened by anyone."
    assert not codes(context, "The syringe must not be used again once opened.", evidence)


def test_a_copy_is_not_read_in_other_words(context):
    evidence = "Above 500 ms the three drugs are stopped until the interval is below 450 ms."
    claim = evidence.replace("are stopped", "are not stopped")
    assert "negation_added" in codes(context, claim, evidence)


@pytest.mark.parametrize(
    ("evidence", "old", "new", "code"),
    [
        (
            "Bottles are kept upright. Strong acids are moved to the lower shelf, if possible.",
            ", if possible",
            "",
            "limit_dropped",
        ),
        (
            "The skin test stays valid for people who had the vaccine as children in a clinic."
            " It is read by a nurse.",
            " for people who had the vaccine as children in a clinic",
            "",
            "population_dropped",
        ),
        (
            "Rinse the mouth each time. Doxycycline should not be used for children aged 6 years"
            " or less because their teeth may be stained by it.",
            " for children aged 6 years or less because their teeth may be stained by it",
            "",
            "population_dropped",
        ),
        (
            "If the drug must be restarted, it is restarted only after the enzymes are normal.",
            " only",
            "",
            "limit_dropped",
        ),
        (
            "In known hearing loss choose a treatment without streptomycin unless no other drug is"
            " effective in the patient or at hand.",
            " unless no other drug is effective in the patient or at hand",
            "",
            "limit_dropped",
        ),
        (
            "Reactions may follow the first dose. Telavancin should be used with caution in"
            " people who had such a reaction.",
            "should be used",
            "may be used",
            "modality_changed",
        ),
        (
            "Because levels may rise, a first dose of 20 mg should be considered in older people.",
            "should be considered",
            "is required",
            "modality_changed",
        ),
        (
            "The few relapses suggest that rifabutin works well in tuberculosis with HIV.",
            "suggest",
            "prove",
            "modality_changed",
        ),
        (
            "Effect: lower rifabutin levels; Comment: Increase the daily dose of rifabutin by half"
            " where both drugs are given.",
            "Increase",
            "Decrease",
            "role_exchanged",
        ),
        (
            "If less than 1 g was taken, begin at 100 mg a day. If 1 g or more was taken, begin at"
            " 250 mg a day as one dose.",
            "100 mg a day. If 1 g or more was taken, begin at 250 mg",
            "250 mg a day. If 1 g or more was taken, begin at 100 mg",
            "figure_exchanged",
        ),
        (
            "The first week of apixaban is 10 mg twice daily. After the first week the dose of"
            " apixaban is 5 mg twice daily.",
            "10 mg twice daily. After the first week the dose of apixaban is 5 mg",
            "5 mg twice daily. After the first week the dose of apixaban is 10 mg",
            "figure_exchanged",
        ),
    ],
)
def test_what_is_left_out_or_turned_in_a_copied_sentence_is_refused(
    context, evidence, old, new, code
):
    assert old in evidence
    assert code in codes(context, evidence.replace(old, new), evidence)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (
            "Ethambutol is given daily at 15 mg/kg by mouth, as most guidelines have it.",
            "Ethambutol is given daily at 15 mg/kg by mouth.",
        ),
        (
            "The daily dose of isoniazid for adults is 1 g at most with rifampin.",
            "The daily dose of isoniazid for adults is 1000 mg at most with rifampin.",
        ),
        (
            "The nurse should consider a chest film before the second month of treatment.",
            "The nurse should think about a chest film before the second month of treatment.",
        ),
    ],
)
def test_a_sentence_may_be_shortened_or_worded_otherwise_in_one_place(context, evidence, claim):
    assert not codes(context, claim, evidence)
