"""Recommendations of any publisher: number, statement and grade in one block."""

from __future__ import annotations

import pytest

from clinrag_core.model.section import Block, Recommendation, Section
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.flow import Heading, Item, Piece

ADVICE = "Adults with contact at home should be offered testazid for three months"


def blocks(*items: Item) -> list[tuple[Section, Block, Recommendation]]:
    return [
        (section, block, block.recommendation)
        for section in assemble(items, "Test guideline")
        for block in section.blocks
        if block.recommendation is not None
    ]


@pytest.mark.parametrize(
    ("text", "strength", "certainty"),
    [
        (f"{ADVICE}. Evidence Category A.", None, "a"),
        (f"RECOMMENDATION: {ADVICE}. Evidence Category B.", None, "b"),
        (f"{ADVICE} (Class IIa; Level of Evidence: B-R).", "class iia", "b-r"),
        (f"{ADVICE} (Class 1, Level A).", "class 1", "a"),
        (f"{ADVICE}. (COR 2b, LOE C-LD)", "class 2b", "c-ld"),
        (f"{ADVICE}. (B recommendation)", "b", None),
        (f"{ADVICE} (Grade A recommendation).", "a", None),
        (f"{ADVICE} (Grade: C)", "c", None),
        (f"{ADVICE} (1B).", "1", "b"),
        (f"{ADVICE} (Grade 2C).", "2", "c"),
        (f"{ADVICE} (A-II).", "a", "ii"),
        (f"{ADVICE} (BIII).", "b", "iii"),
        (f"{ADVICE} (strong recommendation, moderate-quality evidence).", "strong", "moderate"),
        (f"{ADVICE} (Strong/High grade of evidence).", "strong", "high"),
    ],
    ids=lambda value: str(value)[-24:],
)
def test_grades_at_the_end_of_a_statement(text: str, strength: str | None, certainty: str | None):
    ((section, block, found),) = blocks(Piece("paragraph", text))
    assert (found.strength, found.certainty) == (strength, certainty)
    assert "testazid" in section.text_of(block)


@pytest.mark.parametrize(
    "text",
    [
        "Class II drugs may slow the heart (see Table 4).",
        "Grade 3 reactions were seen in two of 50 adults.",
        "Consider the age of the person before any dose is given.",
        "The panel discussed Class I evidence in its first meeting.",
        "Evidence Statement: Testazid lowers fever by one degree in adults. Evidence Category A.",
        "Adults weigh more than children (A).",
        "Adults should be seen again, because the interval was wide (CI).",
    ],
    ids=lambda value: value[:20],
)
def test_a_verb_grade_or_class_alone_is_no_recommendation(text: str):
    assert blocks(Piece("paragraph", text)) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.2.3 Offer testazid to adults who have had contact at home.", "1.2.3"),
        ("1.2.4 Do not offer testazid to adults with a disease of the liver. [2019]", "1.2.4"),
        ("1.2.5 Consider testazid for children who have had contact at home.", "1.2.5"),
        ("Recommendation 7: Adults with contact are given testazid.", "7"),
        ("Recommendation 3.2. In adults with contact, testazid is given daily.", "3.2"),
    ],
)
def test_numbered_advice_is_a_recommendation_without_a_grade(text: str, number: str):
    ((_, _, found),) = blocks(Piece("paragraph", text))
    assert found.number == number


def test_a_labelled_statement_is_a_recommendation_without_a_number():
    ((section, block, found),) = blocks(Piece("paragraph", f"RECOMMENDATION: {ADVICE}."))
    assert found.number is None
    assert section.text_of(block).endswith("three months.")


@pytest.mark.parametrize(
    ("grade", "strength", "certainty"),
    [
        ("Strong recommendation, moderate certainty of evidence", "strong", "moderate"),
        ("Strength of recommendation: conditional. Quality of evidence: low", "conditional", "low"),
        ("Certainty of evidence: very low; strength: strong", "strong", "very low"),
        ("Conditional recommendation", "conditional", None),
        ("Class of recommendation: I. Level of evidence: A", "class i", "a"),
        ("Grade: B", "b", None),
    ],
)
def test_a_grade_line_joins_the_statement_above_it(
    grade: str, strength: str, certainty: str | None
):
    ((section, block, found),) = blocks(
        Piece("paragraph", f"4.2 {ADVICE}."), Piece("paragraph", grade)
    )
    assert (found.number, found.strength, found.certainty) == ("4.2", strength, certainty)
    assert "testazid" in section.text_of(block)


def test_a_statement_set_as_a_heading_joins_the_grade_below_it():
    """Bold statements were the titles of sections that held nothing but a grade."""
    ((section, block, found),) = blocks(
        Heading("Treatment", 1),
        Heading(f"3. {ADVICE}", 2),
        Piece("paragraph", "(Strong recommendation, low certainty of evidence)"),
        Piece("paragraph", "The panel met twice."),
    )
    assert section.path == ("Treatment",)
    assert (found.number, found.strength) == ("3", "strong")
    assert section.text_of(block).startswith(f"3. {ADVICE}")


def test_a_grade_line_above_its_statement_joins_it():
    ((section, block, found),) = blocks(
        Heading("Treatment", 1),
        Piece("paragraph", "Conditional recommendation, low certainty of evidence"),
        Piece("paragraph", f"{ADVICE}."),
    )
    assert found.strength == "conditional"
    assert "testazid" in section.text_of(block)


def test_the_number_of_a_heading_is_that_of_its_first_statement():
    ((_, _, found),) = blocks(
        Heading("Recommendation 4", 2), Piece("paragraph", f"{ADVICE}."), Piece("paragraph", "Why.")
    )
    assert found.number == "4"


def test_a_label_alone_makes_a_statement_gradable():
    ((_, _, found),) = blocks(
        Piece("paragraph", "RECOMMENDATION: Everyone in the house is asked about fever. Evidence "
              "Category D.")
    )  # fmt: skip
    assert found.certainty == "d"


def test_a_code_below_the_rest_of_a_statement_grades_nothing():
    found = blocks(
        Piece("paragraph", "fitness seems to rise in adults who are offered testazid at home."),
        Piece("paragraph", "Evidence Category B."),
    )
    assert found == []
