"""What is said of another product, another route or another drug is no answer; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import is_fit, misfits
from clinrag_core.answer.fit.unmet import unmet
from clinrag_core.answer.lead.deciding import deciding
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.unspoken import unspoken
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
GEL = label("Not for oral use.", group="dosage", routes=("topical",))
TABLETS = statement("Zolumycin by mouth: 100 mg daily for leprosy.")


def test_what_a_gel_is_not_for_decides_nothing_where_a_guideline_gives_the_tablets():
    slots = read_slots("How much oral zolumycin a day for leprosy?", DRUGS)
    sources = sources_of([GEL, TABLETS], DRUGS)
    ranked = [RankedStatement(TABLETS, "guidelines", 6.0, 0.5)]
    assert deciding(ranked, [], slots, sources) == []
    assert [one.statement for one in deciding([], [], slots, sources)] == [GEL]


def test_a_dose_for_another_disease_is_that_of_a_drug_which_the_field_has_no_use_for():
    drugs = DrugLexicon({**LABELS, "dapsone": ("dapsone",)})

    def fits(name: str) -> bool:
        given = statement(f"{name} by mouth: 100 mg daily for leprosy.")
        return is_fit(read_slots(f"What is the dose of {name}?", drugs), given, drugs)

    assert fits("Dapsone")
    assert not fits("Isoniazid")


def test_a_drug_that_another_one_reverses_is_not_the_one_whose_dose_is_asked():
    assert read_slots("nabrufane dose to reverse zolumycin 5 mg", DRUGS).drugs == ()
    assert read_slots("how do I reverse zolumycin?", DRUGS).drugs == (frozenset({"zolumycin"}),)


@pytest.mark.parametrize(
    ("question", "is_on_levels"),
    [
        ("What trough level should we aim for with zolumycin?", True),
        ("Which zolumycin peaks do you aim for?", True),
        ("What is zolumycin aimed at?", False),
    ],
)
def test_a_level_to_aim_for_is_met_by_levels_only(question, is_on_levels):
    general = label("Zolumycin may be used beyond 6 months.")
    met = label("Keep zolumycin trough concentrations below 3 mcg/mL.")
    slots = read_slots(question, DRUGS)
    assert is_fit(slots, met, DRUGS)
    assert is_fit(slots, general, DRUGS) != is_on_levels


def test_a_size_is_answered_by_a_size():
    slots = read_slots("What size of skin test is positive?", DRUGS)
    assert is_fit(slots, statement("5 mm or more of the skin test is positive."), DRUGS)
    assert not is_fit(slots, statement("A positive skin test shows infection."), DRUGS)


def test_pups_are_animals():
    slots = read_slots("topical zolumycin dose", DRUGS)
    said = "Stillborn pups were seen at a zolumycin dose of 30 mg/kg/day."
    assert not is_fit(slots, label(said, routes=("topical",)), DRUGS)


def test_the_routes_of_several_statements_are_named_once():
    slots = read_slots("intrathecal zolumycin dose", DRUGS)
    injected = label("Give zolumycin 100 mg daily.", routes=("intramuscular", "intravenous"))
    infused = label("Give zolumycin 200 mg daily.", routes=("intravenous",))
    every = [misfits(slots, one, DRUGS) for one in (injected, infused)]
    assert "the intravenous; intramuscular route" in unmet(slots, every)


@pytest.mark.parametrize(
    ("question", "refuses"),
    [
        ("Severe renal failure: I'd halve zolumycin, correct?", False),
        ("May zolumycin tablets be halved?", True),
        ("zolumycin in CLL, for how long?", False),
        ("zolumycin in ZLM, for how long?", True),
    ],
)
def test_halves_of_tablets_and_unknown_initials_must_be_spoken_of(question, refuses):
    slots = read_slots(question, DRUGS)
    shown = [label("Zolumycin is given for 12 weeks in the usual dose in renal failure.")]
    near = [*shown, label("Zolumycin is for leukaemia (CLL); ZLM was not studied.")]
    found = unspoken(question, shown, near, sources_of(near, DRUGS), slots)
    assert bool(found.refusing) == refuses


def test_where_to_inject_is_answered_by_a_site():
    slots = read_slots("Can zolumycin go in the deltoid?", DRUGS)
    assert is_fit(slots, label("Inject zolumycin into the gluteal muscle."), DRUGS)
    assert not is_fit(slots, label("Zolumycin is used with caution in elderly people."), DRUGS)
