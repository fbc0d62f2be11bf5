"""The patient summary: plain sentences that lose and add nothing, or the advice to ask."""

from __future__ import annotations

import pytest

from clinrag_core.answer.gates.registry import build_gates
from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.plain.reading import Reading, grade_of
from clinrag_core.answer.plain.rows import row_lines
from clinrag_core.answer.plain.split import LINE, lines_of, run_in_heading, short_sentences
from clinrag_core.answer.plain.wording import plain_wording, without_references
from clinrag_core.answer.summarise import ASK, TOO_HARD, patient_summary, plain_lines
from clinrag_core.settings import AnswerSettings

GATES = build_gates(AnswerSettings())
CLAIM = "Adults take isoniazid 300 mg once daily."


@pytest.mark.parametrize(
    ("patient", "reason"),
    [
        ("Take rifampin 600 mg.", "drug_not_in_evidence: rifampin"),
        ("Take 400 mg once a day.", "quantity_not_in_evidence: 400 mg"),
        ("Take it three times.", "number_not_in_evidence: 3"),
        ("It is for people with HIV.", "high_risk_term: hiv"),
        ("It is for children.", "population_not_in_evidence: children"),
        ("It is given intravenously.", "route_not_in_evidence: intravenous"),
        ("Do not take 300 mg once a day.", "negation_added"),
        ("Adults must take isoniazid 300 mg once daily.", "departs: must"),
        ("Adults who had a stroke take isoniazid.", "departs: who"),
        ("Adults with gout or lupus take isoniazid.", "departs: with"),
        ("Adults with a blood clot take isoniazid.", "departs: with"),
        ("Adults with psoriasis take isoniazid.", "departs: with"),
        ("Adults take isoniazid with grapefruit.", "departs: with"),
        ("Adults take isoniazid with water.", "departs: with"),
        ("Adults take isoniazid before meals.", "departs: before"),
        ("Adults take isoniazid if tired.", "departs: if"),
        ("Adults take isoniazid.", "lost: figure"),
    ],
)
def test_anything_new_or_lost_is_a_reason_against_a_plain_version(drugs, patient, reason):
    assert reason in reasons_against([patient], CLAIM, drugs, GATES)


@pytest.mark.parametrize(
    ("claim", "patient", "kind"),
    [
        ("Avoid it in pregnancy.", "It is in pregnancy.", "denial"),
        ("Give 5 mg and then 5 mg.", "Give 5 mg.", "figure"),
        ("It may be given by mouth.", "It may be given.", "route"),
        ("It may cause hepatitis.", "It may be.", "risk"),
        ("Give isoniazid and rifampin.", "Give isoniazid.", "drug"),
        ("Adults and children take it.", "Adults take it.", "population"),
        ("It may raise the level.", "It is the level.", "direction"),
        ("It should be stopped.", "It is stopped.", "strength"),
    ],
)
def test_every_kind_of_fact_that_is_lost_is_noticed(drugs, claim: str, patient: str, kind: str):
    reasons = reasons_against([patient], claim, drugs, GATES)
    lost = next(reason for reason in reasons if reason.startswith("lost"))
    assert kind in lost


def test_a_gate_that_fails_is_a_reason(drugs):
    class Broken:
        name = "broken"

        def check(self, claim):
            raise RuntimeError

    lines = plain_lines(CLAIM, drugs) or ()
    assert reasons_against(lines, CLAIM, drugs, [Broken()]) == ("gate_error",)


