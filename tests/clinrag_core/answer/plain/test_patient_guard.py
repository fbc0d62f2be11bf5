"""The guard of the patient summary: it accepts what says the same, and nothing that was shortened.

Each claim is put into plain words by the summary itself, which the guard accepts; then it is made
wrong in every way of `evaluate.patient_mutants`.
"""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.summarise import plain_lines
from clinrag_core.evaluate.patient_mutants import mutants_that_pass, patient_mutants
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
CLAIMS = (
    "Do not administer isoniazid 5-10 mg/kg daily in children with severe hepatic impairment "
    "unless serum transaminases are monitored at least weekly.",
    "Rifampin 600 mg once daily is contraindicated in patients receiving cabotegravir, "
    "rilpivirine, or praziquantel, because plasma concentrations decrease.",
    "If jaundice occurs, discontinue pyrazinamide and check all liver tests before the next dose; "
    "treatment may be resumed only if ALT is < 3 times the upper limit of normal.",
    "Adults and children over 15 kg should take up to 300 mg twice daily for 6 months after "
    "a meal.",
    "In pregnant women, ethambutol 15 mg/kg can be given, but streptomycin must not be given.",
    "The level of rifabutin is higher with ritonavir. Reduce the dose to 150 mg; check the eyes.",
    "Drug: Isoniazid; Daily dose: 5 mg/kg; Weight – < 33 kg: 150-200 mg; Weight – ≥ 33 kg: 300 mg",
    "Adults; Daily: 15 mg/kg, maximum 1 g; Twice weekly: 25-30 mg/kg, maximum 1.5 g",
)
KINDS = {
    "denial_dropped", "denial_added", "only_dropped", "condition_turned", "condition_dropped",
    "condition_left_behind", "at_least_dropped", "sign_dropped", "sign_turned", "range_swapped",
    "range_end_dropped", "unit_changed", "per_dropped", "tenfold", "frequency_dropped",
    "people_dropped", "people_changed", "member_dropped", "last_member_dropped", "may_for_should",
    "should_for_may", "before_for_after", "direction_turned", "severity_dropped", "line_dropped",
    "lines_exchanged", "figures_exchanged", "brackets_dropped", "some_for_all", "or_for_and",
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"claim{n}" for n in range(len(CLAIMS))])
def test_the_summary_passes_and_no_mutant_of_it_does(drugs, claim: str):
    lines = plain_lines(claim, drugs) or ()
    assert reasons_against(lines, claim, drugs, GATES) == ()
    assert mutants_that_pass(lines, claim, drugs, GATES) == []


def test_the_claims_give_mutants_of_every_kind(drugs):
    made = {m.kind for claim in CLAIMS for m in patient_mutants(plain_lines(claim, drugs) or ())}
    assert KINDS - made == set()


@pytest.mark.parametrize(
    ("claim", "lines", "departure"),
    [
        # Perhaps only those with fever are weighed.
        ("If ill, stop it and it is weighed.", ["If ill, stop it.", "It is weighed."], "cut"),
        ("The drug is seen; it is kept cold.", ["The drug is seen.", "It is kept cold."], None),
        ("Give it. Not all eat.", ["Give it", "– Not all eat."], "joined"),
        ("Give it for 5 to 7 days.", ["Give it for 7 to 5 days."], "7"),
        ("Give it if he eats.", ["Give it if he eats and drinks."], "and"),
        ("Row: one; Dose: 5 mg", ["Row: one", "the dose is 5 mg"], "cut"),
        ("Row: one; Dose: 5 mg; More: 7 mg", ["Row: one", "– Dose: 7 mg", "– More: 5 mg"], "7"),
    ],
)  # fmt: skip
def test_lines_may_end_only_where_both_parts_stand_alone(drugs, claim, lines, departure):
    said = [r for r in reasons_against(lines, claim, drugs, ()) if r.startswith("departs")]
    assert said == ([f"departs: {departure}"] if departure else [])
