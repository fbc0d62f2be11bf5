"""PDF parsing on pages drawn for one question each."""

from __future__ import annotations

import io
from typing import Any

import pytest
from paper import DOSES, Draw, blocks, grid, heading, lines, pdf_of, section, text_of
from paper import read as parsed
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from clinrag_core.parse.assemble.blocks import SEPARATOR

WIDTH, HEIGHT = A4


PROSE = [
    "The programme gives each person a named nurse who knows the",
    "regimen, checks tolerance every week and calls the clinic when",
    "a visit is missed, so that nobody is lost between two visits.",
]


def test_sections_have_heading_text_page_and_box():
    def page(paper: Any) -> None:
        y = heading(paper, "Treatment", 760)
        y = lines(paper, PROSE, y=y) - 10
        y = heading(paper, "Follow-up", y, size=13)
        lines(paper, PROSE, y=y)

    document = parsed(pdf_of(page))
    found = section(document, "Follow-up")
    assert found.path == ("Treatment", "Follow-up")
    assert found.text == " ".join(PROSE)
    (block,) = found.blocks
    assert (block.kind, block.page) == ("paragraph", 1)
    assert block.box is not None
    assert 70 <= block.box[0] <= 74
    assert found.page == 1
    assert document.pages == 1


def test_columns_are_read_one_after_the_other_and_the_sentence_between_them_is_whole():
    left = [f"left line number {n} of the first column of text" for n in range(12)]
    right = [f"right line number {n} of the second column here" for n in range(12)]

    def page(paper: Any) -> None:
        for n in range(12):  # drawn row by row, as some producers do
            lines(paper, [left[n]], 60, 740 - 14 * n)
            lines(paper, [right[n]], 320, 740 - 14 * n)

    text = text_of(parsed(pdf_of(page)))
    assert text == " ".join([*left, *right])


def test_a_title_over_both_columns_is_read_before_them():
    def page(paper: Any) -> None:
        heading(paper, "Regimens for drug-susceptible disease in adults", 780, x=120)
        lines(
            paper, [f"left words on line {n} go on and on for a while" for n in range(12)], 60, 740
        )
        lines(paper, [f"right words on line {n} go on and on as well" for n in range(12)], 320, 740)

    document = parsed(pdf_of(page))
    found = section(document, "Regimens for drug-susceptible disease in adults")
    assert found.text.index("left words on line 11") < found.text.index("right words on line 0")


def test_running_lines_go_and_their_numbers_become_page_labels():
    def page(number: int) -> Draw:
        def draw(paper: Any) -> None:
            lines(
                paper, [f"Manual for tuberculosis care, 3rd edition. {number + 14}"], y=30, size=8
            )
            lines(paper, [f"Page {number} says something of its own.", *PROSE])

        return draw

    document = parsed(pdf_of(*[page(n) for n in range(1, 7)]))
    text = text_of(document)
    assert "Manual for tuberculosis care" not in text
    assert text.count("says something of its own") == 6
    labels = {b.page: b.page_label for s in document.sections for b in s.blocks}
    assert labels[3] == "17"


def test_labels_of_the_file_are_used():
    def page(paper: Any) -> None:
        lines(paper, PROSE)

    data = pdf_of(page, page)

    def labelled(paper: Any) -> None:
        lines(paper, PROSE)

    buffer = io.BytesIO()
    paper = canvas.Canvas(buffer, pagesize=A4, invariant=1)
    paper.addPageLabel(0, style="ROMAN_LOWER", start=4)
    for _ in range(2):
        labelled(paper)
        paper.showPage()
    paper.save()
    assert parsed(data).sections[0].blocks[0].page_label is None
    assert parsed(buffer.getvalue()).sections[0].blocks[0].page_label == "iv"


def raise_text(paper: Any, before: str, raised: str, after: str, y: float) -> None:
    text = paper.beginText(72, y)
    text.setFont("Helvetica", 10)
    text.textOut(before)
    text.setFont("Helvetica", 6)
    text.setRise(4)
    text.textOut(raised)
    text.setRise(0)
    text.setFont("Helvetica", 10)
    text.textOut(after)
    paper.drawText(text)


def test_raised_calls_never_fuse_with_a_dose():
    def page(paper: Any) -> None:
        raise_text(paper, "Give isoniazid 5", "2", " mg per kilogram for 2 months of HRZE", 700)
        raise_text(
            paper, "Control was good in all study groups", "42", " and relapse was rare.", 660
        )
        raise_text(paper, "A load of 10", "6", " organisms per ml was found in the cavity.", 620)
        raise_text(paper, "The dose is 1.4 g/m", "2", " of body surface, in the 2", 580)
        raise_text(paper, "See the 3", "rd", " edition of the manual for details.", 540)

    text = text_of(parsed(pdf_of(page)))
    assert "isoniazid 5 mg per kilogram" in text
    assert "groups and relapse" in text
    assert "10⁶ organisms" in text
    assert "g/m² of body" in text
    assert "3rd edition" in text


