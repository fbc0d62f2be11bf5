"""Structure of PDFs that type does not show: numbers, margins, gaps, watermarks, roles."""

from __future__ import annotations

from typing import Any

import pytest
from paper import Draw, pdf_of
from paper import read as parsed
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth

from clinrag_core.errors import ParseError
from clinrag_core.model.document import Document
from clinrag_core.parse.pdf.spaces import glued_share, is_letter_spaced

WIDTH, HEIGHT = A4
TEXT = "Adults take testazid with food once a day and are seen again after two weeks of care."


def write(paper: Any, lines: list[tuple[float, str]], x: float = 72, size: float = 11) -> None:
    """Draw lines of one plain font, each with the distance from the line above in points."""
    paper.setFont("Helvetica", size)
    y = 800.0
    for gap, text in lines:
        y -= gap
        paper.drawString(x, y, text)


def titles(document: Document) -> list[str]:
    return [s.title for s in document.sections if s.title != document.title]


def text_of(document: Document) -> str:
    return "\n".join(s.text for s in document.sections if s.role == "body")


def plain_chapter(*numbered: str) -> list[tuple[float, str]]:
    """Numbered titles in the type of the text, each with two lines of text below it."""
    return [
        row for title in numbered for row in ((24.0, title), (18.0, TEXT), (13.0, f"{TEXT[:60]}."))
    ]


def test_numbered_titles_in_the_type_of_the_text_are_headings():
    pages = [
        plain_chapter("1.1 Dose", "1.2 Children", "1.3 Renal impairment"),
        plain_chapter("2.1 Monitoring", "2.2 Follow up", "12.1 Storage"),
    ]
    document = parsed(pdf_of(*(lambda p, rows=rows: write(p, rows) for rows in pages)))
    assert titles(document) == [
        "1.1 Dose", "1.2 Children", "1.3 Renal impairment", "2.1 Monitoring", "2.2 Follow up",
        "12.1 Storage",
    ]  # fmt: skip


def test_a_number_that_does_not_rise_is_no_heading():
    """A greedy chain would take 12.7 and lose all chapters after it."""
    rows = plain_chapter("1.1 Dose", "12.7 Percent of adults", "1.2 Children", "2.1 Monitoring")
    assert titles(parsed(pdf_of(lambda p: write(p, rows)))) == [
        "1.1 Dose", "1.2 Children", "2.1 Monitoring",
    ]  # fmt: skip


def test_numbered_paragraphs_are_no_headings():
    rows = [
        row
        for n in range(1, 7)
        for row in (
            (24.0, f"1.{n} Offer testazid to adults who have had contact with a person who is"),
            (13.0, "ill, unless they have been treated before or have a disease of the liver."),
        )
    ]
    assert titles(parsed(pdf_of(lambda p: write(p, rows)))) == []


def test_text_right_below_a_full_title_is_not_part_of_it():
    title = "2.2 Treatment of Adults With Impaired Renal Function Who Take Other Medicines"
    rows = [
        *plain_chapter("2.1 Dose"), (24.0, title), (13.0, TEXT), (13.0, TEXT),
        *plain_chapter("2.3 Children"),
    ]  # fmt: skip
    assert titles(parsed(pdf_of(lambda p: write(p, rows)))) == ["2.1 Dose", title, "2.3 Children"]


def test_a_list_of_contents_below_other_text_gives_no_headings():
    names = ["1.1 Dose", "1.2 Children", "1.3 Renal impairment", "1.4 Monitoring"]
    first = [(20.0, TEXT), (13.0, TEXT), *((20.0, name) for name in names)]
    document = parsed(pdf_of(lambda p: write(p, first), lambda p: write(p, plain_chapter(*names))))
    assert titles(document)[-4:] == names
    assert titles(document).count("1.1 Dose") == 1
    assert any(s.role == "contents" for s in document.sections)


def test_a_title_between_two_numbers_stays_in_its_chapter():
    def draw(paper: Any) -> None:
        y = 780
        for text, font, size in (
            ("1 CARE OF ADULTS", "Helvetica-Bold", 12), (TEXT, "Helvetica", 10),
            ("1.1 Dose", "Helvetica-Bold", 11), (TEXT, "Helvetica", 10),
            ("Large doses", "Helvetica-Bold", 14), (TEXT, "Helvetica", 10),
            ("1.2 Children", "Helvetica-Bold", 11), (TEXT, "Helvetica", 10),
        ):  # fmt: skip
            paper.setFont(font, size)
            paper.drawString(72, y, text)
            y -= 26

    paths = [s.path for s in parsed(pdf_of(draw)).sections]
    assert ("1 CARE OF ADULTS", "Large doses") in paths
    assert ("1 CARE OF ADULTS", "1.2 Children") in paths


