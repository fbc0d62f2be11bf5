"""What a newer guideline says comes before what an older one says; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.newer import newer_caution_first, newer_recommendation_first
from clinrag_core.answer.select.arrange import arrange
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


def ranked(*statements, step: float = 0.1) -> list[RankedStatement]:
    """Statements with scores that fall."""
    return [RankedStatement(one, "label", 5.0 - n * step, 1.0) for n, one in enumerate(statements)]


def test_a_column_of_contraindications_is_no_newer_caution_on_a_dose():
    """A manual's table of the drugs had led with its dose, for the word in its heading."""
    usual = statement("Zolumycin: 5 mg/kg daily", year=2014, statement_kind="row")
    table = statement(
        "Zolumycin: 10 mg/kg; Contraindications: liver failure", year=2017, statement_kind="row"
    )
    warning = statement("Zolumycin is contraindicated in liver failure.", year=2017)
    slots = read_slots("What is the dose of zolumycin?", DRUGS)
    assert newer_caution_first(ranked(usual, table), slots, DRUGS)[0].statement == usual
    assert newer_caution_first(ranked(usual, warning), slots, DRUGS)[0].statement == warning


def test_a_newer_caution_without_a_dose_does_not_stand_before_the_dose():
    usual = statement("The usual dose of zolumycin is 600 mg once daily.", year=2017)
    caution = statement("Zolumycin needs close monitoring in tuberculosis.", year=2020)
    ranked = [RankedStatement(one, "g", 4.0 - n / 9, 0.5) for n, one in enumerate((usual, caution))]
    slots = read_slots("What is the dose of zolumycin?", DRUGS)
    found = arrange(ranked, slots, sources_of([usual, caution], DRUGS))
    assert found[0].statement.said.startswith(usual.said)


def test_a_newer_recommendation_as_near_leads():
    old = statement("Treatment lasts 4 months after cultures turn.", year=2017)
    new = statement(
        "Treatment for 15 months is recommended.", year=2020, statement_kind="recommendation"
    )
    older = statement(
        "Treatment for 9 months is recommended.", year=2010, statement_kind="recommendation"
    )
    near, far = (ranked(old, new, step=step) for step in (0.01, 1.0))
    slots = read_slots("How long is treatment?", DRUGS)
    assert newer_recommendation_first(near, slots, DRUGS)[0].statement == new
    assert newer_recommendation_first(far, slots, DRUGS)[0].statement == old
    of_old = ranked(old, older, step=0.01)
    assert newer_recommendation_first(of_old, slots, DRUGS)[0].statement == old


@pytest.mark.parametrize(
    ("question", "is_first"), [("BPaL or BPaLM?", True), ("How long is BPaL or BPaLM?", False)]
)
def test_who_may_have_a_regimen_is_said_by_its_newest_guideline(question: str, is_first: bool):
    both = statement("Providers can use BPaLM for these patients.", year=2025)
    old = statement("BPaL may be used in research only.", year=2020)
    new = statement("Providers can use BPaL for those patients.", year=2025)
    slots = read_slots(question, DRUGS)
    found = newer_recommendation_first(ranked(both, old, new), slots, DRUGS)
    expected = [both, new, old] if is_first else [both, old, new]
    assert [one.statement for one in found] == expected


@pytest.mark.parametrize(
    ("question", "newer", "is_first"),
    [
        ("Which regimen for TB?", "Providers can use zolumycin and velotrib for TB.", True),
        ("Which regimen for TB?", "Zolumycin and velotrib for TB were studied.", False),
        ("Which regimen for TB?", "Providers can use zolumycin for TB.", False),
        ("Is zolumycin for TB safe?", "Providers can use zolumycin and velotrib for TB.", False),
    ],
)
def test_the_newest_regimen_of_a_disease_leads(question: str, newer: str, is_first: bool):
    old = statement("Rifampin and isoniazid are recommended for TB.", year=2017)
    new = statement(newer, year=2025)
    found = newer_recommendation_first(ranked(old, new), read_slots(question, DRUGS), DRUGS)
    assert (found[0].statement == new) == is_first


@pytest.mark.parametrize(
    ("question", "leads"),
    [("At what ALT is latent TB treatment held?", "new"), ("Is ALT checked first?", "old")],
)
def test_a_newer_limit_of_a_measure_takes_the_place_of_an_older_one(question: str, leads: str):
    """A limit of 2001 for one regimen had been shown for all, and that of 2025 left out."""
    old = statement(
        "Treatment is stopped if ALT exceeds five times the upper limit of normal.", year=2001
    )
    new = statement(
        "It is withheld if ALT exceeds three times the upper limit of normal.", year=2025
    )
    found = newer_recommendation_first(ranked(old, new), read_slots(question, DRUGS), DRUGS)
    assert found[0].statement == {"new": new, "old": old}[leads]
    assert (old in [one.statement for one in found]) == (leads == "old")


def test_the_newest_advice_on_a_length_leads_where_it_is_near():
    old = statement("Regimens last up to 20 months.", year=2017)
    new = statement("A total of 18 to 20 months is suggested for most patients.", year=2020)
    compared = statement("In 2016 a regimen of 9 months was compared.", year=2020)
    slots = read_slots("How long is the longer regimen?", DRUGS)
    assert newer_recommendation_first(ranked(old, new), slots, DRUGS)[0].statement == new
    assert newer_recommendation_first(ranked(old, compared), slots, DRUGS)[0].statement == old