def test_hyphens_at_line_ends_follow_the_words_of_the_document():
    def page(paper: Any) -> None:
        lines(
            paper,
            [
                "Directly observed treatment helps. Drug-resistant disease needs",
                "expert care, and treatment is long. Here the line ends in treat-",
                "ment, and the next one ends in a word that is written as drug-",
                "resistant elsewhere, and the name of the disease is here MDR-",
                "TB, which is never joined with what comes after its hyphen.",
            ],
        )

    text = text_of(parsed(pdf_of(page)))
    assert "ends in treatment, and" in text
    assert "drug-resistant elsewhere" in text
    assert "MDR-TB, which" in text


def test_a_coloured_box_is_one_recommendation_in_its_place():
    def page(paper: Any) -> None:
        y = heading(paper, "2.1 Administrative controls", 780)
        lines(paper, PROSE, y=y)
        paper.setFillColorRGB(1, 0.8, 0.3)
        paper.rect(60, 560, 400, 120, stroke=0, fill=1)
        paper.setFillColorRGB(0, 0.4, 0.6)
        paper.rect(60, 655, 250, 25, stroke=0, fill=1)
        paper.setFillColorRGB(1, 1, 1)
        lines(paper, ["Recommendation 4. Masks"], y=663, size=13, font="Helvetica-Bold")
        paper.setFillColorRGB(0, 0, 0)
        lines(paper, ["Masks are recommended for people with a cough in waiting rooms."], y=630)
        lines(
            paper,
            ["(Conditional recommendation based on very low certainty)"],
            y=600,
            font="Helvetica-Oblique",
        )
        y = heading(paper, "Evidence and justification", 530, size=12)
        lines(paper, PROSE, y=y)

    document = parsed(pdf_of(page))
    found = section(document, "Recommendation 4. Masks")
    assert found.path == ("2.1 Administrative controls", "Recommendation 4. Masks")
    ((text, block),) = blocks(found, "recommendation")
    assert text.startswith("Masks are recommended")
    assert text.endswith("very low certainty)")
    assert block.recommendation is not None
    assert block.recommendation.model_dump() == {
        "number": "4",
        "strength": "conditional",
        "certainty": "very low",
        "repeats": None,
        "conditions": ("for people with a cough in waiting rooms",),
    }
    after = section(document, "Evidence and justification")
    assert after.path[-2] == "Recommendation 4. Masks"


def test_text_after_a_box_with_a_heading_belongs_to_the_section_around_it():
    def page(paper: Any) -> None:
        y = heading(paper, "3.1 Efficacy", 780)
        lines(paper, PROSE, y=y)
        paper.setFillColorRGB(0.8, 0.9, 0.9)
        paper.rect(60, 560, 400, 120, stroke=0, fill=1)
        paper.setFillColorRGB(0, 0.3, 0.3)
        lines(paper, ["Key messages"], y=655, size=13, font="Helvetica-Bold")
        paper.setFillColorRGB(0, 0, 0)
        lines(paper, ["The trials showed high efficacy in all groups."], y=630)
        lines(paper, ["Adherence was measured in both arms of the trials."], y=530)

    document = parsed(pdf_of(page))
    assert (
        section(document, "Key messages").text == "The trials showed high efficacy in all groups."
    )
    last = document.sections[-1]
    assert last.path == ("3.1 Efficacy",)
    assert last.text.startswith("Adherence was measured")


def test_numbers_overrule_type_in_nesting():
    """'3.3' must never become a child of '2.7': adult doses would be under 'children'."""

    def page(paper: Any) -> None:
        y = 790.0
        for title in (
            "2.7 Tuberculosis in children",
            "2.7.1 Introduction",
            "3.3 Treatment of adults",
            "3.3.1 Doses",
        ):
            y = heading(paper, title, y, size=11)
            y = lines(paper, PROSE, y=y) - 12

    paths = [s.path for s in parsed(pdf_of(page)).sections]
    assert ("2.7 Tuberculosis in children", "2.7.1 Introduction") in paths
    assert ("3.3 Treatment of adults", "3.3.1 Doses") in paths


