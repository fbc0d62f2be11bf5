"""Tables of a PDF by rules, tags and alignment: each fault that mixed up or lost a row of doses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from paper import PROSE, Draw, parsed, write
from paper import write_row as row

from clinrag_core.chunk.table_doubts import doubtful_rows
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block
from clinrag_core.model.table import Table
from clinrag_core.parse.assemble.flow import plain_rows
from clinrag_core.parse.pdf.find_tables import reconciled
from clinrag_core.parse.pdf.geometry import UPRIGHT
from clinrag_core.parse.pdf.tables import PdfTable
from clinrag_core.parse.pdf.tagged import grid_of, tagged_tables


def tables(document: Document) -> list[tuple[Block, Table]]:
    return [(b, b.table) for s in document.sections for b in s.blocks if b.table is not None]


def only_table(document: Document) -> tuple[Block, Table]:
    (found,) = tables(document)
    return found


XS = (75.0, 225.0, 355.0)
BOTTOM_ROW = ["Severe", "refer today", "every 2 days"]


def open_table(paper: Any, rows: Sequence[Sequence[str]], top: float, height: float = 22) -> None:
    """A table ruled inside only: nothing at its sides and below the last row."""
    write(paper, ["Table 4. What to do by severity"], 72, top + 8, bold=True)
    for n, cells in enumerate(rows):
        row(paper, cells, XS, top - n * height - 14, bold=n == 0)
        paper.line(72, top - n * height, 460, top - n * height)
    for x in (220, 350):
        paper.line(x, top, x, top - len(rows) * height)


def test_the_last_row_of_an_open_table_is_kept_in_its_columns():
    rows = [
        ["State", "Action", "Review"],
        ["Mild", "advise", "in 2 years"],
        ["Moderate", "treat", "in 1 month"],
        BOTTOM_ROW,
    ]
    _, table = only_table(parsed(lambda paper: open_table(paper, rows, 600)))
    assert [list(r) for r in table.rows] == rows
    assert table.header_rows == 1


def test_a_band_of_several_printed_rows_gives_each_dose_its_own_drug():
    drugs = ["testazid (Alpha)", "secundol (Beta)", "tertioquin (Gamma)"]

    def page(paper: Any) -> None:
        rows = [["Class", "Drug", "mg a day"], ["First group", "", ""], ["Second group", "", ""]]
        write(paper, ["Table 5. Oral drugs"], 72, 608, bold=True)
        tops = (600, 578, 520, 462)
        for cells, top in zip(rows, tops, strict=False):
            row(paper, cells, XS, top - 14, bold=True)
        for top in tops:
            paper.line(72, top, 460, top)
        for x in (72, 220, 350, 460):
            paper.line(x, 600, x, 462)
        for top in (578, 520):
            write(paper, drugs, 225, top - 14)
            write(paper, ["100-200", "12.5-25", "2-4"], 355, top - 14)

    block, table = only_table(parsed(page))
    assert [list(r) for r in table.rows[1:]] == [
        [group, drug, dose]
        for group in ("First group", "Second group")
        for drug, dose in zip(drugs, ("100-200", "12.5-25", "2-4"), strict=True)
    ]
    assert len({p.box[1] for p in block.places[1:]}) == 6


def test_wrapped_cells_of_a_ruled_row_are_not_cut_into_rows():
    def page(paper: Any) -> None:
        for top in (600, 578, 530):
            paper.line(72, top, 460, top)
        for x in (72, 220, 350, 460):
            paper.line(x, 600, x, 530)
        row(paper, ["Test", "Purpose", "Remark"], XS, 586, bold=True)
        row(paper, ["Quick assay", "finds the", "Use it where"], XS, 564)
        write(paper, ["bacterium and", "its resistance"], 225, 551)
        write(paper, ["a laboratory", "has power"], 355, 551)

    _, table = only_table(parsed(page))
    assert table.rows[1] == (
        "Quick assay",
        "finds the bacterium and its resistance",
        "Use it where a laboratory has power",
    )


def test_stacked_values_that_cannot_be_separated_are_never_quoted():
    def page(paper: Any) -> None:
        for top in (600, 578, 540, 518):
            paper.line(72, top, 460, top)
        for x in (72, 220, 350, 460):
            paper.line(x, 600, x, 518)
        row(paper, ["State", "Upper", "Lower"], XS, 586, bold=True)
        write(paper, ["Stages one and", "two together"], 75, 565)
        write(paper, ["140-159", "160-179"], 225, 565)
        write(paper, ["high"], 355, 558)
        row(paper, ["Rest", "120", "low"], XS, 526)

    _, table = only_table(parsed(page))
    assert table.unsure_rows == (1,)
    assert doubtful_rows(table, is_drawn=True) == {1}


def test_values_of_a_table_that_reaches_the_page_foot_are_no_page_numbers():
    drugs = ["Alphazid", "Betazid", "Gammazid", "Deltazid"]

    def page(number: int) -> Draw:
        def draw(paper: Any) -> None:
            write(paper, PROSE, 72, 780)
            open_table(paper, [["Drug", "mg", "Times"], [drugs[number - 1], "50", "1"]], 110, 20)
            write(paper, [str(number)], 500, 30)

        return draw

    document = parsed(*(page(n) for n in (1, 2, 3, 4)))
    assert [t.rows[1] for _, t in tables(document)] == [(drug, "50", "1") for drug in drugs]


def aligned(paper: Any, y: float) -> float:
    """A table that nothing but its caption and its columns show."""
    write(paper, ["Table 7. Share cured, per cent"], 72, y, bold=True)
    paper.setFont("Helvetica-Bold", 10)
    paper.drawString(235, y - 20, "Number of children")
    paper.drawString(435, y - 20, "Adults")
    row(paper, ["Age", "Girls", "Boys", "All"], (72, 240, 320, 440), y - 34, bold=True)
    for n, cells in enumerate(
        [["0-4", "36.0", "30.3", "41.2"], ["5-9", "30.6", "37.0", "43.3"]] * 4
    ):
        row(paper, [f"{cells[0]} ({n})", *cells[1:]], (72, 240, 320, 440), y - 50 - 14 * n)
    return y - 50 - 14 * 8


def test_columns_without_rules_are_read_from_the_gaps_their_lines_share():
    def page(paper: Any) -> None:
        y = write(paper, PROSE, 72, 780) - 10
        y = aligned(paper, y) - 20
        write(paper, PROSE, 72, y)

    block, table = only_table(parsed(page))
    assert table.caption == "Table 7. Share cured, per cent"
    assert table.header_rows == 2
    assert [table.header(c)[-1] for c in range(4)] == ["Age", "Girls", "Boys", "Adults All"]
    assert table.header(1) == ("Number of children", "Girls")
    assert len(table.rows) == 2 + 8
    assert table.rows[2] == ("0-4 (0)", "36.0", "30.3", "41.2")
    assert table.rows[-1] == ("5-9 (7)", "30.6", "37.0", "43.3")
    assert not table.unsure_rows
    assert len(block.places) == len(table.rows)


@pytest.mark.parametrize("marks", [["1.", "2.", "3.", "4."], ["•"] * 4], ids=["numbers", "bullets"])
def test_a_list_under_a_caption_stays_a_list(marks: list[str]):
    texts = ["Ask about cough", "Weigh the child", "Look for swollen glands", "Take an image"]

    def page(paper: Any) -> None:
        write(paper, ["Table 8. Steps of the visit"], 72, 600, bold=True)
        for n, (mark, text) in enumerate(zip(marks, texts, strict=True)):
            row(paper, [mark, text], (72, 95), 580 - 14 * n)

    assert tables(parsed(page)) == []


def test_a_sentence_that_begins_with_a_table_is_no_caption():
    def page(paper: Any) -> None:
        write(paper, ["Table 9 shows the share of people who were cured in both arms."], 72, 600)
        for n in range(6):
            row(
                paper,
                ["A short line of text", "and one of the next column"],
                (72, 320),
                580 - 13 * n,
            )

    assert tables(parsed(page)) == []


def test_rows_of_wrapped_text_that_nothing_divides_are_never_quoted():
    def page(paper: Any) -> None:
        write(paper, ["Table 10. Grades of evidence"], 72, 600, bold=True)
        row(paper, ["Grade", "Source", "Meaning"], XS, 580, bold=True)
        y = 564.0
        for grade in "ABCD":
            row(paper, [grade, "several trials of", "the effect is known for"], XS, y)
            row(paper, ["", "good design and size", "the people in question"], XS, y - 13)
            y -= 26

    _, table = only_table(parsed(page))
    data = set(range(table.header_rows, len(table.rows)))
    assert doubtful_rows(table, is_drawn=True) == data


def test_each_row_of_a_table_over_two_pages_has_its_own_page():
    def page(rows: Sequence[Sequence[str]], caption: bool) -> Draw:
        def draw(paper: Any) -> None:
            if caption:
                write(paper, ["Table 11. Doses"], 72, 708, bold=True)
            for n, cells in enumerate(rows):
                row(paper, cells, XS, 700 - n * 22 - 14, bold=caption and n == 0)
            levels = [700 - n * 22 for n in range(len(rows) + 1)]
            paper.grid([72, 220, 350, 460], levels)

        return draw

    first = [["Drug", "Dose", "Times"], ["Alphazid", "5 mg", "once"], ["Betazid", "6 mg", "once"]]
    second = [["Gammazid", "7 mg", "twice"], ["Deltazid", "8 mg", "twice"]]
    block, table = only_table(parsed(page(first, caption=True), page(second, caption=False)))
    assert [p.page for p in block.places] == [1, 1, 1, 2, 2]
    start, end = table.row_spans[3]
    assert [p.page for p in block.places_of(start, end)] == [2]


def test_a_paragraph_over_two_pages_is_cited_on_the_page_of_its_words():
    def first(paper: Any) -> None:
        write(
            paper,
            [*PROSE, "Nobody should leave the clinic before the nurse has explained to"],
            72,
            120,
        )

    def second(paper: Any) -> None:
        write(paper, ["them how the tablets are kept dry and away from children.", *PROSE], 72, 780)

    document = parsed(first, second)
    section, block = next(
        (s, b) for s in document.sections for b in s.blocks if "kept dry" in s.text_of(b)
    )
    at = section.text.index("kept dry")
    assert [p.page for p in block.places] == [1, 2]
    assert [p.page for p in block.places_of(at, at + 8)] == [2]
    assert [p.page for p in block.places_of(block.start, block.end)] == [1, 2]


def struct(name: str, box: str, inner: str = "") -> str:
    return f'<struct idx="0" bbox="{box}" raw="{name}" std="{name}">{inner}</struct>'


def cell(x0: int, y0: int, x1: int, y1: int, name: str = "TD") -> str:
    return struct(name, f"{x0} {y0} {x1} {y1}")


def test_tags_give_rows_and_the_cells_that_reach_into_the_next_row():
    far = cell(-2147483648, -2147483648, 2147483647, 2147483647)
    rows = [
        cell(10, 10, 40, 20, "TH") + cell(100, 10, 150, 20, "TH") + cell(200, 10, 250, 20, "TH"),
        cell(10, 30, 60, 58) + cell(100, 30, 150, 40) + cell(200, 30, 240, 40) + far,
        cell(100, 50, 240, 60),
    ]
    xml = struct("Table", "0 0 300 80", "".join(struct("TR", "0 0 1 1", r) for r in rows))
    (table,) = tagged_tables(xml, UPRIGHT)
    found = grid_of(table)
    assert found is not None
    grid, header = found
    assert header == 1
    label, below = grid.cells[1][0], grid.cells[2]
    assert label is not None
    assert label[3] >= 60
    assert below[0] is None
    assert below[2] is None
    assert below[1] is not None
    assert below[1][2] > 240


def test_tags_that_contradict_the_page_give_no_grid():
    rows = [
        cell(10, 50, 40, 60) + cell(100, 50, 150, 60),
        cell(10, 10, 40, 20) + cell(100, 10, 150, 20),
    ]
    xml = struct("Table", "0 0 300 80", "".join(struct("TR", "0 0 1 1", r) for r in rows))
    (table,) = tagged_tables(xml, UPRIGHT)
    assert grid_of(table) is None


def witness(*rows: tuple[str, ...]) -> PdfTable:
    places = tuple((1, (0.0, 20.0 * n, 300.0, 20.0 * n + 18)) for n in range(len(rows)))
    box = (0.0, 0.0, 300.0, 20.0 * len(rows))
    return PdfTable(1, box, plain_rows(rows), 1, [0, 100], rows[0], places)


def test_rows_that_two_witnesses_read_differently_are_unsure():
    tagged = witness(("Drug", "mg"), ("Alphazid", "5"), ("Betazid", "6"))
    ruled = witness(("Drug", "mg"), ("Alphazid", "5"), ("Betazid 6", ""))
    (table,) = reconciled([tagged], [ruled])
    assert table.unsure == (2,)
    (same,) = reconciled([tagged], [witness(("Drug", "mg"), ("Alphazid", "5"), ("Betazid", "6"))])
    assert same.unsure == ()


def test_a_part_further_down_that_is_read_as_header_is_none_of_the_whole_table():
    rows = (("Drug", "mg"), ("Alphazid", "5"), ("Betazid", "6"), ("Gammazid", "7"))
    lower = replace(witness(*rows[2:]), box=(0.0, 40.0, 300.0, 80.0), header_rows=2)
    (table,) = reconciled([witness(*rows)], [witness(*rows[:2]), lower])
    assert table.header_rows == 1
