"""Pieces to sections: tables with their spans and groups, lists with lead-ins, linked notes."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from clinrag_core.model.section import Block, Call, Section
from clinrag_core.model.table import MergedCell, Table
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.blocks import write_blocks
from clinrag_core.parse.assemble.flow import Cell, Heading, Piece, SectionStart, plain_rows, raised
from clinrag_core.parse.assemble.grid import lay_out

DOSES = Piece(
    "table",
    caption="Table 1. Doses",
    rows=(
        (Cell("Age", rows=2, header=True), Cell("Dose", columns=2, header=True)),
        (Cell("Daily", header=True), Cell("Weekly", header=True)),
        (Cell("Latent", columns=3),),
        (Cell("Children", rows=2), Cell("10 mg" + raised("a")), Cell("-")),
        (Cell("15 mg"), Cell("20 mg" + raised("a,b"))),
        (Cell(raised("a") + " With food.", columns=3),),
    ),
)
NOTE = Piece("footnote", raised("b") + " Not in pregnancy.")


def section_of(*pieces: Piece, repeat_cells: bool = False) -> Section:
    text, blocks = write_blocks(pieces, repeat_cells=repeat_cells)
    return Section(ordinal=0, path=("t",), text=text, blocks=blocks)


def test_a_table_keeps_headers_groups_and_spans():
    table = section_of(DOSES).blocks[0].table
    assert table.rows == (
        ("Age", "Dose", ""),
        ("", "Daily", "Weekly"),
        ("Latent", "", ""),
        ("Children", "10 mg", "-"),
        ("", "15 mg", "20 mg"),
    )
    assert (table.caption, table.header_rows, table.group_rows) == ("Table 1. Doses", 2, (2,))
    assert [table.header(c) for c in range(3)] == [("Age",), ("Dose", "Daily"), ("Dose", "Weekly")]
    assert table.cells(4) == ("Children", "15 mg", "20 mg")
    assert table.groups(4) == ("Latent",)
    assert table.groups(0) == table.groups(2) == ()


def test_a_list_of_people_is_front_matter_whatever_heads_it():
    people = ("A. B. Oyelaran (nurse)", "Karin Brandt, Chair", "Petra Ilic (Zolum)", "Dr Jo Costa")
    brands = ("Zolum Forte (zolumycin)", "Vortal Duo (vortazole)", "Miru Mix", "Testa Plus, syrup")
    causes = ("Renal Failure (any)", "Heart Block", "Zolum Fever (child)", "Liver Disease")
    sections = assemble(
        [
            Heading("Edition 1", 2),
            *(Piece("list_item", f"• {name}") for name in people),
            Heading("Brands", 2),
            *(Piece("list_item", f"• {name}") for name in brands),
            Heading("Causes", 2),
            *(Piece("list_item", f"• {name}") for name in causes),
            Heading("Care", 2),
            Piece("paragraph", "In renal failure, heart block or liver disease the dose is less."),
        ],
        "Guide",
    )
    assert [(s.title, s.role) for s in sections] == [
        ("Edition 1", "front_matter"),
        ("Brands", "body"),
        ("Causes", "body"),
        ("Care", "body"),
    ]


def test_cells_that_span_rows_are_repeated_where_wanted():
    table = section_of(DOSES, repeat_cells=True).blocks[0].table
    assert [row[0] for row in table.rows] == ["Age", "Age", "Latent", "Children", "Children"]
    assert table.cells(4) == ("Children", "15 mg", "20 mg")


def test_calls_of_cells_lead_to_the_notes_of_their_table():
    other = Piece("table", rows=plain_rows((("x", "y" + raised("a")), ("z", "1"))))
    section = section_of(DOSES, NOTE, other, Piece("footnote", raised("a") + " Of another."))
    kinds = [block.kind for block in section.blocks]
    assert kinds == ["table", "footnote", "footnote", "table", "footnote"]
    first, second = section.blocks[0], section.blocks[3]
    assert [(c.label, c.notes) for c in first.calls] == [("a", (1,)), ("a,b", (1, 2))]
    assert [(c.label, c.notes) for c in second.calls] == [("a", (4,))]
    assert [section.text[c.at - 5 : c.at] for c in first.calls] == ["10 mg", "20 mg"]
    assert [block.label for block in section.blocks] == [None, "a", "b", None, "a"]
    assert section.text_of(section.blocks[1]) == "a With food."


def test_list_items_know_the_words_that_introduce_them():
    section = section_of(
        Piece("paragraph", "It is safe. Do not give rifapentine to:"),
        Piece("list_item", "• children under 2"),
        Piece("list_item", "• pregnant women"),
        Piece("paragraph", "See the label."),
        Piece("list_item", "• a list of its own"),
    )
    lead_ins = [section.text[slice(*b.lead_in)] if b.lead_in else None for b in section.blocks]
    lead_in = "Do not give rifapentine to:"
    assert lead_ins == [None, lead_in, lead_in, None, None]


@pytest.mark.parametrize(
    ("sentence", "introduces"),
    [
        ("There are no data in the following groups; if given, this is with caution.", True),
        ("The steps are as follows.", True),
        ("It is given on the following day.", False),
        ("It is safe.", False),
    ],
)
def test_a_whole_sentence_introduces_a_list_if_it_says_so(sentence: str, introduces: bool):
    section = section_of(
        Piece("paragraph", f"Be careful. {sentence}"), Piece("list_item", "• a recent stroke")
    )
    lead_in = section.blocks[-1].lead_in
    assert (lead_in and section.text[slice(*lead_in)]) == (sentence if introduces else None)


def test_a_coded_section_is_what_its_format_says():
    start = SectionStart(("5 WARNINGS",), own_loinc="43685-7", loinc="43685-7", group="warnings")
    (section,) = assemble([start, Piece("paragraph", "Strong recommendation.")], "t")
    assert (section.path, section.loinc, section.group) == (("5 WARNINGS",), "43685-7", "warnings")
    assert section.blocks[0].recommendation is None


class _Cells(HTMLParser):
    """The texts that a browser would show."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts += [data] if data.strip() else []


