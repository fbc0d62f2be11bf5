"""A dose to resume is shown with what to do after a longer pause. Invented texts."""

from __future__ import annotations

from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.complete.long_pauses import with_long_pauses
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
RULE = "If dosing was held for 9 days or more, start zolumycin at 2 mg and go up to 20 mg."


def shown(*said: str, with_rule: bool = False, rule_first: bool = False) -> list[str]:
    section = [label(one, group="dosage") for one in (RULE, *said)]
    found = section if rule_first else [*section[1:], section[0]] if with_rule else section[1:]
    ranked = [RankedStatement(one, one.kind, 1.0, 1.0) for one in found]
    return [one.statement.said for one in with_long_pauses(ranked, sources_of(section, DRUGS))]


def test_a_dose_to_resume_is_followed_by_the_rule_for_a_longer_pause():
    first = "Platelets below 30: Withhold zolumycin. Resume zolumycin at 20 mg."
    second = "Second occurrence: Resume at 10 mg."
    assert shown(first, second) == [first, RULE, second]


def test_the_rule_comes_after_no_other_dose():
    usual = "The usual dose of zolumycin is 20 mg."
    assert shown(usual) == [usual]


def test_the_rule_is_shown_once():
    first, other = "Resume zolumycin at 20 mg.", "Zolumycin is given once a day."
    assert shown(first, other, with_rule=True) == [first, RULE, other]


def test_the_rule_comes_right_after_the_dose_wherever_it_was():
    first, other = "Resume zolumycin at 20 mg.", "Zolumycin is given once a day."
    assert shown(first, other, rule_first=True) == [first, RULE, other]
