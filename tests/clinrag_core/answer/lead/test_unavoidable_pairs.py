"""What to do where a pair that is to be avoided cannot be; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.unavoidable_pairs import (
    advice_where_unavoidable,
    is_for_the_unavoidable,
)
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
NEVER = label("Zolumycin is contraindicated with rifampin.", group="contraindications")
IF_NEEDED = label(
    "If alternatives to rifampin are not available, zolumycin is stopped first.", group="dosage"
)
OF_OTHER = label("If velotrib is necessary, halve the dose of zolumycin.", group="dosage")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("She takes zolumycin. Rifampin is needed and there is no alternative. How?", [IF_NEEDED]),
        ("She takes zolumycin and needs rifampin urgently. What now?", [IF_NEEDED]),
        ("A patient on zolumycin now needs rifampin. Can I add it?", [IF_NEEDED]),
        ("She takes zolumycin, and it has to be rifampin. What now?", [IF_NEEDED]),
        ("She takes zolumycin, they only have rifampin to offer. What now?", [IF_NEEDED]),
        ("She takes zolumycin and rifampin, which has to be stopped. How?", []),
        ("She takes zolumycin. May she have rifampin?", []),
        ("She is on zolumycin and rifampin. She needs a dose change?", []),
        ("No alternative to zolumycin. What is its dose?", []),
    ],
)
def test_the_label_says_what_to_do_where_both_are_needed(question, expected):
    statements = [NEVER, OF_OTHER, IF_NEEDED]
    ranked = [RankedStatement(one, "labels", 1.0, 0.0) for one in statements]
    slots = read_slots(question, DRUGS)
    found = advice_where_unavoidable(ranked, slots, sources_of(statements, DRUGS))
    assert [one.statement for one in found] == expected


@pytest.mark.parametrize(
    ("said", "is_exception"),
    [
        ("Of those with no other alternative to rifampin the heart is watched.", True),
        ("If zolumycin is necessary, halve the dose.", True),
        ("Watch the heart of those on rifampin.", False),
    ],
)
def test_what_holds_without_an_alternative_is_no_rule(said: str, is_exception: bool) -> None:
    assert is_for_the_unavoidable(label(said)) is is_exception
