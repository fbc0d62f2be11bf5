"""Claims that are written anew: what says the same passes, what was turned in them does not."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())


def codes(context, claim: str, evidence: str) -> set[str]:
    decisions = run_gates(GATES, context(claim, evidence), every=True)
    return {str(d.code) for d in decisions if not d.passed}


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        # Amounts and bounds.
        ("Isoniazid 20 mg/kg/day is divided into two doses.",
         "Give isoniazid 20 mg/kg daily in two divided doses."),
        ("Linezolid may be taken 30 minutes before a walk.",
         "Linezolid can be taken half an hour before a walk."),
        ("Do not take more than 3 tablets of isoniazid in 24 hours.",
         "Take at most 3 tablets of isoniazid in a 24-hour period."),
        ("The maximum infusion rate is 8 mg per minute.",
         "Infuse at a rate of no more than 8 mg a minute."),
        ("Isoniazid is given at 5 mg/kg, not exceeding 300 mg.",
         "Isoniazid is given at 5 mg/kg, at most 300 mg."),
        ("Give not more than 4 tablets daily.", "Give no more than 4 tablets a day."),
        ("Read the smear within 24 hours.", "Read the smear within one day."),
        ("Blood is drawn every 4 weeks.", "Blood is drawn every 28 days."),
        ("After 200 mg, 400 mg, and 600 mg daily the levels rose.",
         "The levels rose after 200, 400 and 600 mg daily."),
        ("Smears are read at 2, 4, and 6 weeks.", "Smears are read at weeks 2, 4 and 6."),
        ("Rash was seen in up to 10% of adults.", "Rash was seen in as many as 10% of adults."),
        ("Half of the patients had a cough.", "50% of patients had a cough."),
        ("The dressing should not be removed earlier than 24 hours after the last dose.",
         "The dressing should be removed at least 24 hours after the last dose."),
        # Roles in other words.
        ("Arthralgia was reported in 9% of patients.", "Joint pain occurred in 9% of patients."),
        ("Concentrations in tissue often exceed those in plasma.",
         "Concentrations in tissue are often higher than those in plasma."),
        ("Hyperkalemia may occur with linezolid.", "Linezolid may raise serum potassium."),
        ("Mortality was lower in the treated group.", "Fewer patients died in the treated group."),
        ("Patients should be told that breastfeeding is possible on isoniazid.",
         "Women on isoniazid should be told that breastfeeding is possible."),
        ("Children under 5 years in contact with TB should receive isoniazid.",
         "Isoniazid should be given to contacts of TB who are younger than 5 years."),
        # Denials, conditions and orders in another form.
        ("Linezolid should not be used during pregnancy unless the benefit outweighs the risk.",
         "Use of linezolid in pregnancy is only acceptable if the benefit outweighs the risk."),
        ("Do not give the vaccine before the counts are confirmed.",
         "The vaccine should not be given until the counts are confirmed."),
        ("Patients with a clearance of less than 40 mL/min were excluded.",
         "The study did not include patients whose clearance was below 40 mL/min."),
        ("Linezolid lowers glumarin levels.", "Glumarin concentrations decrease with linezolid."),
        ("Isoniazid is not absorbed from the gut.", "The gut does not absorb isoniazid."),
        ("The dose of isoniazid is 5 mg/kg a day.", "Give isoniazid at 5 mg/kg a day."),
        ("Known porphyria is a contraindication to isoniazid.",
         "Isoniazid should not be used in known porphyria."),
        # Another word, the sentence being another one too.
        ("Isoniazid may mask the signs of an ulcer, and patients are informed of this.",
         "Patients are informed that an ulcer's signs may be hidden by isoniazid."),
    ],
)  # fmt: skip
def test_a_rewritten_claim_passes(context, evidence: str, claim: str):
    assert codes(context, claim, evidence) == set()


@pytest.mark.parametrize(
    ("evidence", "claim", "code"),
    [
        ("Rash was seen in 9% of isoniazid patients versus 4% of comparator patients.",
         "A rash occurred in 4% of patients on isoniazid and in 9% of comparator patients.",
         "owner_changed"),
        ("Linezolid 600 mg is given on day 1, followed by 300 mg on days 2 to 6.",
         "On day 1 give linezolid 300 mg, then 600 mg on each of days 2 to 6.", "sides_exchanged"),
        ("Patients got isoniazid (200 mg per day if weighing <40 kg or 300 mg per day if >=40 kg).",
         "Isoniazid went by weight: patients under 40 kg got 300 mg a day and those of 40 kg or "
         "more got 200 mg a day.", "owner_changed"),
        ("Take isoniazid 2 hours before or 4 hours after antacids.",
         "Isoniazid is taken 4 hours before or 2 hours after antacids.", "owner_changed"),
        ("Isoniazid lowers the levels of rifampin.",
         "The levels of isoniazid are lowered when rifampin is taken.", "drug_displaced"),
        ("The decrease in the excretion of isoniazid by rifampin is small.",
         "That isoniazid decreases the excretion of rifampin is small.", "drug_displaced"),
        ("With normal kidney function the half-life of linezolid is 5 hours.",
         "The half-life of linezolid is 5 hours when kidney function is impaired.", "word_turned"),
        ("Breastfeeding women on linezolid should watch their infants for rash.",
         "Breastfeeding infants on linezolid should watch their women for rash.", "exchanged"),
        ("The safety of linezolid in infants has not been established.",
         "Linezolid has been shown to be safe in infants.", "negation_removed"),
        ("The two drugs should not be given at the same time.",
         "Give both drugs at the same time.", "negation_removed"),
        ("Give 5 mL (100 mg) of the syrup.", "Give 5 mL of the syrup (100 mg each mL).",
         "role_not_in_evidence"),
        ("Linezolid is a potassium channel blocker, sold as a tablet.",
         "Linezolid, which is sold as a tablet, blocks sodium channels.", "role_not_in_evidence"),
        ("Store the vials of linezolid in a refrigerator.", "Vials of linezolid should be frozen.",
         "role_not_in_evidence"),
        ("Isoniazid toxicity was more common in patients older than 50 years than in younger ones.",
         "Patients over 50 years had isoniazid toxicity less often than younger ones.",
         "word_turned"),
        ("Patients received isoniazid 300 mg daily.",
         "Patients should have isoniazid 300 mg daily.", "modality_changed"),
    ],
)  # fmt: skip
def test_what_was_turned_in_a_rewritten_claim_is_rejected(
    context, evidence: str, claim: str, code: str
):
    assert code in codes(context, claim, evidence)
    assert codes(context, evidence, evidence) == set()
