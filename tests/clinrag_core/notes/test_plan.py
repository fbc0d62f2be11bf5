"""The plan: most urgent first, sources of the summary, low confidence with its reason."""

from __future__ import annotations

from clinrag_core.notes.citations import CitationChecker
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.generated import plan_problem
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note


def test_recommendations_are_numbered_by_urgency(note, summary):
    plan = extractive_plan(note, summary)
    said = [(r.number, r.urgency, r.recommendation) for r in plan.recommendations]
    assert said == [
        (1, "prompt", "Start isoniazid 300 mg daily"),
        (2, "prompt", "Refer to the chest clinic today"),
        (3, "routine", "Review in 2 weeks, earlier if fever"),
        (4, "other", "Send three sputum samples"),
    ]


def test_each_part_is_filed_and_names_the_diagnosis(note, summary):
    first, second, third, _ = extractive_plan(note, summary).recommendations
    assert first.kinds == ("treatment",)
    assert second.kinds == ("follow_up",)
    assert first.problem.text == "?pulmonary tuberculosis"
    assert third.confidence < 0.8
    assert third.hallucination_guard_note
    assert first.confidence == 1.0
    assert first.hallucination_guard_note is None


def test_a_problem_leads_the_list_under_it():
    text = (
        "ASSESSMENT AND PLAN\n\nGout.\n• Continue allopurinol 100 mg daily.\n\n"
        "High blood pressure.\n• Increase ramipril to 10 mg daily.\n"
    )
    note = read_note(text, 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    about = {r.recommendation: r.problem for r in plan.recommendations}
    assert about["Continue allopurinol 100 mg daily."].text == "Gout."
    assert about["Increase ramipril to 10 mg daily."].text == "High blood pressure."


def test_an_emergency_comes_first():
    note = read_note("Plan: rest\nFluids\nCall an ambulance now\n", 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    assert plan.recommendations[0].urgency == "emergency"
    assert plan.recommendations[0].number == 1


def test_a_source_that_the_summary_lacks_is_refused(note, summary):
    checker = CitationChecker(note, quoting=True)
    item = summary.assessment[0]
    assert plan_problem(checker, frozenset([item.source]), item.text, item.source) is None
    missing = plan_problem(checker, frozenset(), item.text, item.source)
    assert missing == "source_not_in_summary"


def test_a_note_without_a_plan_has_none():
    note = read_note("PMH: gout\n", 1_000)
    assert extractive_plan(note, extractive_summary(note).summary).recommendations == ()