CELL = st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["", "a<b", "x & y"]))


@given(st.lists(st.lists(CELL, min_size=1, max_size=3), min_size=1, max_size=4), st.booleans())
def test_html_shows_every_cell_once_whatever_it_spans(rows, repeat):
    cells = tuple(tuple(Cell(text, r, c) for r, c, text in row) for row in rows)
    grid = lay_out(Piece("table", rows=cells), repeat=repeat)
    if not grid.rows:
        return
    spans, start = [], 0
    for row in grid.rows:
        spans.append((start, start + len("\t".join(row))))
        start = spans[-1][1] + 1
    table = Table(
        rows=grid.rows, row_spans=tuple(spans), merged=grid.merged, header_rows=grid.header_rows
    )
    shown = _Cells()
    shown.feed(table.html())
    assert shown.texts == [text for row in rows for _, _, text in row if text]


def test_an_excerpt_keeps_headers_group_rows_and_what_reaches_down():
    rows = (
        ("Age", "Dose", ""),
        ("", "TB", "CAP"),
        ("Children", "", ""),
        ("under 5", "10 mg", "20 mg"),
        ("", "11 mg", "21 mg"),
        ("Adults", "", ""),
        ("any", "30 mg", ""),
    )
    merged = (
        MergedCell(row=0, column=0, rows=2),
        MergedCell(row=0, column=1, columns=2),
        MergedCell(row=3, column=0, rows=2),
        MergedCell(row=6, column=1, columns=2),
    )
    table = Table(
        header_rows=2,
        rows=rows,
        row_spans=tuple((10 * n, 10 * n + 5) for n in range(7)),
        merged=merged,
        group_rows=(2, 5),
    )
    assert table.excerpt(range(7)) is table
    second = table.excerpt([4])
    assert second.rows == (*rows[:3], ("under 5", "11 mg", "21 mg"))
    assert (second.header_rows, second.group_rows) == (2, (2,))
    assert '<th rowspan="2">Age</th><th colspan="2">Dose</th>' in second.html()
    last = table.excerpt([6])
    assert last.rows == (*rows[:2], *rows[5:])
    assert '<td colspan="2">30 mg</td>' in last.html()


def test_html_of_a_table_is_escaped_and_spans():
    html = section_of(DOSES).blocks[0].table.html()
    assert '<th rowspan="2">Age</th><th colspan="2">Dose</th>' in html
    assert '<td rowspan="2">Children</td>' in html
    assert "<caption>Table 1. Doses</caption>\n<thead>" in html
    assert "<script>" not in Table(rows=(("<script>",),), row_spans=((0, 8),)).html()


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": (("a",), ("b", "c")), "row_spans": ((0, 1), (2, 5))},
        {"rows": (("a",),), "row_spans": ()},
        {"rows": (("a",), ("b",)), "row_spans": ((0, 1), (1, 2))},
        {"rows": (("a",),), "row_spans": ((0, 1),), "header_rows": 2},
        {"rows": (("a",),), "row_spans": ((0, 1),), "header_rows": 1, "group_rows": (0,)},
        {
            "rows": (("a",),),
            "row_spans": ((0, 1),),
            "merged": (MergedCell(row=0, column=0, rows=2),),
        },
    ],
)
def test_an_inconsistent_table_is_refused(wrong):
    with pytest.raises(ValidationError):
        Table(**wrong)


def test_inconsistent_links_are_refused():
    with pytest.raises(ValidationError):
        Block(kind="paragraph", start=0, end=4, calls=(Call(label="a", at=5),))
    with pytest.raises(ValidationError):
        Block(kind="list_item", start=4, end=8, lead_in=(2, 6))
    block = Block(kind="paragraph", start=0, end=4, calls=(Call(label="a", at=4, notes=(0,)),))
    with pytest.raises(ValidationError):
        Section(ordinal=0, path=("t",), text="text", blocks=(block,))
