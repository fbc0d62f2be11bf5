"""The comparing gates: roles, limits and owners, and the wordings that say the same."""

from __future__ import annotations

import pytest

from clinrag_core.answer.check import check_draft
from clinrag_core.answer.citations import cite
from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.answer.generate.protocol import Draft, DraftClaim
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def codes(context, claim: str, evidence: str) -> set[str]:
    decisions = run_gates(GATES, context(claim, evidence), every=True)
    return {str(d.code) for d in decisions if not d.passed}


@pytest.mark.parametrize(
    ("evidence", "claim", "code"),
    [
        ("Glumarin is excreted by the kidneys.", "Glumarin is excreted by the liver.",
         "role_not_in_evidence"),
        ("Adults take 2 tablets; children take 1 tablet.",
         "Adults take 1 tablet; children take 2 tablets.", "exchanged"),
        ("Screening for glumosis is offered to contacts.",
         "Treatment for glumosis is offered to contacts.", "role_replaced"),
        ("The fruit of the tree is used for the syrup.",
         "The leaf of the tree is used for the syrup.", "word_replaced"),
        ("Take isoniazid before breakfast with water.",
         "Take isoniazid after breakfast with water.", "direction_changed"),
        ("Continue until cultures are clean.", "Continue after cultures are clean.",
         "word_replaced"),
        ("Give isoniazid and rifampin together.", "Give isoniazid or rifampin together.",
         "word_replaced"),
        ("Scores under 30 need no test.", "Scores over 30 need no test.", "comparison_changed"),
        ("Rifampin lowers the concentration of isoniazid.",
         "Isoniazid lowers the concentration of rifampin.", "exchanged"),
        ("Under 12 years: 10 mg/kg every 8 hours; 12 years and older: 600 mg every 12 hours.",
         "Under 12 years: 600 mg every 8 hours; 12 years and older: 10 mg/kg every 12 hours.",
         "exchanged"),
        ("The tablet holds 75/50 mg.", "The tablet holds 75/100 mg.", "comparison_changed"),
        ("Linezolid may cause anaemia in adults.", "Linezolid causes anaemia in adults.",
         "modality_changed"),
        ("Amikacin is used only if hearing can be tested.", "Amikacin is used.", "limit_dropped"),
        ("Avoid isoniazid in adults with porphyria.", "Avoid isoniazid.", "limit_dropped"),
        ("Isoniazid is continued for two days after the fever is gone, except in leprosy.",
         "Isoniazid is continued for two days after the fever is gone, also in leprosy.",
         "exception_admitted"),
        ("Ethambutol is safe in children provided the recommended doses are kept.",
         "Ethambutol is safe in children at any dose.", "exception_admitted"),
        ("The syrup is for oral use only.", "The syrup is for oral use.", "limiting_word_dropped"),
        ("Give half the dose in the evening.", "Give the dose in the evening.",
         "limiting_word_dropped"),
        ("Pyrazinamide is given with water. Ethambutol may colour the urine.",
         "Pyrazinamide may colour the urine.", "sentences_merged"),
        ("Infants get it in the thigh and adults in the upper arm.",
         "Infants get it in the upper arm and adults in the thigh.", "owner_changed"),
        ("Groups of 5 to 9 kg take 1 tablet, groups of 10 to 15 kg take 2 tablets.",
         "Groups of 10 to 15 kg take 1 tablet.", "owner_changed"),
        ("Give isoniazid 10 mg/kg daily (maximum 300 mg).", "Give isoniazid 10 mg/kg daily.",
         "maximum_dropped"),
        ("Antacids are swallowed two hours after isoniazid.",
         "Isoniazid is swallowed two hours after antacids.", "exchanged"),
        ("Contacts are traced within a week.", "Contacts are traced after a week.",
         "order_turned"),
        ("The skin test suits children under the age of 5.",
         "The skin test suits children over the age of 5.", "comparison_changed"),
        ("Rifamycins induce the enzyme.", "Macrolides induce the enzyme.",
         "role_not_in_evidence"),
        ("The first dose is observed.", "The last dose is observed.", "limiting_word_dropped"),
        ("Rats had tumours at the highest dose.", "Patients had tumours at the highest dose.",
         "limiting_word_dropped"),
    ],
)  # fmt: skip
def test_what_changed_its_role_is_rejected(context, evidence: str, claim: str, code: str):
    assert code in codes(context, claim, evidence)
    assert codes(context, evidence, evidence) == set()


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("Give 1.5 g once daily.", "Give 1500 mg once a day."),
        ("The maximum daily dose is 300 mg.", "The daily dose should not exceed 300 mg."),
        ("Isoniazid is contraindicated in liver disease.",
         "Isoniazid must not be used in liver disease."),
        ("Children younger than 5 years are screened.", "Children under 5 years are screened."),
        ("Stop isoniazid if jaundice appears.",
         "If jaundice appears, isoniazid should be stopped."),
        ("Rifampin can be replaced by rifabutin.", "Rifabutin can replace rifampin."),
        ("Rifampin lowers the concentration of isoniazid.",
         "The concentration of isoniazid is lowered by rifampin."),
        ("Isoniazid is contraindicated with rifampin.",
         "Rifampin is contraindicated with isoniazid."),
        ("In adults with porphyria isoniazid is avoided.",
         "Isoniazid is avoided in adults with porphyria."),
        ("Treat for at least six months.", "Treatment lasts a minimum of 6 months."),
        ("If the smear is positive at month two, it is repeated at month three.",
         "Repeat the smear at 3 months if it is positive at 2 months."),
        ("Isoniazid and rifampin do not affect the pharmacokinetics of glumarin.",
         "The pharmacokinetics of glumarin are not affected by isoniazid or rifampin."),
        ("The dose of isoniazid does not need to be changed in the elderly.",
         "No dose adjustment of isoniazid is needed in the elderly."),
        ("The half-life may be prolonged in patients with impaired renal function.",
         "Impaired renal function may prolong the half-life."),
        ("Receive no new visitors.", "Do not receive new visitors."),
        ("Giving glumarin with isoniazid (300 mg daily) is contraindicated because of seizures.",
         "Glumarin must not be given with isoniazid (300 mg daily) because of convulsions."),
        ("The strength was accompanied by fever in the second week.",
         "The strength came with fever in week 2."),
        ("Isoniazid is given daily, except in leprosy. In leprosy rifampin is given monthly.",
         "In leprosy rifampin is given monthly."),
        ("Isoniazid is given daily, except in leprosy.",
         "Except in leprosy isoniazid is given daily."),
        ("Isoniazid is given at 20 mg/kg a day.", "Isoniazid is given at 20 mg/kg/day."),
    ],
)  # fmt: skip
def test_rewordings_pass(context, evidence: str, claim: str):
    assert codes(context, claim, evidence) == set()


