"""Rules on strings that all guideline parsers share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.characters import clean, squeeze
from clinrag_core.parse.assemble.flow import (
    BoxEdge,
    Heading,
    Item,
    Piece,
    plain_rows,
)
from clinrag_core.parse.assemble.grades import gradings
from clinrag_core.parse.assemble.raised import read_raised
from clinrag_core.parse.assemble.recommendations import split_recommendations


@pytest.mark.parametrize(
    ("raw", "font", "text"),
    [
        ("O\ufb03cial \ufb01nding", "", "Official finding"),
        ("tubercu\u00adlosis", "", "tuberculosis"),
        ("5\u00a0days", "", "5 days"),
        ("1\u00a0500 mg", "", "1\u00a0500 mg"),
        ("in 2010\u00a0100 people", "", "in 2010\u00a0100 people"),
        ("10\u2076 and m\u00b2", "", "10\u2076 and m\u00b2"),
        ("\uf0b7 item", "SymbolMT", "• item"),
        ("\uf0b3 50", "Symbol", "≥ 50"),
        ("\uf0b3 50", "Other", "\uf0b3 50"),
        ("a\x07b\ufeffc\u200e", "", "abc"),
        ("first\u2011line", "", "first-line"),
    ],
)
def test_characters(raw: str, font: str, text: str):
    assert clean(raw, font=font) == text


@given(st.text())
def test_cleaning_is_idempotent(text: str):
    assert clean(clean(text)) == clean(text)


def test_squeezing_leaves_the_space_inside_a_number():
    assert squeeze("  1\u00a0500 \n mg ") == "1\u00a0500 mg"


@pytest.mark.parametrize(
    ("before", "raised", "read"),
    [
        ("control.", "42", ""),
        ("of HRZE", "a", ""),
        ("dose 5", "2", ""),
        ("dose 500", "3", ""),
        ("others.", "27,28,42", ""),
        ("countries", "147-150", ""),
        ("values", "*†", ""),
        ("treated", "2 ", " "),
        ("10", "6", "⁶"),
        ("1.5 x 10", "-3", "⁻³"),
        ("per mm", "3", "³"),
        ("kg/m", "2", "²"),
        ("the 3", "rd", "rd"),
        ("CD4", "+", "+"),
        ("Ca", "2+", "2+"),
        ("Xpert", "®", "®"),
        ("some", "whole words set high", "whole words set high"),
    ],
)
def test_what_a_raised_run_means(before: str, raised: str, read: str):
    assert read_raised(before, raised) == read


@pytest.mark.timeout(60)
def test_a_long_raised_run_takes_no_time():
    read_raised("x", "1" * 100_000 + "!")


@pytest.mark.parametrize(
    ("text", "strength", "certainty"),
    [
        (
            "(Conditional recommendation based on very low certainty in the estimates of effects)",
            "conditional",
            "very low",
        ),
        ("(Strong recommendation, very low quality of evidence)", "strong", "very low"),
        ("(Strong/High grade of evidence)", "strong", "high"),
        ("(Weak/Insufficient evidence, expert opinion)", "weak", "insufficient"),
        ("Conditional recommendation with very low certainty evidence.", "conditional", "very low"),
        (
            "(strong recommendation, moderate to high certainty evidence)",
            "strong",
            "moderate to high",
        ),
        ("(strong recommendation; moderate quality of evidence)", "strong", "moderate"),
        ("(conditional recommendation, low-quality evidence)", "conditional", "low"),
        ("(Strong recommendation; level I evidence)", "strong", "i"),
        ("(good practice statement)", "good practice statement", None),
    ],
)
def test_wordings_of_strength_and_certainty(text: str, strength: str, certainty: str | None):
    (found,) = gradings("Give the drug daily. " + text)
    assert (found.strength, found.certainty) == (strength, certainty)


@pytest.mark.parametrize(
    "text",
    [
        "The panel discussed a strong recommendation against it at length, then went home.",
        "We make no recommendation, strong or weak.",
        "A conditional recommendation a decade ago said so.",
    ],
)
def test_talk_about_recommendations_is_none(text: str):
    assert [r for _, r in split_recommendations(text)] == [None]


def test_a_grading_in_the_middle_of_a_sentence_makes_no_recommendation():
    text = (
        "The group made a strong recommendation, low certainty of evidence notwithstanding, "
        "because the harm of waiting is large and certain."
    )
    assert [r for _, r in split_recommendations(text)] == [None]


def test_a_paragraph_of_recommendations_is_cut_at_their_gradings():
    grade = "(Conditional recommendation, very low certainty in the estimates of effect)"
    text = f"No. Recommendation 1.1 Give the drug daily. {grade} 1.2 Do not give it twice. {grade}"
    parts = split_recommendations(text)
    assert [r.number if r else None for _, r in parts] == [None, "1.1", "1.2"]
    assert " ".join(t for t, _ in parts) == text


@given(st.text("ab .(1strong recommendation, low certainty of evidence)", max_size=200))
def test_cutting_loses_no_word(text: str):
    parts = split_recommendations(text)
    assert "".join("".join(t.split()) for t, _ in parts) == "".join(text.split())


def test_a_grade_on_its_own_line_joins_the_text_before_it():
    sections = assemble(
        [
            Heading("Recommendation 3. Masks", 1),
            Piece("paragraph", "Masks are recommended for people who cough."),
            Piece("paragraph", "(Strong recommendation, low certainty of evidence)"),
            Piece("paragraph", "They cost little."),
        ],
        "Title",
    )
    first, last = sections[0].blocks
    assert first.recommendation is not None
    assert first.recommendation.number == "3"
    assert sections[0].text[first.start : first.end].endswith("evidence)")
    assert last.recommendation is None


def test_text_after_a_box_returns_to_the_section_before_it():
    items: list[Item] = [
        Heading("Chapter", 1),
        Piece("paragraph", "Before."),
        BoxEdge.START,
        Heading("Key messages", 2),
        Piece("paragraph", "Inside."),
        BoxEdge.END,
        Piece("paragraph", "After."),
    ]
    assert [(s.path, s.text) for s in assemble(items, "T")] == [
        (("Chapter",), "Before."),
        (("Chapter", "Key messages"), "Inside."),
        (("Chapter",), "After."),
    ]


def test_a_table_after_a_bibliography_is_body():
    items: list[Item] = [
        Heading("References", 1),
        Piece("paragraph", "1. A book."),
        Piece("table", rows=plain_rows((("a", "b"), ("c", "d")))),
    ]
    assert [s.role for s in assemble(items, "T")] == ["references", "body"]


ITEM = st.one_of(
    st.builds(Heading, st.sampled_from(["A", "B c", "References", "Contents"]), st.integers(0, 4)),
    st.builds(Piece, st.sampled_from(["paragraph", "list_item"]), st.text("xyz .", max_size=30)),
    st.sampled_from(BoxEdge),
)


@given(st.lists(ITEM, max_size=30))
def test_sections_count_up_and_contain_every_word_in_order(items: list[Item]):
    sections = assemble(items, "Title")
    assert [s.ordinal for s in sections] == list(range(len(sections)))
    wanted = "".join("".join(i.text.split()) for i in items if isinstance(i, Piece))
    assert "".join("".join(s.text.split()) for s in sections) == wanted
    for section in sections:
        assert all(section.text[b.start : b.end].strip() for b in section.blocks)
