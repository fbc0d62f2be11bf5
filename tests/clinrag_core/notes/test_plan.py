"""The plan: most urgent first, sources of the summary, low confidence with its reason."""

from __future__ import annotations

import pytest

from clinrag_core.notes.citations import CitationChecker
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.generated import plan_problem
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note


def test_recommendations_are_numbered_by_urgency(note, summary):
    plan = extractive_plan(note, summary)
    said = [(r.number, r.urgency, r.recommendation) for r in plan.recommendations]
    assert said == [
        (1, "prompt", "Send three sputum samples"),
        (2, "prompt", "Start isoniazid 300 mg daily"),
        (3, "prompt", "Refer to the chest clinic today"),
        (4, "routine", "Review in 2 weeks, earlier if fever"),
    ]


def test_each_part_is_filed_and_names_the_diagnosis(note, summary):
    _, second, third, _ = extractive_plan(note, summary).recommendations
    assert second.kinds == ("treatment",)
    assert third.kinds == ("follow_up",)
    assert second.problem.text == "?pulmonary tuberculosis"
    assert second.confidence == 1.0
    assert second.hallucination_guard_note is None


def test_an_act_under_a_condition_says_so():
    note = read_note("Plan:\nStop the steroid unless she is worse on Monday\n", 1_000)
    (made,) = extractive_plan(note, extractive_summary(note).summary).recommendations
    assert made.confidence < 0.8
    assert made.hallucination_guard_note


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


JOINT = """ASSESSMENT AND PLAN

1. Gouty arthritis.
- Medical Reasoning: He has been well on allopurinol.
- Medical Treatment: Continue allopurinol 100 mg daily.

2. Iron deficiency.
Stools were dark on Tuesday.
Order ferritin.
"""


def test_the_name_of_a_problem_is_a_key_problem_and_no_recommendation():
    note = read_note(JOINT, 1_000)
    summary = extractive_summary(note).summary
    status = {i.text: i.status for i in summary.assessment}
    assert status["Gouty arthritis."] == status["Iron deficiency."] == "present"
    assert [i.text for i in summary.key_problems] == ["Gouty arthritis.", "Iron deficiency."]
    plan = extractive_plan(note, summary)
    assert {r.recommendation: r.problem.text for r in plan.recommendations} == {
        "Continue allopurinol 100 mg daily.": "Gouty arthritis.",
        "Order ferritin.": "Iron deficiency.",
    }


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("Community-acquired pneumonia", "assessment"),
        ("Status post removal of a bunion.", "assessment"),
        ("Left wrist sprain", "assessment"),
        ("Medical Reasoning: This is stable.", "reasoning"),
        ("The film showed no fracture.", "reasoning"),
        ("Medical Reasoning: She is due for a smear.", "plan"),
        ("Simple dressing", "plan"),
        ("Codeine for pain", "plan"),
        ("The wound is to be kept dry.", "plan"),
        ("Doing well on codeine, which is sedating.", "reasoning"),
        ("Doing well on codeine 30 mg, which is sedating.", "reasoning"),
        ("Stable on codeine 30 mg; taper by a third each week.", "plan"),
        ("R/o pneumonia", "plan"),
        ("Warm packs for arthritis", "plan"),
    ],
)
def test_what_a_statement_under_a_plan_is_in_doubt_is_a_recommendation(statement: str, kind: str):
    note = read_note(f"Plan:\n{statement}\n", 1_000)
    assert [unit.kind for unit in note.units] == [kind]


def test_a_recommendation_after_several_problems_is_about_none_of_them():
    text = "IMPRESSION\n\n1. Gout.\n2. Anaemia.\n\nPLAN\n\nStart allopurinol 100 mg daily.\n"
    note = read_note(text, 1_000)
    (made,) = extractive_plan(note, extractive_summary(note).summary).recommendations
    assert made.problem is None


def test_a_plan_without_a_sign_is_found():
    note = read_note("Dizzy for hours\nPlan we will give cinnarizine\nBook a visit\n", 1_000)
    made = extractive_plan(note, extractive_summary(note).summary).recommendations
    assert [r.recommendation for r in made] == ["we will give cinnarizine", "Book a visit"]


