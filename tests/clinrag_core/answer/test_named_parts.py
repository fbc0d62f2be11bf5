"""A part that met nothing is left out only where another part names its drug. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.generate.protocol import QuotableStatement
from clinrag_core.answer.selection import PartSelection, without_named
from clinrag_core.answer.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "said", "kept"),
    [
        ("nausea with velotrib?", "Nausea: zolumycin 9 %, velotrib 4 %.", False),
        ("nausea with velotrib?", "Nausea: zolumycin 9 %.", True),
        ("dose of velotrib?", "Zolumycin 300 mg is given with velotrib.", True),
    ],
    ids=["named", "not-named", "dose"],
)
def test_what_is_missing_is_said_unless_the_other_part_has_it(question: str, said: str, kept: bool):
    shown = QuotableStatement(label(said), 1.0, ())
    met = PartSelection(read_slots("zolumycin", DRUGS), [shown], "", ())
    missing = PartSelection(read_slots(question, DRUGS), [], "No statement on velotrib.", ())
    assert (missing in without_named([met, missing])) is kept
