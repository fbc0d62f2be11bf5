"""Tables with ruled lines, on pages drawn for one question each."""

from __future__ import annotations

from typing import Any

import pytest
from paper import DOSES, PROSE, Draw, blocks, grid, lines, pdf_of, text_of
from paper import read as parsed

from clinrag_core.model.table import Table


def test_a_ruled_table_is_rows_and_its_words_are_not_repeated():
    def page(paper: Any) -> None:
        y = lines(paper, [PROSE[0], *PROSE[1:]]) - 20
        y = lines(paper, ["Table 1. Doses by weight"], y=y, font="Helvetica-Bold") - 4
        grid(paper, DOSES, y, [120, 100, 100])
        lines(paper, PROSE, y=y - 100)

    document = parsed(pdf_of(page))
    (found,) = document.sections
    ((text, block),) = blocks(found, "table")
    table = block.table
    assert table is not None
    assert table.rows == tuple(tuple(r) for r in DOSES)
    assert (table.header_rows, table.caption) == (1, "Table 1. Doses by weight")
    assert [found.text[a:b] for a, b in table.row_spans] == ["\t".join(r) for r in DOSES]
    assert text == "\n".join("\t".join(r) for r in DOSES)
    assert found.text.count("450-600 mg") == 1
    kinds = [b.kind for b in found.blocks]
    assert kinds == ["paragraph", "caption", "table", "paragraph"]


def test_lines_level_with_each_other_in_one_ruled_row_are_rows():
    def page(paper: Any) -> None:
        lines(paper, PROSE)
        paper.setFont("Helvetica", 9)
        paper.grid([72, 150, 330, 500], [650, 630, 580])
        for x, y, text in (
            (75, 637, "Drug"),
            (153, 637, "Daily dose"),
            (333, 637, "Three times weekly"),
            (75, 618, "Isoniazid"),
            (85, 604, "Children"),
            (85, 590, "Adults"),
            (153, 604, "10 mg/kg"),
            (153, 590, "5 mg/kg"),
            (333, 604, "none"),
            (333, 590, "10 mg/kg"),
        ):
            paper.drawString(x, y, text)

    table = blocks(parsed(pdf_of(page)).sections[0], "table")[0][1].table
    assert table is not None
    assert table.rows[1:] == (
        ("Isoniazid Children", "10 mg/kg", "none"),
        ("Isoniazid Adults", "5 mg/kg", "10 mg/kg"),
    )


def test_merged_cells_of_a_table_are_known_and_repeated_in_the_rows_they_span():
    def page(paper: Any) -> None:
        lines(paper, PROSE)
        paper.setFont("Helvetica", 9)
        for y in (650, 630, 590):
            paper.line(72, y, 372, y)
        paper.line(172, 610, 372, 610)
        for x in (72, 172, 372):
            paper.line(x, 650, x, 590)
        paper.line(272, 630, 272, 590)
        for x, y, text in (
            (75, 637, "Drug"),
            (175, 637, "Dose by weight"),
            (75, 617, "Isoniazid"),
            (175, 617, "under 33 kg"),
            (275, 617, "4-6 mg/kg"),
            (175, 597, "33-50 kg"),
            (275, 597, "200-300 mg"),
        ):
            paper.drawString(x, y, text)

    table = blocks(parsed(pdf_of(page)).sections[0], "table")[0][1].table
    assert table is not None
    assert table.rows == (
        ("Drug", "Dose by weight", ""),
        ("Isoniazid", "under 33 kg", "4-6 mg/kg"),
        ("Isoniazid", "33-50 kg", "200-300 mg"),
    )
    spans = [(m.row, m.column, m.rows, m.columns) for m in table.merged]
    assert spans == [(0, 1, 1, 2), (1, 0, 2, 1)]


def test_a_grid_of_mostly_empty_cells_is_no_table_and_loses_no_word():
    def page(paper: Any) -> None:
        lines(paper, PROSE)
        grid(paper, [["12", "", "", ""], ["", "15.3", "", ""], ["", "", "", "40"]], 600, [90] * 4)

    document = parsed(pdf_of(page))
    assert not [b for s in document.sections for b in s.blocks if b.kind == "table"]
    text = text_of(document)
    assert all(number in text.split() for number in ("12", "15.3", "40"))


