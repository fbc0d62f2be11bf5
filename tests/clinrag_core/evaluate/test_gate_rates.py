"""The claim mutator and the rates: every critical mutant of the shipped claims is rejected."""

from __future__ import annotations

import random

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.evaluate.gate_rates import measure_gates
from clinrag_core.evaluate.limits import PARAPHRASES as PARAPHRASE_LIMIT
from clinrag_core.evaluate.mutation import TrueClaim, mutants
from clinrag_core.evaluate.safety import load_paraphrases, sample_of, scifact_samples
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.settings import AnswerSettings, data_folder

GATES = build_gates(AnswerSettings())
DRUGS = DrugLexicon()
PARAPHRASES = load_paraphrases(data_folder() / "benchmark")


def made(text: str) -> dict[str, str]:
    claim: TrueClaim = sample_of(text, text).claim
    rng = random.Random(5)  # noqa: S311 - repeatable, no secret
    return {m.kind: m.text for m in mutants(claim, DRUGS, ["warfarin"], rng)}


def test_each_mutation_changes_one_thing():
    found = made("Adults should take isoniazid 300 mg orally once daily.")
    assert found["dose"] == "Adults should take isoniazid 3000 mg orally once daily."
    assert found["unit"] == "Adults should take isoniazid 300 g orally once daily."
    assert found["frequency"] == "Adults should take isoniazid 300 mg orally once weekly."
    assert found["negation_added"] == "Adults should not take isoniazid 300 mg orally once daily."
    assert found["drug"] == "Adults should take warfarin 300 mg orally once daily."
    assert found["population"] == "children should take isoniazid 300 mg orally once daily."
    assert found["route"] == "Adults should take isoniazid 300 mg intravenously once daily."
    assert found["modality"] == "Adults may take isoniazid 300 mg orally once daily."
    assert "negation_removed" not in found


@pytest.mark.parametrize(
    ("text", "tenfold"), [("0.5 mg", "5 mg"), ("2.25 g", "22.5 g"), ("15 mg/kg", "150 mg/kg")]
)
def test_ten_times_a_dose(text: str, tenfold: str):
    assert made(f"Give isoniazid {text} now.")["dose"] == f"Give isoniazid {tenfold} now."


def test_no_critical_mutant_of_the_shipped_sentences_passes():
    samples = [sample_of(text, text) for text in dict.fromkeys(p.evidence for p in PARAPHRASES)]
    rates, _ = measure_gates(samples, GATES, DRUGS)
    assert rates.mutants >= 500
    assert rates.critical_survivors == 0
    assert rates.pass_rate == 1.0


def test_honest_paraphrases_pass():
    assert len(PARAPHRASES) >= 200
    samples = [sample_of(p.claim, p.evidence) for p in PARAPHRASES]
    rates, survivors = measure_gates(samples, GATES, DRUGS)
    assert rates.pass_rate >= PARAPHRASE_LIMIT
    # Mutants of paraphrases are harder; one is known to pass (docs/answering.md).
    assert rates.critical_survivors <= 1, [s for s in survivors if s.kind != "true"]


def test_gates_that_let_everything_pass_are_seen():
    samples = [sample_of(p.evidence, p.evidence) for p in PARAPHRASES[:20]]
    overlap_only = [gate for gate in GATES if gate.name == "overlap"]
    rates, _ = measure_gates(samples, overlap_only, DRUGS)
    assert rates.critical_survivors > 20


@pytest.mark.slow
def test_no_critical_mutant_of_scifact_passes(reference_bench):
    rates, survivors = measure_gates(
        scifact_samples(reference_bench / "scifact" / "original"), GATES, DRUGS
    )
    assert rates.mutants >= 1_500
    assert rates.critical_survivors == 0, survivors[:5]
    assert rates.pass_rate >= 0.95
