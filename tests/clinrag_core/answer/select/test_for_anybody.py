"""What is for anybody comes before what is for children where no one is named. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.for_anybody import for_anybody_first
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
OF_CHILDREN = statement("Signs of eye toxicity of zolumycin can be tested in older children.")
OF_ALL = statement("Stop zolumycin if vision is impaired.")
OF_DESCENT = statement("In people of Zolandic descent eye toxicity of zolumycin is at the rim.")
OF_HIV = statement("Zolumycin 300 mg daily is given to persons with HIV infection.")
OF_OLD = statement("Eye toxicity of zolumycin is more frequent over 65 years of age.")


@pytest.mark.parametrize(
    ("question", "first", "second_score", "led_by"),
    [
        ("Zolumycin eye toxicity", OF_CHILDREN, 4.9, OF_ALL),
        ("Zolumycin eye toxicity in children", OF_CHILDREN, 4.9, OF_CHILDREN),
        ("Zolumycin eye toxicity", OF_CHILDREN, 2.0, OF_CHILDREN),
        ("Zolumycin eye toxicity", OF_DESCENT, 4.9, OF_ALL),
        ("Zolumycin dose for a newborn", OF_HIV, 4.9, OF_ALL),
        ("Zolumycin dose in HIV", OF_HIV, 4.9, OF_HIV),
        ("Who has eye toxicity of zolumycin?", OF_OLD, 4.9, OF_OLD),
    ],
)
def test_what_is_for_children_waits_where_nobody_is_named(question, first, second_score, led_by):
    """ "Ethambutol eye toxicity" led with how children are tested."""
    ranked = [
        RankedStatement(first, "b", 5.0, 0.5),
        RankedStatement(OF_ALL, "b", second_score, 0.5),
    ]
    found = for_anybody_first(ranked, read_slots(question, DRUGS), DRUGS)
    assert found[0].statement == led_by
    assert len(found) == len(ranked)