def test_a_table_goes_on_over_the_page_break_without_its_header():
    def first(paper: Any) -> None:
        lines(paper, PROSE)
        grid(paper, DOSES, 200, [120, 100, 100])

    def second(paper: Any) -> None:
        grid(
            paper,
            [["Ethambutol", "25 mg/kg", "800 mg"], ["Pyrazinamide", "35 mg/kg", "1500 mg"]],
            780,
            [120, 100, 100],
        )
        lines(paper, PROSE, y=600)

    document = parsed(pdf_of(first, second))
    tables = [b.table for s in document.sections for b in s.blocks if b.table]
    assert len(tables) == 1
    assert [r[0] for r in tables[0].rows] == [
        "Medicine",
        "Isoniazid",
        "Rifampicin",
        "Ethambutol",
        "Pyrazinamide",
    ]


def test_a_table_goes_on_though_its_key_is_printed_next_to_it_and_over_three_pages():
    def page(name: str, *, with_key: bool = False) -> Draw:
        def draw(paper: Any) -> None:
            rows = [[name, "5 mg/kg", "300 mg"], [f"{name} retard", "7 mg/kg", "350 mg"]]
            grid(paper, [*DOSES[:1], *rows] if with_key else rows, 780, [120, 60, 60])
            if with_key:
                paper.translate(300, 0)
                grid(paper, [["Tier", "Cost"], ["1", "low"], ["2", "high"]], 780, [60, 60])

        return draw

    pages = (page("Alphacin", with_key=True), page("Betacin"), page("Gammacin"))
    document = parsed(pdf_of(*pages))
    tables = [b.table for s in document.sections for b in s.blocks if b.table]
    assert len(tables) == 2
    assert [row[0] for row in tables[0].rows[1::2]] == ["Alphacin", "Betacin", "Gammacin"]


def test_the_heading_of_a_group_is_no_header_of_the_rows_after_the_next_one():
    def page(*rows: list[str]) -> Draw:
        return lambda paper: grid(paper, list(rows), 780, [160, 200])

    antibiotics = (["Antibiotics", ""], ["Alphacin", "Tablet: 100 mg"])
    first = page(*antibiotics, ["Betacin", "Syrup: 20 mg/mL"])
    alone = page(*antibiotics, ["Antifungals", ""], ["Gammazole", "Cream: 2%"])
    second = page(["Antifungals", ""], ["Gammazole", "Cream: 2%"], ["Deltazole", "Gel: 1%"])
    for pages in ((alone,), (first, second)):
        (table,) = (b.table for s in parsed(pdf_of(*pages)).sections for b in s.blocks if b.table)
        assert table.header_rows == 0
        assert table.groups(len(table.rows) - 1) == ("Antifungals",)


def test_a_table_with_its_header_repeated_stays_on_its_own_page():
    def page(paper: Any) -> None:
        grid(paper, DOSES, 780, [120, 100, 100])

    document = parsed(pdf_of(page, page))
    tables = [b for s in document.sections for b in s.blocks if b.table]
    assert [b.page for b in tables] == [1, 2]


def test_a_table_set_sideways_is_read_upright():
    def page(paper: Any) -> None:
        paper.translate(300, 200)
        paper.rotate(90)
        paper.setFont("Helvetica", 9)
        xs, ys = [0, 120, 240, 360], [0, 20, 40, 60]
        paper.grid(xs, ys)
        for n, row in enumerate(DOSES):
            for m, cell in enumerate(row):
                paper.drawString(xs[m] + 3, ys[2 - n] + 6, cell)

    (table,) = [b.table for s in parsed(pdf_of(page)).sections for b in s.blocks if b.table]
    assert table.rows == tuple(tuple(r) for r in DOSES)