@pytest.mark.parametrize(
    ("claim", "plain"),
    [
        (
            "Glumarin 300 mg is administered orally once daily; hepatic adverse reactions occur.",
            "Glumarin 300 mg is given by mouth once a day; liver side effects occur.",
        ),
        (
            "It is contraindicated in severe renal impairment [see Warnings (5.1)].",
            "It is forbidden in severe kidney disease.",
        ),
        (
            "• Discontinue isoniazid if jaundice occurs (see Table 3).",
            "Stop isoniazid if yellow skin or eyes (jaundice) occurs.",
        ),
        ("Pyrexia is common (12, 13).", "Fever is common."),
        ("Administer an analgesic with it daily.", "Give a pain medicine with it daily."),
    ],
)
def test_plain_words_replace_clinical_ones_and_keep_the_rest(drugs, claim: str, plain: str):
    lines = plain_lines(claim, drugs) or ()
    assert " ".join(line.removeprefix(LINE) for line in lines) == plain
    assert reasons_against(lines, claim, drugs, GATES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "A dose of 5 (3) mg is given.",
        "Fever: 12 (10).",
        "In adults (over 15 years).",
        "At two (3), five and eight months (12).",
        "Adults (tablets): 5 mg.",
    ],
)
def test_figures_in_brackets_are_no_references(text: str):
    assert without_references(text) == text


def test_a_drug_name_is_never_put_into_other_words(drugs):
    text = "Oral amoxicillin is administered."
    assert plain_wording(text, drugs) == "Oral amoxicillin is given."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The drug is given once a day; the level of it is checked each month.", 2),
        ("The drug is given for six months and the liver tests should be done each month until", 1),
        (
            "The drug is given each day with food in the morning at home, and the liver tests are "
            "done each month at the clinic.",
            2,
        ),
        # B alone may be meant for children, for pregnancy, or for neither.
        ("In children, the drug is given once a day; the level of it is checked.", 1),
        ("The drug is given once a day; the drug is stopped in pregnancy by most of them.", 1),
        ("The drug is given once a day; the level is checked if the dose is above 5 mg.", 1),
        # One thought: a denial reaches over it.
        ("The drug should not be stopped, because the patient feels much better than before.", 1),
        ("The drug is forbidden in all of them, because it is harmful.", 2),
        (
            "Patients that have fever and cough are given the drug each day for two or more weeks.",
            1,
        ),
    ],
)
def test_sentences_are_cut_only_where_both_parts_stand_alone(text: str, count: int):
    assert len(short_sentences(text)) == count


def test_a_row_becomes_a_line_for_each_cell_below_what_it_is_about():
    row = "Drug: Glumarin; Daily dose: 5 mg/kg; Weight – 33 to 50 kg: 2 tablets; Note: stop it."
    assert row_lines("Adults; Daily: 5 mg") == ["Adults", "– Daily: 5 mg."]
    assert row_lines(row) == [
        "Drug: Glumarin",
        "– the daily dose is 5 mg/kg.",
        "– Weight – 33 to 50 kg: 2 tablets.",
        "– Note: stop it.",
    ]


def test_a_cell_with_parts_and_brackets_stays_one_line():
    row = "Plan: A; Adults: 5 mg; then 7 mg if heavy (32 kg: 6 mg); Children (all): 2 to 3 mg"
    assert row_lines(row) == [
        "Plan: A",
        "– Adults: 5 mg; then 7 mg if heavy (32 kg: 6 mg).",
        "– Children (all): 2 to 3 mg.",
    ]


@pytest.mark.parametrize(
    "row",
    [
        "Drug: Glumarin; Weight: 35; Weight: 16",  # pounds and kilograms, who knows which
        "Drug\tGlumarin\t5 mg",
    ],
)
def test_a_row_that_cannot_be_read_is_shown_as_it_is_with_advice(drugs, row: str):
    (part,) = patient_summary([row], drugs, GATES).parts
    assert (part.kind, part.sentences, part.advice) == ("clinician", (row,), ASK)
    assert part.reasons == ("row_without_headings",)


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        (
            "If the skin of the patient gets yellow in the first month, stop the tablets and tell "
            "the nurse.",
            [
                "If the skin of the patient gets yellow in the first month,",
                "– stop the tablets and tell the nurse.",
            ],
        ),
        (
            "Give 5 mg of the syrup each morning for two weeks only if the last blood test of the "
            "child was normal.",
            [
                "Give 5 mg of the syrup each morning for two weeks",
                "– only if the last blood test of the child was normal.",
            ],
        ),
        ("Give it if the test was normal.", ["Give it if the test was normal."]),
    ],
)
def test_a_long_sentence_goes_on_in_lines_with_all_its_words(sentence: str, lines: list[str]):
    assert lines_of(sentence) == lines