def test_no_gate_passes_on_one_reading_for_another(context):
    # Raw the figure is wrong, reworded the polarity: neither reading accepts all.
    evidence = "The maximum daily dose is 300 mg; it is contraindicated in porphyria."
    claim = "The daily dose should not exceed 600 mg; it may be used in porphyria."
    assert codes(context, claim, evidence)


def test_a_rewording_that_fails_lets_nothing_pass(context, monkeypatch: pytest.MonkeyPatch):
    def broken(text: str) -> str:
        raise ValueError(text)

    monkeypatch.setattr("clinrag_core.answer.gates.protocol.reworded", broken)
    assert codes(context, "Refer patients who cough up blood.", "Refer patients with hemoptysis.")


FLUENT = [
    ("Adults under 50 kg take 2 tablets and adults of 50 kg or more take 3 tablets.",
     "Adults under 50 kg take 3 tablets and adults of 50 kg or more take 2 tablets."),
    ("Glumarin should be stopped if the eyes turn yellow.", "Glumarin should be stopped."),
    ("The panel suggests daily isoniazid in contacts.",
     "The panel recommends daily isoniazid in contacts."),
    ("Isoniazid may help some patients.", "Isoniazid helps all patients."),
    ("In the intensive phase four drugs are given, in the continuation phase two drugs.",
     "In the continuation phase four drugs are given, in the intensive phase two drugs."),
]  # fmt: skip


def test_nothing_of_a_fluent_generator_that_errs_is_accepted(passage, drugs):
    chunks, claims = [], []
    for number, (evidence, false) in enumerate(FLUENT):
        chunk = passage(evidence, id=f"{number:024d}")
        chunks.append(chunk)
        citation = cite(chunk, 0, len(evidence))
        claims += [DraftClaim(text, (citation,), "", (evidence,)) for text in (evidence, false)]
    checked = check_draft(Draft(tuple(claims)), chunks, GATES, drugs)
    assert {claim.text for claim in checked.accepted} == {evidence for evidence, _ in FLUENT}
