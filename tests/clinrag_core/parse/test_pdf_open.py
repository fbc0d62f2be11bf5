"""Texts and cells side by side that nothing announces: a dose must keep its weight."""

from __future__ import annotations

from typing import Any

import pytest
from paper import PROSE, parsed, write, write_row

from clinrag_core.model.document import Document
from clinrag_core.parse.pdf.tagged import TaggedCell, TaggedTable, grid_of


def texts(document: Document) -> list[str]:
    return [s.text_of(b) for s in document.sections for b in s.blocks if b.table is None]


def grids(document: Document) -> list[tuple[tuple[str, ...], ...]]:
    return [b.table.rows for s in document.sections for b in s.blocks if b.table is not None]


def test_labels_of_pictures_side_by_side_are_texts_of_their_own() -> None:
    """Read across they were 'A cough that Coughing Weakness lasts three up blood or fatigue'."""

    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 760)
        write(paper, ["A cough that", "lasts three weeks", "or longer"], 110, 600)
        write(paper, ["Coughing", "up blood or", "sputum"], 270, 600)
        write(paper, ["Weakness", "or fatigue"], 430, 594)

    assert texts(parsed(page))[-3:] == [
        "A cough that lasts three weeks or longer",
        "Coughing up blood or sputum",
        "Weakness or fatigue",
    ]


def test_a_label_beside_wrapped_text_is_read_with_it() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760) - 30
        write(paper, ["Mirudine"], 72, y)
        write(paper, ["is given with food, and", "never with milk."], 150, y)

    assert "Mirudine is given with food, and never with milk." in texts(parsed(page))


DOSES = [
    ("Weight", "Tablets", "Days"),
    ("5 to 9 kg", "1", "5"),
    ("10 to 14 kg", "2", "7"),
    ("15 to 19 kg", "3", "7"),
]


def test_doses_without_caption_and_rules_are_rows() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760) - 16
        for n, cells in enumerate(DOSES):
            write_row(paper, cells, (72, 200, 300), y, bold=n == 0)
            y -= 15
        write(paper, PROSE, 72, y - 16)

    document = parsed(page)
    assert grids(document) == [tuple(DOSES)]
    assert all("kg" not in text for text in texts(document))


def test_weights_and_doses_in_two_columns_are_rows() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760) - 16
        for left, right in (("5-9 kg", "150 mg"), ("10-14 kg", "300 mg"), ("15-19 kg", "450 mg")):
            write_row(paper, (left, right), (72, 200), y)
            y -= 13
        write(paper, PROSE, 72, y - 16)

    document = parsed(page)
    assert [row[0] for grid in grids(document) for row in grid] == [
        "5-9 kg",
        "10-14 kg",
        "15-19 kg",
    ]
    unsure = [b.table.unsure_rows for s in document.sections for b in s.blocks if b.table]
    assert unsure == [(0, 1, 2)]  # no titles of columns


COLUMN = [
    "Adults take one tablet",
    "a day with food for as",
    "long as the nurse says",
    "and come back after a",
    "week, or sooner where",
    "they feel worse than on",
]


@pytest.mark.parametrize("columns", [2, 3])
def test_columns_of_text_are_no_table(columns: int) -> None:
    def page(paper: Any) -> None:
        for n in range(columns):
            write(paper, COLUMN * 4, 60 + 170 * n, 760)

    document = parsed(page)
    assert grids(document) == []


def test_numbers_of_a_chart_are_no_table() -> None:
    def page(paper: Any) -> None:
        write(paper, PROSE, 72, 760)
        for n in range(6):
            write_row(paper, (str(10 * n), str(n), str(5 * n)), (72, 200, 300), 600 - 20 * n)

    assert grids(parsed(page)) == []


def test_cells_of_a_row_may_be_tagged_in_any_order() -> None:
    """In the first row of a table that goes on over a page they were, and the grid was lost."""

    def cell(x: float, y: float) -> TaggedCell:
        return TaggedCell((x, y, x + 50, y + 12), header=False)

    table = TaggedTable(
        [
            [cell(170, 100), cell(250, 100), cell(90, 100)],
            [cell(10, 120), cell(90, 120), cell(170, 120), cell(250, 120)],
        ]
    )
    assert grid_of(table) is not None


def test_the_last_cell_of_a_table_may_go_on_below_its_row() -> None:
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 760) - 16
        for cells in DOSES[1:]:
            write_row(paper, (*cells[:2], "three times a day, with"), (72, 200, 300), y)
            y -= 15
        write(paper, ["food and water"], 300, y)
        write(paper, PROSE, 72, y - 30)

    (grid,) = grids(parsed(page))
    assert grid[-1] == ("15 to 19 kg", "3", "three times a day, with food and water")


def test_a_column_that_begins_higher_than_the_other_is_read_whole() -> None:
    """Its first line was read before the left column, and the rest after it."""

    def page(paper: Any) -> None:
        y = write(paper, [f"{line} {line[:40]}" for line in PROSE], 40, 780) - 12
        left = write(paper, ["Review"], 40, y - 4, bold=True, size=13)
        texts = ["People are seen again after two days and they", "are asked about the cough."] * 4
        write(paper, texts, 40, left)
        write(paper, ["Refer people whose symptoms get worse rapidly", *texts], 310, y + 6)

    read = texts_in_order(parsed(page))
    assert read.index("Refer people") > read.rindex("Review")
    assert "get worse rapidly People are seen again" in read


def texts_in_order(document: Document) -> str:
    return " ".join(f"{s.title} {s.text}" for s in document.sections).replace("\n", " ")
