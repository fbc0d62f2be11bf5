"""One recommendation, printed twice: linked where it is the same, kept where anything differs."""

from __future__ import annotations

import pytest

from clinrag_core.chunk.units import indexed_spans
from clinrag_core.model.section import Section
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.flow import Heading, Piece

SUMMARY = "Recommendation 3: In adults with drug-susceptible TB give the regimen for 6 months"
CHAPTER = "In adults with drug-susceptible TB give the regimen for 6 months"
GRADE = "(Strong recommendation, low certainty of evidence)"


def parsed(summary: str, chapter: str) -> tuple[Section, ...]:
    items = [
        Heading("Summary of the advice", 1),
        Piece("paragraph", f"{summary} every day. {GRADE}"),
        Piece("paragraph", "What follows was discussed at length by the panel."),
        Heading("Recommendation 3. Duration", 1),
        Piece("paragraph", f"{chapter} every day. {GRADE}"),
        Piece("paragraph", "Two trials showed that this works."),
    ]
    return assemble(items, "A guideline")


def links(sections: tuple[Section, ...]) -> list[int | None]:
    return [b.recommendation.repeats for s in sections for b in s.blocks if b.recommendation]


def test_the_summarys_copy_points_to_the_chapters():
    sections = parsed(SUMMARY, CHAPTER)
    chapter = next(s for s in sections if s.title.startswith("Recommendation 3."))
    assert links(sections) == [chapter.ordinal, None]


def test_a_repeat_is_left_out_of_the_index_and_nothing_else_is():
    sections = parsed(SUMMARY, CHAPTER)
    summary = next(s for s in sections if s.title.startswith("Summary"))
    indexed = [summary.text[a:b].strip() for a, b in indexed_spans(summary)]
    assert indexed == ["What follows was discussed at length by the panel."]
    chapter = sections[-1]
    assert indexed_spans(chapter) == [(0, len(chapter.text))]


@pytest.mark.parametrize(
    "changed",
    [
        CHAPTER.replace("6 months", "9 months"),
        CHAPTER.replace("give", "do not give"),
        CHAPTER.replace("adults", "children and other people of any age"),
    ],
)
def test_another_dose_negation_or_population_keeps_both(changed: str):
    assert links(parsed(SUMMARY, changed)) == [None, None]


@pytest.mark.parametrize(
    ("one", "other"), [("testazid", "probamycin"), ("adults", "infants"), ("severe", "mild")]
)
def test_one_other_word_in_a_long_statement_keeps_both(one: str, other: str):
    said = (
        "The panel suggests the use of testazid rather than no medicine at all for the treatment "
        f"of pain or fever in adults with suspected or confirmed severe swamp disease. {GRADE}"
    )
    items = [
        Heading("4.1 First choice", 1),
        Piece("paragraph", said),
        Heading("4.2 Second choice", 1),
        Piece("paragraph", said.replace(one, other)),
    ]
    assert links(assemble(items, "A guideline")) == [None, None]


def test_an_inflected_word_or_another_function_word_is_the_same_statement():
    said = (
        "The panel recommends that adults with swamp disease may be given testazid for the whole "
        f"time in which they have fever at home or in a ward of any hospital. {GRADE}"
    )
    other = said.replace("may be", "can be").replace("a ward", "wards")
    items = [
        Heading("Summary", 1),
        Piece("paragraph", said),
        Heading("4.2 Fever", 1),
        Piece("paragraph", other),
    ]
    assert links(assemble(items, "A guideline")) == [1, None]


def test_another_strength_keeps_both():
    items = [
        Heading("Summary of the advice", 1),
        Piece("paragraph", f"{CHAPTER} every day. {GRADE}"),
        Heading("Duration", 1),
        Piece("paragraph", f"{CHAPTER} every day. {GRADE.replace('Strong', 'Conditional')}"),
    ]
    assert links(assemble(items, "A guideline")) == [None, None]


def test_the_chapter_wins_over_an_annex():
    sections = assemble(
        [
            Heading("Duration", 1),
            Piece("paragraph", f"{CHAPTER} every day. {GRADE}"),
            Heading("Annex 2. Changes since the last edition", 1),
            Piece("paragraph", f"{CHAPTER} every day. {GRADE}"),
        ],
        "A guideline",
    )
    assert links(sections) == [None, sections[-2].ordinal]