def test_a_side_that_only_the_shading_of_the_header_draws_is_open():
    def page(paper: Any) -> None:
        lines(paper, PROSE)
        paper.setFont("Helvetica", 9)
        for x, y, width, height, grey in (
            (72, 622, 150, 28, 0.7),
            (222, 622, 150, 28, 0.7),
            *((x, y, 55, 12, 0.8) for x in (72, 222) for y in (610, 598)),
        ):
            paper.setFillGray(grey)
            paper.rect(x, y, width, height, stroke=0, fill=1)
        paper.setFillGray(0)
        for y in (622, 610, 598):
            paper.line(72, y, 372, y)
        for x, y, text in (
            (75, 633, "Blood test, cut-off 5 mg"),
            (225, 633, "Questions on symptoms"),
            *((x, 613, "Sensitivity") for x in (75, 225)),
            *((x, 601, "Specificity") for x in (75, 225)),
            (130, 613, "0.91 (0.79 to 0.97)"),
            (130, 601, "0.51 (0.30 to 0.72)"),
            (280, 613, "0.84 (0.75 to 0.90)"),
            (280, 601, "0.39 (0.26 to 0.54)"),
        ):
            paper.drawString(x, y, text)

    table = blocks(parsed(pdf_of(page)).sections[0], "table")[0][1].table
    assert table is not None
    assert table.rows[1:] == (
        ("Sensitivity", "0.91 (0.79 to 0.97)", "Sensitivity", "0.84 (0.75 to 0.90)"),
        ("Specificity", "0.51 (0.30 to 0.72)", "Specificity", "0.39 (0.26 to 0.54)"),
    )


def test_the_padding_of_shaded_cells_is_no_column():
    """A word processor shades the paragraph, five points inside the rules of its cell."""

    def page(paper: Any) -> None:
        lines(paper, PROSE)
        for x, width in ((78, 133), (222, 133)):
            paper.setFillGray(0.8)
            paper.rect(x, 630, width, 20, stroke=0, fill=1)
        paper.setFillGray(0)
        grid(paper, [["", ""], ["Alphacin", "5 mg/kg"], ["Betacin", "7 mg/kg"]], 650, [144, 144])
        for x, text in ((81, "Drug"), (225, "Dose")):
            paper.drawString(x, 637, text)

    table = blocks(parsed(pdf_of(page)).sections[0], "table")[0][1].table
    assert table is not None
    assert table.rows == (("Drug", "Dose"), ("Alphacin", "5 mg/kg"), ("Betacin", "7 mg/kg"))


CUT = [["Alphacin", "5 mg/kg", "Fits"], ["Betacin", "7 mg/kg", "Rash"]]
REST = ["", "", "Stop if the liver fails"]


def two_pages(*second: list[str]) -> list[Table]:
    def first(paper: Any) -> None:
        lines(paper, PROSE)
        grid(paper, [["Drug", "Dose", "Cautions"], *CUT], 200, [120, 100, 140])

    def after(paper: Any) -> None:
        grid(paper, list(second), 780, [120, 100, 140])
        lines(paper, PROSE, y=500)

    document = parsed(pdf_of(first, after))
    return [b.table for s in document.sections for b in s.blocks if b.table]


def test_the_rest_of_a_row_on_the_next_page_keeps_its_label():
    others = ["Gammacin", "9 mg/kg", "Gout"], ["Deltacin", "4 mg/kg", "Gout"]
    (table,) = two_pages(REST, *others)
    assert table.rows[2:] == (
        ("Betacin", "7 mg/kg", "Rash"),
        ("Betacin", "", "Stop if the liver fails"),
        *map(tuple, others),
    )


def test_a_header_further_down_the_next_page_begins_a_table_of_its_own():
    header, row = ["Drug", "Dose", "Who may order it"], ["Gammacin", "9 mg/kg", "Nurses"]
    begun, own = two_pages(REST, ["For use at home", "", ""], header, row)
    assert begun.rows[-1] == ("Betacin", "", "Stop if the liver fails")
    assert (own.rows, own.header_rows) == (
        (("For use at home", "", ""), tuple(header), tuple(row)),
        2,
    )


@pytest.mark.parametrize(
    ("second", "expected"),
    [(["Betacin", "> 3 months"], 0), (["Betacin", "7 mg daily"], 1)],
)
def test_a_band_heads_no_column_of_bands(second: list[str], expected: int):
    rows = [["Alphacin", "> 5 kg"], second, [f"{second[0]} syrup", second[1]]]

    def page(paper: Any) -> None:
        lines(paper, PROSE)
        grid(paper, rows, 600, [160, 200])

    table = blocks(parsed(pdf_of(page)).sections[0], "table")[0][1].table
    assert table is not None
    assert table.header_rows == expected
