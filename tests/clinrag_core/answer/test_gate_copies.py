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
    return {str(d.code) for d in run_gates(GATES, context(claim, evidence)) if not d.passed}


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
