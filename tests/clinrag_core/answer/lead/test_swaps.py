"""One drug in the place of another, where a guideline is against it; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.lead.swaps import swap_advised_against
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
AGAINST = statement("The replacement of zolumycin with an injectable agent is not advised.")
OTHER = statement("The replacement of velotrib with zolumycin is not advised.")
ALLOWED = statement("The replacement of zolumycin with amikacin worked well.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("QTcF 510 ms, zolumycin is out. Amikacin in its place?", [AGAINST]),
        ("Isoniazid-resistant TB. Swap zolumycin for amikacin?", [AGAINST]),
        ("Zolumycin with amikacin?", []),
        ("Swap zolumycin for rifampin?", []),
    ],
)
def test_what_is_said_against_a_swap_decides(question, expected):
    sources = sources_of([ALLOWED, OTHER, AGAINST], DRUGS)
    found = swap_advised_against(read_slots(question, DRUGS), sources)
    assert [one.statement for one in found] == expected
