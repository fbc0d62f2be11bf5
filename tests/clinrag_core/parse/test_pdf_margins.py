"""What is set in margins, gutters and above wide tables: it must not part what it belongs to."""

from __future__ import annotations

from typing import Any

from paper import PROSE, parsed, text_of, write
from reportlab.lib.colors import black

from clinrag_core.model.document import Document

LEFT, RIGHT = 50.0, 310.0
COLUMN = [
    "A nurse calls every person who starts the",
    "regimen within a week and asks about sleep",
    "and the colour of the urine, so that harm is",
    "seen early and nobody stops without a word.",
]


def titles(document: Document) -> list[str]:
    return [s.title for s in document.sections if s.title != document.title]


def column(paper: Any, x: float, y: float, blocks: int, first: str) -> None:
    """Write paragraphs below each other; the first words of each are different."""
    for n in range(blocks):
        write(paper, [f"{first} {n} is that the text goes on.", *COLUMN], x, y - 90 * n)


def test_letters_in_the_gutter_belong_to_the_titles_behind_them() -> None:
    """Titles between two columns closed the gutter: both columns were read across."""

    def page(paper: Any) -> None:
        write(paper, ["7"], 590, 740, size=30)
        for x, names in ((LEFT + 30, "AB"), (RIGHT + 30, "CD")):
            for n, name in enumerate(names):
                y = 760 - 250 * n - (5 if name == "D" else 0)
                write(paper, [name], x - 16, y, bold=True, size=12)
                write(paper, [f"Goals of part {name}"], x + 2, y, bold=True, size=12)
                column(paper, x, y - 18, 2, f"Point {name}")

    document = parsed(page)
    assert titles(document) == [f"{name} Goals of part {name}" for name in "ABCD"]
    assert text_of(document).index("Point B 1") < text_of(document).index("Point C 0")


def test_the_number_of_a_chapter_on_a_tab_belongs_to_its_title() -> None:
    def page(paper: Any) -> None:
        write(paper, ["7"], 570, 770, size=30)
        write(paper, ["Follow up of patients"], LEFT, 780, bold=True, size=18)
        for x, name in ((LEFT, "left"), (RIGHT, "right")):
            write(paper, [f"Goals on the {name}"], x, 720, bold=True, size=12)
            column(paper, x, 700, 3, name)

    assert titles(parsed(page)) == [
        "7 Follow up of patients", "Goals on the left", "Goals on the right",
    ]  # fmt: skip


def test_the_number_of_a_small_title_is_no_note_in_the_margin() -> None:
    def page(paper: Any) -> None:
        write(paper, PROSE, 84, 760)
        for n, title in enumerate(("Diet", "Activity", "Drugs"), 1):
            y = 760 - 100 * n
            write(paper, [f"{n}."], 70, y, bold=True, size=8)
            write(paper, [title], 84, y, bold=True, size=8)
            write(paper, PROSE, 84, y - 14)

    text = "\n".join([*titles(parsed(page)), text_of(parsed(page))])
    assert all(f"{n}. {title}" in text for n, title in ((1, "Diet"), (2, "Activity"), (3, "Drugs")))


def test_the_caption_of_a_table_over_both_columns_is_read_with_it() -> None:
    """Alone it was read at the end of the left column, the right one between it and its table."""

    def page(paper: Any) -> None:
        column(paper, LEFT, 780, 6, "Left")
        column(paper, RIGHT, 780, 6, "Right")
        write(paper, ["Table 4. Doses by weight"], LEFT, 240, bold=True)
        paper.setStrokeColor(black)
        for y in (230, 215, 200, 185):
            paper.line(LEFT, y, 545, y)
        for x in (LEFT, 220, 380, 545):
            paper.line(x, 185, x, 230)
        for n, row in enumerate((("Weight", "Dose", "Times"), ("5 kg", "50 mg", "once"),
                                 ("9 kg", "90 mg", "twice"))):  # fmt: skip
            for x, cell in zip((54, 224, 384), row, strict=True):
                write(paper, [cell], x, 219 - 15 * n, bold=n == 0)

    blocks = [b for s in parsed(page).sections for b in s.blocks]
    kinds = [b.kind for b in blocks]
    assert kinds[-2:] == ["caption", "table"]
    assert blocks[-1].table is not None
    assert blocks[-1].table.caption == "Table 4. Doses by weight"


def test_a_letter_title_before_the_next_chapter_is_not_in_the_section_of_its_number() -> None:
    """'D Mortality' came under '3. Obesity', because chapter 3 is the next number after it."""

    def page(paper: Any) -> None:
        y = 790
        for text, size in (
            ("2 BACKGROUND", 20), ("C RISKS", 15), ("1. Diabetes", 12), ("3. Obesity", 12),
            ("D MORTALITY", 15), ("3 EVIDENCE", 20),
        ):  # fmt: skip
            write(paper, [text], 72, y, bold=True, size=size)
            write(paper, PROSE, 72, y - 24)
            y -= 100

    paths = [s.path for s in parsed(page).sections]
    assert ("2 BACKGROUND", "D MORTALITY") in paths


NOTE = [
    "See the annex for the",
    "dose of children who",
    "weigh less than ten",
    "kilograms at birth.",
]


def paragraphs(paper: Any, x: float) -> None:
    for n in range(4):
        write(paper, [f"Point {n} comes first.", *PROSE, *PROSE], x, 760 - 110 * n)


def test_a_note_in_the_margin_in_the_type_of_the_text_is_read_after_it() -> None:
    """It was woven into the lines next to it: 'so that harm is See the annex seen early'."""
    for left in (True, False):

        def page(paper: Any, *, left: bool = left) -> None:
            paragraphs(paper, 190 if left else 60)
            write(paper, NOTE, 60 if left else 450, 721)

        texts = [s.text_of(b) for s in parsed(page).sections for b in s.blocks]
        assert texts[-1] == " ".join(NOTE)
        assert sum(text.startswith("Point") for text in texts) == 4


def test_a_text_in_the_margin_level_with_a_paragraph_is_read_right_before_it() -> None:
    """It may be the first cell of a row without rules: at the end it would label nothing."""

    def page(paper: Any) -> None:
        paragraphs(paper, 190)
        write(paper, NOTE, 60, 650)

    texts = [s.text_of(b) for s in parsed(page).sections for b in s.blocks]
    assert texts[texts.index(" ".join(NOTE)) + 1].startswith("Point 1")


def test_cards_with_rounded_corners_are_read_one_after_the_other() -> None:
    cards = [
        ("Adults", ["Give testazid 5 mg/kg to all", "adults on the first day."]),
        ("Children", ["Give fakumycin 10 mg/kg to", "children at home twice."]),
        ("Harm", ["Stop both drugs at once when", "the eyes turn yellow."]),
        ("Restart", ["Do not restart testazid unless", "the liver tests are normal."]),
    ]

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 770)
        for n, (title, lines) in enumerate(cards):
            x, y = 72 + (n % 2) * 230, 700 - (n // 2) * 110
            paper.setStrokeColor(black)
            paper.roundRect(x, y - 95, 215, 95, 8)
            write(paper, [title], x + 10, y - 18, bold=True)
            write(paper, lines, x + 10, y - 34)
        write(paper, PROSE, 72, 450)

    document = parsed(page)
    assert titles(document) == [title for title, _ in cards]
    assert all(" ".join(lines) in text_of(document) for _, lines in cards)
