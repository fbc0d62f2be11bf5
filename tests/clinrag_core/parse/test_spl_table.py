"""Tables: a rectangular grid whose cells are in the text once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.grid import MAX_COLUMNS, TableGrid, lay_out
from clinrag_core.parse.spl.table import read_rows
from clinrag_core.parse.spl.xml import flat_text


def grid_of(markup: str) -> TableGrid:
    element = etree.fromstring(f'<table xmlns="urn:hl7-org:v3">{markup}</table>')
    rows, _ = read_rows(element, flat_text)
    return lay_out(Piece("table", rows=rows), repeat=False)


def test_spanning_cells_keep_their_text_once():
    grid = grid_of(
        "<thead><tr><th rowspan='2'>Drug</th><th colspan='2'>Dose</th></tr>"
        "<tr><th>Adult</th><th>Child</th></tr></thead>"
        "<tbody><tr><td>A</td><td>1</td><td>2</td></tr></tbody>"
    )
    assert grid.rows == (("Drug", "Dose", ""), ("", "Adult", "Child"), ("A", "1", "2"))
    assert grid.header_rows == 2


def test_bold_first_row_without_thead_is_the_header():
    grid = grid_of(
        "<tbody><tr><td><content styleCode='bold'>Drug</content></td>"
        "<td styleCode='Bold Toprule'>Dose</td></tr>"
        "<tr><td><content styleCode='bold'>A</content></td><td>1</td></tr></tbody>"
    )
    assert grid.header_rows == 1


def test_plain_table_has_no_header():
    assert grid_of("<tr><td>a</td><td>b</td></tr>").header_rows == 0


def test_partly_bold_row_is_no_header():
    grid = grid_of("<tr><td><content styleCode='bold'>A</content> mg</td><td>b</td></tr>")
    assert grid.header_rows == 0


def test_table_foot_is_read_last():
    grid = grid_of(
        "<tfoot><tr><td>note</td><td>n</td></tr></tfoot>"
        "<tbody><tr><td>a</td><td>b</td></tr></tbody>"
    )
    assert grid.rows == (("a", "b"), ("note", "n"))


def test_empty_rows_are_left_out():
    grid = grid_of("<tr><td/><td> </td></tr><tr><td>a</td><td>b</td></tr>")
    assert grid.rows == (("a", "b"),)


def test_absurd_spans_are_bounded():
    grid = grid_of("<tr><td colspan='99999999' rowspan='x'>a</td><td colspan='0'>b</td></tr>")
    assert len(grid.rows[0]) == MAX_COLUMNS + 1


def test_caption_footnotes_and_row_spans_are_attached(narrative):
    text, blocks = narrative(
        "<table ID='t1'><caption>Table 1: Doses</caption><tbody>"
        "<tr><td>A<footnote>With food.</footnote></td><td>300 mg</td></tr>"
        "<tr><td>B</td><td><list><item>1</item><item>2</item></list></td></tr></tbody></table>"
    )
    assert text == "Table 1: Doses\n\nA\t300 mg\nB\t1 2\n\nWith food."
    assert [b.kind for b in blocks] == ["caption", "table", "footnote"]
    table = blocks[1].table
    assert table.caption == "Table 1: Doses"
    assert blocks[1].xml_id == "t1"
    assert [tuple(text[a:b].split("\t")) for a, b in table.row_spans] == list(table.rows)


CELL = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=5))
def test_grid_is_rectangular_and_every_cell_appears_once(rows):
    names = iter(f"c{n}" for n in range(100))
    expected = []
    markup = ""
    for row in rows:
        markup += "<tr>"
        for colspan, rowspan in row:
            name = next(names)
            expected.append(name)
            markup += f"<td colspan='{colspan}' rowspan='{rowspan}'>{name}</td>"
        markup += "</tr>"
    grid = grid_of(markup)
    assert len({len(row) for row in grid.rows}) == 1
    assert [cell for row in grid.rows for cell in row if cell] == expected