def test_a_number_in_the_margin_belongs_to_the_text_on_its_baseline():
    def draw(paper: Any) -> None:
        y = 780
        for n in range(1, 6):
            paper.setFont("Helvetica", 9)
            paper.drawString(40, y, f"1.2.{n}")
            paper.setFont("Helvetica", 12)
            paper.drawString(92, y, "Offer testazid to adults with contact at home, whatever their")
            paper.drawString(92, y - 14, "age is, and see them again after two weeks. [2021]")
            y -= 44

    document = parsed(pdf_of(draw))
    numbers = [
        b.recommendation.number for s in document.sections for b in s.blocks if b.recommendation
    ]
    assert numbers == [f"1.2.{n}" for n in range(1, 6)]


def test_small_bold_titles_above_larger_text_are_headings():
    def draw(paper: Any) -> None:
        y = 780
        for name in ("Dose in adults", "Dose in children"):
            paper.setFont("Helvetica-Bold", 9.5)
            paper.drawString(72, y, name)
            paper.setFont("Times-Roman", 11.5)
            for line in range(1, 4):
                paper.drawString(72, y - 14 * line, TEXT)
            y -= 80

    assert titles(parsed(pdf_of(draw))) == ["Dose in adults", "Dose in children"]


def glued(paper: Any, text: str, y: float, gap: float = 0.12) -> None:
    """Draw the words of a text without spaces, set apart by a share of the type size."""
    size, x = 10, 72.0
    paper.setFont("Helvetica", size)
    for word in text.split():
        paper.drawString(x, y, word)
        x += stringWidth(word, "Helvetica", size) + gap * size


def test_spaces_are_read_from_the_gaps_between_characters():
    def draw(paper: Any) -> None:
        for n in range(20):
            glued(paper, TEXT, 780 - 20 * n)

    document = parsed(pdf_of(draw))
    assert TEXT in text_of(document)
    assert "spaces_restored" in {w.code for w in document.warnings}


def test_glue_is_measured_on_words_and_not_on_addresses():
    assert glued_share(["Adultstaketestazidwithfoodonce a day"]) > 0.5
    assert glued_share(["see https://example.org/averyveryverylongpathofanaddress today"]) == 0


def test_letters_set_apart_become_words():
    def draw(paper: Any) -> None:
        write(paper, [(30.0, TEXT)] * 6)
        paper.drawString(72, 500, "CARE OF ADULTS", charSpace=3.6)

    assert titles(parsed(pdf_of(draw))) == ["CARE OF ADULTS"]
    assert not is_letter_spaced("Dose . . . . . . . . . . . . . 12")


def test_a_watermark_is_no_text():
    def draw(paper: Any) -> None:
        write(paper, [(30.0, TEXT)] * 6)
        paper.saveState()
        paper.translate(150, 200)
        paper.rotate(45)
        paper.setFont("Helvetica-Bold", 60)
        paper.drawString(0, 0, "Archived copy only")
        paper.restoreState()

    document = parsed(pdf_of(*[draw] * 4))
    assert "Archived" not in "".join(s.text for s in document.sections)
    assert "Adults take" in text_of(document)


def picture() -> ImageReader:
    from PIL import Image

    return ImageReader(Image.new("RGB", (40, 40), (200, 60, 60)))


def test_an_image_off_the_page_does_not_make_the_text_ocr():
    def draw(paper: Any) -> None:
        paper.drawImage(picture(), WIDTH + 20, 0, WIDTH, HEIGHT)
        write(paper, [(30.0, TEXT)] * 6)

    assert {s.text_source for s in parsed(pdf_of(draw)).sections} == {"text_layer"}


