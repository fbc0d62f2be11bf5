"""Figures of a question that are circumstance, not suggestion; words that name no topic."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.topic_words import topic_words
from clinrag_core.answer.select.premises import contradicted
from clinrag_core.facts.drugs import DrugLexicon

COURSE = label("Take zolumycin 300 mg daily for 6 weeks.")


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "noted"),
    [
        ("Zolumycin for 20 weeks, right?", True),
        ("Since zolumycin works in one week, what dose?", True),
        ("She missed zolumycin for 4 days, what now?", False),
        ("Zolumycin held 9 days, how to resume?", False),
        ("Why was zolumycin for 2 weeks given up?", False),
        ("Zolumycin 900 mg: what happens?", True),
    ],
)
def test_times_are_contradicted_only_where_they_are_suggested(question, noted, drugs) -> None:
    assert bool(contradicted(read_slots(question, drugs), [COURSE], drugs)) == noted


def test_a_value_without_its_limit_decides_nothing(drugs) -> None:
    normal = read_slots("A 27 yo woman with ALT 22: can she start zolumycin?", drugs)
    raised = read_slots("A 27 yo woman with ALT 8 times ULN: can she start zolumycin?", drugs)
    long_qt = read_slots("TB and a long QT: add zolumycin?", drugs)
    assert long_qt.decides_on_finding
    assert not read_slots("zolumycin and the QT interval: how is it monitored?", drugs).is_patient
    assert not normal.decides_on_finding
    assert raised.decides_on_finding


def test_a_story_with_a_girl_of_so_many_yo_is_a_case(drugs) -> None:
    assert read_slots("Girl 4 yo, contact of her mother. Which treatment?", drugs).is_case


def test_contracted_denials_name_no_topic(drugs) -> None:
    assert topic_words("when shouldn't zolumycin be used", drugs, {}) == ()
