"""A suggested figure that is for other people; invented texts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.lead.for_others import advice_for_others, figure_for_others, not_eligible
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.index.knowledge_base import PublishedDocument

DRUGS = DrugLexicon(LABELS)
HEAVY = label("Patients weighing 50 kg or more take 800 mg of zolumycin.")
USUAL = label("Take 600 mg of zolumycin once daily.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Zolumycin for an adult of 44 kg: 800 mg?", [HEAVY]),
        ("On zolumycin 600 mg, 44 kg. Raise it to 800 mg?", [HEAVY]),
        ("Zolumycin for an adult of 60 kg: 800 mg?", []),
        ("Zolumycin for an adult of 44 kg: 600 mg?", []),
        ("Zolumycin 800 mg?", []),
        ("They have 800 mg tablets of zolumycin, she is 44 kg: what dose?", []),
        ("Velotrib for an adult of 44 kg: 800 mg?", []),
    ],
)
def test_whom_a_suggested_figure_is_for_leads_where_it_is_for_others(question, expected):
    ranked = [RankedStatement(one, "labels", 5.0, 0.5) for one in (USUAL, HEAVY)]
    slots = read_slots(question, DRUGS)
    found = figure_for_others(ranked, slots, sources_of([USUAL, HEAVY], DRUGS))
    assert [one.statement for one in found] == expected


def test_the_dose_for_the_very_patient_comes_before_that_of_others():
    low = label(
        "Creatinine clearance 15 to 29 mL/min: zolumycin 300 mg every 48 hours.", group="dosage"
    )
    high = label(
        "Creatinine clearance 60 to 89 mL/min: zolumycin 800 mg every 24 hours.", group="dosage"
    )
    ranked = [RankedStatement(one, "labels", 5.0, 0.5) for one in (high, low)]
    slots = read_slots("Zolumycin with a CrCl of 22: 800 mg?", DRUGS)
    found = figure_for_others(ranked, slots, sources_of([high, low], DRUGS))
    assert [one.statement for one in found] == [low, high]


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("7 year old, well. Zolumycin by the Ruritania manual?", True),
        ("4 year old, well. Zolumycin by the Ruritania manual?", False),
        ("7 year old, well. Zolumycin?", False),
        ("7 year old: what dose of zolumycin by the Ruritania manual?", False),
    ],
)
def test_whom_a_named_manual_gives_a_drug_to_answers_for_another_age(question, is_shown):
    young = statement("Children under 5 years should be treated with zolumycin.").model_copy(
        update={"document_id": "ruritania"}
    )
    sources = sources_of([young], DRUGS)
    base = next(iter(sources.engines[0].knowledge_bases.values()))
    base.manifest = SimpleNamespace(kind="guideline")
    base.documents = (PublishedDocument("ruritania", "Ruritania MoH", "Manual of cough"),)
    ranked = [RankedStatement(young, "guidelines", 5.0, 0.5)]
    found = advice_for_others(ranked, read_slots(question, DRUGS), sources)
    assert [one.statement for one in found] == ([young] if is_shown else [])


def test_the_present_dose_is_not_suggested_but_the_new_one_is():
    slots = read_slots("On zolumycin 600 mg, 44 kg. Raise it to 800 mg?", DRUGS)
    assert [slots.text[one.start : one.end] for one in slots.suggested] == ["800 mg"]


INELIGIBLE = statement(
    "People who are ineligible for BPaL (grave extrapulmonary disease, pregnant, or aged less than"
    " 14 years) can receive an individualized regimen."
)
OTHERS = statement("Children under 14 who are ineligible for isoniazid are watched.")


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("BPaLM for a 13 year old?", True),
        ("BPaL for a pregnant woman?", True),
        ("BPaLM for TB meningitis?", True),
        ("BPaLM for TB of the spine?", True),
        ("BPaLM for a 30 year old?", False),
        ("BPaLM: how long?", False),
        ("Isoniazid for a 13 year old?", False),
    ],
)
def test_that_somebody_is_not_eligible_for_a_regimen_leads(question: str, is_shown: bool):
    ranked = [RankedStatement(one, "guides", 5.0, 0.5) for one in (OTHERS, INELIGIBLE)]
    found = not_eligible(ranked, read_slots(question, DRUGS), sources_of([INELIGIBLE], DRUGS))
    assert [one.statement for one in found] == ([INELIGIBLE] if is_shown else [])
