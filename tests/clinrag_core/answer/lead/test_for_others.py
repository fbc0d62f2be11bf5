"""A suggested figure that is for other people; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.for_others import figure_for_others
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

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


def test_the_present_dose_is_not_suggested_but_the_new_one_is():
    slots = read_slots("On zolumycin 600 mg, 44 kg. Raise it to 800 mg?", DRUGS)
    assert [slots.text[one.start : one.end] for one in slots.suggested] == ["800 mg"]
