"""Claims in other words: what says the same passes; what it mixes, widens or turns fails."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())

JOINED = (
    "Isoniazid is started at 300 mg once daily after a liver test. "
    "Eye examinations are repeated every 3 months while the treatment lasts."
)
OVER_60 = "In patients older than 60 years the dose of streptomycin is lowered as it is toxic."


def is_accepted(context, evidence: str, claim: str) -> bool:
    return all(decision.passed for decision in run_gates(GATES, context(claim, evidence)))


@pytest.mark.parametrize(
    ("evidence", "same", "false"),
    [
        (JOINED,
         "While treatment lasts the eyes are examined every 3 months, and isoniazid begins at "
         "300 mg once a day once the liver has been tested.",
         "While treatment lasts the liver is tested every 3 months, and isoniazid begins at "
         "300 mg once a day once the eyes have been examined."),
        ("Ulcers that do not heal within 8 weeks need another biopsy.",
         "Another biopsy is needed where ulcers are still unhealed within 8 weeks.",
         "Another biopsy is needed where ulcers are healed within 8 weeks."),
        ("About 80% of the cases come from old infections.",
         "Four in five cases come from old infections.",
         "Two in five cases come from old infections."),
        ("Do not give strong inhibitors for more than 14 consecutive days.",
         "Do not give strong inhibitors for more than 14 days in a row.",
         "Do not give strong inhibitors for more than 21 days in a row."),
        ("White blood cells were low in 5% of patients.",
         "Leukocytes were low in 5% of patients.",
         "Red blood cells were low in 5% of patients."),
        ("The rash recurred in 2 patients when linezolid was given again.",
         "In 2 patients a recurrence of the rash followed when linezolid was tried again.",
         "In 2 patients a recurrence of the rash followed when linezolid was stopped."),
        (OVER_60,
         "Anyone over 60 gets a lower dose of streptomycin because it is toxic.",
         "Anyone over 50 gets a lower dose of streptomycin because it is toxic."),
        (OVER_60,
         "Anyone over 60 gets a lower dose of streptomycin because it is toxic.",
         "Streptomycin is toxic, which is why everybody gets a lower dose of it."),
    ],
    ids=["joined", "one_word", "share", "in_a_row", "cells", "recurs", "age", "age_dropped"],
)  # fmt: skip
def test_a_paraphrase_passes_and_what_it_turns_does_not(
    context, evidence: str, same: str, false: str
):
    assert is_accepted(context, evidence, same)
    assert not is_accepted(context, evidence, false)


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("Skin tests are an alternative where a blood test is not available or costs too much.",
         "A blood test is an alternative where a skin test is unavailable or too costly."),
        ("Home monitoring is accurate for finding high pressure.",
         "Home monitoring is inaccurate for finding high pressure."),
        ("Patients should be advised to report mood changes. If depression develops, stopping "
         "isoniazid should be considered.",
         "Patients should say when their mood changes, and isoniazid has to be stopped as soon "
         "as depression develops."),
        ("Linezolid should be used with caution in patients with seizures.",
         "Linezolid is contraindicated in patients with seizures."),
        ("Isoniazid is contraindicated in severe hepatic impairment.",
         "Isoniazid is contraindicated if any degree of hepatic impairment is found."),
        ("No adjustment is needed for oral linezolid in mild renal impairment.",
         "Whether linezolid is swallowed or infused, mild renal impairment needs no adjustment."),
        ("Nine months of isoniazid is preferred, four months of rifampin is an alternative.",
         "Nine months of isoniazid and four months of rifampin are equally preferred."),
        ("Isoniazid should not be used by women who are older than 35 years and smoke.",
         "Isoniazid should not be used by women who smoke, nor by those older than 35 years."),
        ("Rifampin lowers the levels of warfarin within one week. Fluconazole raises the levels of "
         "warfarin and bleeding was reported.",
         "Fluconazole lowers warfarin levels within one week, and with rifampin the levels of "
         "warfarin go up, bleeding having been reported."),
        ("In adults the treatment of severe pneumonia with ceftriaxone lasts 7 days. In children "
         "amoxicillin is preferred for mild pneumonia and lasts 5 days.",
         "Severe pneumonia of adults is treated for 5 days with ceftriaxone, and mild pneumonia "
         "of children for 7 days with amoxicillin, which is preferred there."),
        ("Isoniazid may cause hepatitis in people who drink alcohol. Ethambutol may cause optic "
         "neuritis at doses above 25 mg/kg.",
         "Optic neuritis may arise in drinkers of alcohol on isoniazid, and hepatitis may come "
         "with ethambutol doses above 25 mg/kg."),
        ("A scan should be considered if the smear is positive.",
         "Consider a scan unless the smear is positive."),
        ("Stop linezolid for good in patients who have a seizure while on treatment.",
         "A seizure after linezolid treatment means stopping it for good."),
        ("Cure was more frequent with six months of rifampin (with or without ethambutol).",
         "Cure was more frequent with six months of rifampin, without ethambutol."),
        ("Unless another cause is found, isoniazid must be stopped for good.",
         "Isoniazid has to be stopped for good, if another cause is found."),
        ("Isoniazid and rifampin are given for four months to adults with a positive skin test.",
         "Adults whose skin test is positive get isoniazid or rifampin for four months."),
    ],
    ids=["exchanged", "prefix", "firm", "banned", "any_degree", "whether", "equally", "nor",
         "drugs_mixed", "people_mixed", "harms_mixed", "unless", "after", "without",
         "if_for_unless", "or"],
)  # fmt: skip
def test_what_a_paraphrased_claim_widens_or_hardens_is_rejected(context, evidence: str, claim: str):
    assert not is_accepted(context, evidence, claim)