def test_what_is_expected_or_was_read_is_no_recommendation():
    text = (
        "PLAN\n\nWe reviewed the patient's x-rays in detail today. I anticipate that she will "
        "improve in 2 weeks. We reviewed her labs and will increase lisinopril.\n"
    )
    note = read_note(text, 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    said = [r.recommendation for r in plan.recommendations]
    assert said == ["We reviewed her labs and will increase lisinopril."]


@pytest.mark.parametrize(
    "text",
    [
        "Ms. Ross is a 23-year-old female who presents today for follow-up.",
        "He also has a history of recurrent strep throat.",
        "A recent MRI revealed a vascular loop.",
        "All questions were answered.",
        "The patient understands and agrees with the plan.",
        "Patient Agreements: The patient understands and agrees with the recommended plan.",
        "Surgical treatment was mentioned, but this is not recommended at this time.",
    ],
)
def test_what_recommends_nothing_is_in_no_plan(text: str):
    note = read_note(f"ASSESSMENT AND PLAN\n\n{text} Continue aspirin 81 mg daily.\n", 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    assert [r.recommendation for r in plan.recommendations] == ["Continue aspirin 81 mg daily."]


@pytest.mark.parametrize(
    ("text", "urgency"),
    [
        ("She will be admitted after surgery for an overnight stay.", "other"),
        ("Admit today.", "emergency"),
        ("CT in 1 year.", "routine"),
        ("CT today.", "prompt"),
        ("We recommend open reduction of the fracture.", "prompt"),
    ],
)
def test_urgency_is_that_of_the_time_given(text: str, urgency: str):
    note = read_note(f"PLAN\n\n{text}\n", 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    assert [r.urgency for r in plan.recommendations] == [urgency]


@pytest.mark.parametrize(
    "statement",
    [
        "He has received both doses of the vaccination.",
        "His symptoms seem to be very mild at this time.",
        "She is fully vaccinated.",
        "He admits to eating late.",
        "I do not believe he will need further tests of the knee.",
        "The patient was transferred to the recovery room in stable condition.",
        "We discussed the nature of the disease at length.",
        "I explained that the cough may be caused by the cold air.",
        "The risks of the operation including infection and bleeding.",
        "All questions answered.",
        "No history of anaphylaxis.",
    ],
)
def test_how_things_are_is_no_recommendation(statement: str):
    """A third of the items of plans were no acts when readers counted them."""
    note = read_note(f"Plan:\nSend a swab today.\n{statement}\n", 1_000)
    said = [r.recommendation for r in extractive_plan(note, extractive_summary(note).summary)
            .recommendations]  # fmt: skip
    assert said == ["Send a swab today."]


@pytest.mark.parametrize(
    "statement",
    [
        "He has received one dose of the vaccination and will have the second in a month.",
        "Symptoms seem to be mild; return if they get worse.",
        "I reviewed the study with him, he will call within a month.",
        "We discussed the nature of the disease and I have ordered a scan.",
        "I explained that the cough may last and he should return in a week.",
        "Stable on lisinopril 10 mg, continue.",
    ],
)
def test_an_act_beside_how_things_are_stays_in_the_plan(statement: str):
    note = read_note(f"Plan:\n{statement}\n", 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    assert len(plan.recommendations) >= 1


def test_a_test_in_a_list_of_acts_is_no_problem():
    """ "Legionella urinary antigen" was the problem of the lines under it."""
    text = "Assessment and plan:\nSevere pneumonia.\n- Admit\n- Urinary antigen.\n- Give fluids\n"
    note = read_note(text, 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    assert {r.recommendation for r in plan.recommendations} == {
        "Admit", "Urinary antigen.", "Give fluids"
    }  # fmt: skip


def test_an_assessment_with_labels_of_a_template_is_a_plan():
    """ "Prescription submitted." was a problem, and what it is about had no plan."""
    text = (
        "Assessment:\nBack pain.\n\u2022 Medical Reasoning: It is worse after sitting.\n"
        "\u2022 Medical Treatment: Physiotherapy referral ordered. Prescription submitted.\n"
    )
    note = read_note(text, 1_000)
    summary = extractive_summary(note).summary
    plan = extractive_plan(note, summary)
    assert [i.text for i in summary.key_problems] == ["Back pain."]
    assert {r.recommendation for r in plan.recommendations} == {
        "Physiotherapy referral ordered.", "Prescription submitted."
    }  # fmt: skip


def test_what_an_impression_says_was_ordered_is_no_problem():
    note = read_note("Impression:\nHeart murmur.\nEchocardiogram ordered.\n", 1_000)
    summary = extractive_summary(note).summary
    assert [i.text for i in summary.key_problems] == ["Heart murmur."]
    assert len(extractive_plan(note, summary).recommendations) == 1
