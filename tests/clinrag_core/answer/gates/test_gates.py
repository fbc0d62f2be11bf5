"""Each gate on claims that are true and on claims that must not pass; faults never pass."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import GATE_ERROR, run_gates
from clinrag_core.answer.records import GateDecision
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
DOSE = "Rifampin 600 mg once daily is recommended for adults with drug-susceptible tuberculosis."


def rejected(context, claim: str, evidence: str, title: str = "Tuberculosis care") -> set[str]:
    decisions = run_gates(GATES, context(claim, evidence, title), every=True)
    assert [d.gate for d in decisions] == [gate.name for gate in GATES]
    return {str(d.code) for d in decisions if not d.passed}


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Rifampin 6000 mg once daily is recommended for adults.", "quantity_not_in_evidence"),
        ("Rifampin 600 g once daily is recommended for adults.", "quantity_not_in_evidence"),
        ("Rifampin 600 mg once weekly is recommended for adults.", "quantity_not_in_evidence"),
        ("Rifampin 600 mg/kg once daily is recommended.", "quantity_not_in_evidence"),
        ("Rifampin at least 600 mg once daily is recommended.", "quantity_not_in_evidence"),
        ("Rifampin 600 mg once daily is not recommended for adults.", "negation_added"),
        ("Isoniazid 600 mg once daily is recommended for adults.", "drug_not_in_evidence"),
        (
            "Rifampin 600 mg once daily is recommended for children.",
            "population_not_in_evidence",
        ),
        ("Rifampin 600 mg once daily is recommended.", "population_dropped"),
        (
            "Rifampin 600 mg intravenously once daily is recommended for adults.",
            "route_not_in_evidence",
        ),
        ("Rifampin 600 mg once daily may be given to adults.", "modality_changed"),
        ("Rifampin 600 mg once daily is recommended for adults with HIV.", "high_risk_term"),
        ("Cranberry juice prevents cystitis.", "low_overlap"),
        ("It is.", "empty_claim"),
    ],
)
def test_a_false_claim_is_rejected_for_what_is_false(context, claim: str, code: str):
    assert code in rejected(context, claim, DOSE)


@pytest.mark.parametrize(
    "claim",
    [
        DOSE,
        "Adults with drug-susceptible tuberculosis should take rifampin 600 mg once daily.",
        "Rifampicin 0.6 g once daily is recommended for adults with drug-susceptible TB.",
        "For adults with drug-susceptible tuberculosis, 600 mg of rifampin once a day is advised.",
    ],
)
def test_other_words_for_the_same_pass(context, claim: str):
    assert rejected(context, claim, DOSE) == set()


@pytest.mark.parametrize(
    ("evidence", "claim", "code"),
    [
        ("Do not give isoniazid with alcohol.", "Give isoniazid with alcohol.", "negation_removed"),
        ("Rifampin should not be taken without food.", "Rifampin should be taken without food.",
         "negation_removed"),
        ("Avoid pyrazinamide in severe liver disease.",
         "Pyrazinamide is used in severe liver disease.", "negation_removed"),
        ("It is recommended for adults but not recommended for children.",
         "It is not recommended for adults.", "negation_added"),
        ("They were not only rare but mild.", "They were only rare but mild.", "negation_removed"),
        ("Isoniazid 300 mg and rifampin 600 mg are given daily.",
         "Isoniazid 600 mg and rifampin 300 mg are given daily.", "quantity_displaced"),
        ("Isoniazid is preferred over rifampin.", "Rifampin is preferred over isoniazid.",
         "drug_order_changed"),
        ("Phenytoin and rifampin interact; phenytoin toxicity is known.",
         "Rifampin toxicity is known.", "drug_displaced"),
        ("Isoniazid and rifampin are given.", "Isoniazid and isoniazid are given.",
         "drug_replaced"),
        ("Of 30 patients 12 were cured.", "Of 30 patients 13 were cured.",
         "number_not_in_evidence"),
        ("The dose is 20 mg/kg for children weighing less than 15 kg.",
         "The dose is 20 mg/kg for children.", "qualifier_dropped"),
        ("Take 300 mg twice daily; 300 mg once daily in renal failure.",
         "Take 300 mg three times daily.", "quantity_not_in_evidence"),
        ("Efavirenz exposure was lower with rifampin.",
         "Efavirenz exposure was higher with rifampin.", "direction_changed"),
        ("Take isoniazid one hour before a meal.", "Take isoniazid one hour after a meal.",
         "direction_changed"),
    ],
)  # fmt: skip
def test_changes_that_overlap_cannot_see(context, evidence: str, claim: str, code: str):
    assert code in rejected(context, claim, evidence)
    assert rejected(context, evidence, evidence) == set()


def test_a_drug_of_the_title_may_be_named_but_takes_no_other_drugs_place(context):
    title = "Sirturo (bedaquiline)"
    sentence = "Take 400 mg once daily for two weeks."
    assert rejected(context, f"Bedaquiline: {sentence.lower()}", sentence, title) == set()
    other = "Rifampin halves its concentration."
    assert "drug_replaced" in rejected(
        context, "Bedaquiline halves its concentration.", other, title
    )
    named_twice = "Rifampin Rifampin halves its concentration."
    assert "drug_replaced" in rejected(
        context, "Bedaquiline Rifampin halves its concentration.", named_twice, title
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"chunk_id": "f" * 24}, "missing"),
        ({"document_id": "another"}, "missing"),
        ({"end": 9_999}, "out_of_range"),
        ({"start": 0}, "out_of_range"),
        ({"snippet": "Take 3000 mg."}, "not_verbatim"),
    ],
)
def test_an_invented_citation_is_rejected(context, change: dict[str, object], code: str):
    claim = context("Take 300 mg.", "Take 300 mg.")
    claim.citations = (claim.citations[0].model_copy(update=change),)
    decision = run_gates(GATES, claim)[0]
    assert (decision.passed, decision.code) == (False, code)
    claim.citations = ()
    assert run_gates(GATES, claim)[0].code == "no_citation"


class Broken:
    """A gate with a fault."""

    name = "broken"

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def check(self, claim):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    "fault",
    [RuntimeError("patient X"), None, True, GateDecision(gate="another", passed=True)],
)
def test_a_fault_in_a_gate_is_not_passed_and_its_message_is_not_logged(context, fault, caplog):
    (decision,) = run_gates([Broken(fault)], context(DOSE, DOSE))
    assert (decision.gate, decision.passed, decision.code) == ("broken", False, GATE_ERROR)
    assert "patient X" not in caplog.text


def test_a_power_of_ten_does_not_fail_a_gate(context):
    said = "Platelets fell below 100 x 10^9/L in 3 children younger than 8 years."
    claim = "In 3 children younger than 8 years platelets fell below 100 x 10^9/L."
    assert GATE_ERROR not in rejected(context, claim, said)