def test_a_page_of_several_pictures_is_offered_ocr():
    def draw(paper: Any) -> None:
        for n in range(4):
            paper.drawImage(picture(), 40 + 260 * (n % 2), 60 + 380 * (n // 2), 250, 370)

    with pytest.raises(ParseError, match="ocr = true") as error:
        parsed(pdf_of(draw))
    assert error.value.code == "pdf_no_text"


def test_columns_above_a_wide_table_are_read_one_after_the_other():
    """Lines of the two columns are not level, and the table closes the gutter of the page."""

    def draw(paper: Any) -> None:
        paper.setFont("Helvetica", 9)
        for n in range(8):
            paper.drawString(60, 780 - 13 * n, f"Left column line {n} goes on with care of adults")
            paper.drawString(310, 774 - 13 * n, f"Right column line {n} goes on with children")
        for n in range(16):
            paper.drawString(60, 620 - 16 * n, f"Row {n}")
            paper.drawString(250, 620 - 16 * n, "a cell over the gutter of the page")
            paper.drawString(480, 620 - 16 * n, "value")

    text = text_of(parsed(pdf_of(draw)))
    assert text.index("Left column line 7") < text.index("Right column line 0")


def test_a_chapters_title_that_running_lines_repeat_is_a_heading():
    def page(number: int) -> Draw:
        def draw(paper: Any) -> None:
            first = number == 1
            write(paper, [(0, "Fluids in testazid care")], size=16 if first else 8)
            write(paper, [(60, f"{TEXT} Page {number}.")] + [(14, TEXT)] * 4)

        return draw

    document = parsed(pdf_of(*(page(n) for n in (1, 2, 3, 4, 5))))
    assert titles(document) == ["Fluids in testazid care"]
    assert text_of(document).count("Fluids") == 0


def test_words_of_a_printed_carton_head_nothing():
    def draw(paper: Any) -> None:
        write(paper, [(0, TEXT), (14, TEXT)])
        paper.setFont("Helvetica-Bold", 11)
        carton = ["PRINCIPAL DISPLAY PANEL - 5 mg Bottle Label", "Testazid Tablets", "Rx only"]
        for row, text in enumerate(carton):
            paper.drawString(72, 700 - 40 * row, text)
        paper.setFont("Helvetica", 11)
        paper.drawString(72, 580, "Keep the bottle closed and out of the light.")

    document = parsed(pdf_of(draw))
    assert titles(document) == ["PRINCIPAL DISPLAY PANEL - 5 mg Bottle Label"]
    assert document.sections[-1].role == "product_data"
    assert "Rx only" in document.sections[-1].text


def test_a_line_whose_label_is_smaller_runs_on_in_the_next():
    def draw(paper: Any) -> None:
        write(paper, [(0, TEXT), (14, TEXT), (14, TEXT)])
        paper.setFont("Helvetica-Bold", 8)
        paper.drawString(72, 700, "RECOMMENDATION TO ALL:")
        width = stringWidth("RECOMMENDATION TO ALL: ", "Helvetica-Bold", 8)
        paper.setFont("Helvetica", 11)
        paper.drawString(72 + width, 700, "Give testazid")
        paper.drawString(72, 686, "to adults with swamp fever who have no rash.")

    blocks = [b for s in parsed(pdf_of(draw)).sections for b in s.blocks]
    assert len(blocks) == 2


def test_lists_of_members_before_the_contents_are_front_matter():
    """A page of organisations was indexed as the guideline's text; one of doses must stay."""
    names = ["American Society of Test Care", "Jan Marta Berg, M.D., Ph.D. (Hill University)",
             "Society for Nursing of Patients", "Lee Oldham, Pharm.D. (Medical Center, Ohio)",
             "National Association of Chest Physicians", "Kim Arno, R.N. (Health)"]  # fmt: skip
    doses = ["Testazid Tablets 5 Mg/Kg Adults 300 Mg", "Fakumycin Capsules 10 Mg Adults 600 Mg"]
    names_page = [(20.0, name) for name in names * 3]
    dose_page = [(20.0, dose) for dose in doses * 9]
    contents = [(20.0, "Contents"), *((18.0, f"{n} Chapter ......... {n}") for n in range(1, 9))]
    body = plain_chapter("1.1 Dose", "1.2 Children", "1.3 Renal impairment")
    pages = [names_page, dose_page, contents, body, body]
    document = parsed(pdf_of(*(lambda p, rows=rows: write(p, rows) for rows in pages)))
    roles = {(b.page, s.role) for s in document.sections for b in s.blocks}
    assert (1, "front_matter") in roles
    assert (2, "body") in roles


def test_the_long_title_of_a_table_is_a_heading_as_that_of_the_one_before_was():
    short = "Table 1. Should testazid be used in children?"
    long = (
        "Table 2. Should testazid, compared with the care that is usual in the clinics of the"
        " district, be used in children and adolescents under 15 years of age who live with an"
        " adult who is ill and have no signs of illness?"
    )

    def page(title: str) -> Draw:
        rows = [title[n : n + 48] for n in range(0, len(title), 48)]

        def draw(paper: Any) -> None:
            write(paper, [(20.0, row) for row in rows], size=17)
            paper.setFont("Helvetica", 11)
            for n in range(12):
                paper.drawString(72, 640 - 14 * n, TEXT)

        return draw

    document = parsed(pdf_of(page(short), page(long)))
    assert [title.partition(".")[0] for title in titles(document)] == ["Table 1", "Table 2"]