def test_the_outline_gives_levels_and_field_names_in_it_are_ignored():
    def page(paper: Any) -> None:
        y = 780.0
        for level, title in enumerate(("Part one", "First chapter", "A section", "A detail")):
            paper.bookmarkPage(title)
            paper.addOutlineEntry(title, title, level=level)
            y = heading(paper, title, y, size=12)
            y = lines(paper, PROSE, y=y) - 12
        paper.bookmarkPage("junk")
        paper.addOutlineEntry("_Hlk103170229", "junk", level=0)

    document = parsed(pdf_of(page))
    assert document.sections[-1].path == ("Part one", "First chapter", "A section", "A detail")
    assert [w.code for w in document.warnings] == ["outline_junk"]


def test_contents_references_and_front_matter_have_their_roles():
    def cover(paper: Any) -> None:
        lines(paper, ["Guideline for the care of tuberculosis"], y=500, size=24)

    def copyright_page(paper: Any) -> None:
        lines(
            paper,
            [
                "© The Ministry 2020. Some rights reserved.",
                "ISBN 978-0-00-000000-0",
                "Suggested citation: Ministry.",
            ],
        )

    def contents(paper: Any) -> None:
        y = heading(paper, "Contents", 780)
        lines(paper, [f"{n} Chapter about something {'.' * 60} {n * 10}" for n in range(1, 9)], y=y)

    def body(paper: Any) -> None:
        y = heading(paper, "Treatment", 780)
        lines(paper, PROSE, y=y)

    def references(paper: Any) -> None:
        y = heading(paper, "References", 780)
        lines(
            paper,
            [
                "1. Author A, Author B. A title. A journal 2001;1:1-2.",
                "2. Author C. Another title. A journal 2002;3:4.",
            ],
            y=y,
        )

    document = parsed(pdf_of(cover, copyright_page, contents, body, references))
    roles = {b.page: s.role for s in document.sections for b in s.blocks}
    assert roles == {
        1: "front_matter",
        2: "front_matter",
        3: "contents",
        4: "body",
        5: "references",
    }
    assert "Chapter about something" not in " ".join(s.path[-1] for s in document.sections)


def test_a_footnote_does_not_cut_the_sentence_that_goes_on_in_the_next_column():
    def page(paper: Any) -> None:
        lines(
            paper,
            [f"left line {n} of a text that goes on and on below" for n in range(30)],
            60,
            760,
        )
        lines(paper, ["2 See the manual of the programme, 2010."], 60, 330, 7)
        lines(paper, [f"right line {n} of a text that started before" for n in range(30)], 320, 760)

    document = parsed(pdf_of(page))
    (found,) = document.sections
    assert "left line 29 of a text that goes on and on below right line 0" in found.text
    ((note, _),) = blocks(found, "footnote")
    assert note == "2 See the manual of the programme, 2010."


def test_a_sentence_over_a_page_break_is_whole():
    def first(paper: Any) -> None:
        lines(
            paper,
            [
                "Rifampicin is given for six months to every person who",
                "completes the intensive phase and whose culture is then",
            ],
            y=120,
        )

    def second(paper: Any) -> None:
        lines(paper, ["negative, unless the strain is resistant to it.", "Others are referred."])

    document = parsed(pdf_of(first, second))
    assert "whose culture is then negative, unless" in document.sections[0].text


def test_blocks_tile_every_section():
    def page(paper: Any) -> None:
        y = heading(paper, "1 Care", 790)
        y = lines(paper, PROSE, y=y) - 10
        grid(paper, DOSES, y, [120, 100, 100])
        y = heading(paper, "1.1 More", y - 100, size=13)
        lines(paper, ["• one thing to do", "• another thing to do", "1. and a number"], y=y)

    document = parsed(pdf_of(page, page))
    for found in document.sections:
        assert found.text == SEPARATOR.join(found.text[b.start : b.end] for b in found.blocks)
    items = [b for s in document.sections for b in s.blocks if b.kind == "list_item"]
    assert len(items) == 6


def test_parsing_twice_gives_the_same_bytes():
    def page(paper: Any) -> None:
        lines(paper, PROSE)
        grid(paper, DOSES, 600, [120, 100, 100])

    data = pdf_of(page)
    assert parsed(data).model_dump_json() == parsed(data).model_dump_json()


@pytest.mark.parametrize("number", ["7", "12"])
def test_a_standard_set_as_a_bold_label_is_a_heading_and_a_numbered_recommendation(number: str):
    def page(paper: Any) -> None:
        y = heading(paper, "Standards for treatment", 780, size=20)
        lines(paper, [f"Standard {number}."], y=y, font="Helvetica-Bold")
        lines(paper, PROSE, x=140, y=y)

    document = parsed(pdf_of(page))
    found = section(document, f"Standard {number}.")
    ((text, block),) = blocks(found, "recommendation")
    assert text.startswith(f"Standard {number}. The programme gives")
    assert block.recommendation is not None
    assert block.recommendation.number == number