def test_a_list_of_what_is_denied_stays_in_one_line():
    """A line "rice, bread or milk" below "without eggs," would read as if they were eaten."""
    text = "The child may have breakfast at home on each of these days without eggs, rice or milk."
    assert lines_of(text)[-1].endswith("without eggs, rice or milk.")


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Dosage in Kidney Disease The dose is 5 mg.", "Dosage in Kidney Disease"),
        ("WARNING: LIVER HARM Glumarin can harm the liver.", "WARNING: LIVER HARM"),
        ("Pregnancy Risk Glumarin can harm the baby.", "Pregnancy Risk"),
        ("The dose is 5 mg.", ""),
        ("Glumarin and Tosarel should be stopped.", ""),
    ],
)
def test_a_heading_that_runs_into_its_text_gets_a_line(text: str, heading: str):
    assert run_in_heading(text) == (heading, text.removeprefix(heading).strip())


def test_words_in_capitals_are_written_small(drugs):
    text = "STOP ISONIAZID AT ONCE IF HIV PATIENTS HAVE FEVER. It is TB."
    assert (
        plain_wording(text, drugs) == "Stop ISONIAZID at once if HIV patients have fever. It is TB."
    )


def test_an_overlong_sentence_is_left_to_the_clinician(drugs):
    long = f"Take the tablets with {'rice and bread and ' * 12}milk."
    (part,) = patient_summary([long], drugs, GATES).parts
    assert "long_sentence" in part.reasons


def test_what_cannot_be_made_plain_is_the_clinicians_text_with_advice(drugs):
    plain = "Stop it in severe renal impairment."
    hard = "Glumarin induces hepatocellular apoptosis in immunocompetent phenotypes."
    summary = patient_summary([plain, hard], drugs, GATES)
    first, second = summary.parts
    assert (first.kind, first.sentences) == ("plain", ("Stop it in severe kidney disease.",))
    assert (second.kind, second.sentences, second.advice) == ("clinician", (hard,), ASK)
    assert second.reasons[0].startswith("hard_word: ")
    assert summary.grade == grade_of([Reading(first.sentences, drugs)])
    assert summary.grade is not None
    assert summary.grade < TOO_HARD
    assert not summary.suppressed
    assert patient_summary([hard], drugs, GATES).suppressed


@pytest.mark.parametrize(
    "text", ["Coadministration with rifampin", "Adults: 5 mg/kg", "Daily dose"]
)
def test_a_fragment_is_never_put_into_plain_words(drugs, text: str):
    """An item of a list of what is forbidden reads like an order without the words above it."""
    (part,) = patient_summary([text], drugs, GATES).parts
    assert (part.kind, part.reasons) == ("clinician", ("no_sentence",))


def test_a_copy_is_marked_as_plain_already(drugs):
    (part,) = patient_summary(["Take it with food."], drugs, GATES).parts
    assert part.kind == "already_plain"


def test_names_and_figures_do_not_make_a_sentence_hard(drugs):
    with_it = grade_of([Reading(["Take it with food each day."], drugs)])
    with_name = grade_of([Reading(["Take isoniazid with food each day."], drugs)])
    assert with_it is not None
    assert with_name is not None
    assert abs(with_name - with_it) < 3


@pytest.mark.parametrize(
    ("text", "hard"),
    [
        ("hepatocellular", ["hepatocellular"]),
        ("a CYP3A4 test", ["CYP3A4"]),
        ("the baseline", ["baseline"]),
        ("↑ levels", ["↑"]),
        ("isoniazid for tuberculosis", []),
        ("HIV infection", []),
        ("USE BEFORE MEALS", []),
    ],
)
def test_professional_words_are_hard(drugs, text: str, hard: list[str]):
    assert Reading([text], drugs).hard_words == hard
