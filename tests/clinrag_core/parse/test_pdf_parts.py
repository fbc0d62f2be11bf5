"""The parts of the PDF parser that are functions of plain data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.parse.pdf.furniture import printed_labels, remove_furniture
from clinrag_core.parse.pdf.headings import number_depth
from clinrag_core.parse.pdf.hyphens import Vocabulary
from clinrag_core.parse.pdf.lattice import find_grids
from clinrag_core.parse.pdf.order import reading_order
from clinrag_core.parse.pdf.outline import real_entries
from clinrag_core.parse.pdf.page import Fill, Line, Page, Span, make_line
from clinrag_core.parse.pdf.reader import Entry

BLACK = (0.0, 0.0, 0.0)


def span(text: str, x: float, y: float, size: float = 10, width: float | None = None) -> Span:
    box = (x, y - size, x + (width or 0.5 * size * len(text)), y + 0.2 * size)
    return Span(text, box, y, size, "Sans", False, False, 0)


def line(text: str, x: float, y: float, size: float = 10, page: int = 1) -> Line:
    made = make_line([span(text, x, y, size)], page)
    assert made is not None
    made.edges = (made.y0 / 800, made.y1 / 800)
    return made


def ruled(columns: list[float], rows: list[float]) -> list[Fill]:
    across = [Fill((columns[0], y, columns[-1], y + 0.5), BLACK) for y in rows]
    return across + [Fill((x, rows[0], x + 0.5, rows[-1]), BLACK) for x in columns]


def test_rules_make_a_grid_of_cells():
    (grid,) = find_grids(ruled([50, 150, 300], [100, 120, 140, 160]))
    assert [len(row) for row in grid.cells] == [2, 2, 2]
    assert all(cell is not None for row in grid.cells for cell in row)


def test_rules_across_below_a_header_add_its_open_rows():
    rules = ruled([50, 150, 300], [100, 120])
    rules += [Fill((50, y, 300, y + 0.5), BLACK) for y in (180, 240)]
    (grid,) = find_grids(rules)
    assert grid.open_rows == 2
    assert grid.box[3] == pytest.approx(240, abs=1)


def test_marked_lines_of_text_are_one_area_and_no_table():
    marked = [Fill((50, 100 + 14 * n, 500, 114 + 14 * n), (1, 0.9, 0.4)) for n in range(6)]
    assert find_grids(marked) == []


@given(
    st.lists(st.tuples(*[st.floats(0, 600, width=16)] * 4), max_size=40),
    st.booleans(),
)
def test_any_drawing_gives_grids_whose_cells_lie_inside(
    boxes: list[tuple[float, float, float, float]], filled: bool
):
    fills = [
        Fill((min(a, c), min(b, d), max(a, c), max(b, d)), BLACK, filled) for a, b, c, d in boxes
    ]
    for grid in find_grids(fills):
        for cell in (c for row in grid.cells for c in row if c is not None):
            assert grid.box[0] - 1 <= cell[0] < cell[2] <= grid.box[2] + 1
            assert grid.box[1] - 1 <= cell[1] < cell[3] <= grid.box[3] + 1


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(0, 780), st.integers(3, 60)), max_size=60))
def test_reading_order_keeps_every_word_once(places: list[tuple[float, float, int]]):
    items = [line(f"w{n} " + "x" * width, x, y) for n, (x, y, width) in enumerate(places)]

    def words(found: object) -> list[str]:
        if isinstance(found, Line):
            return found.text.split()
        return [w for inner in found.lines for w in words(inner)]  # type: ignore[attr-defined]

    ordered = reading_order(list(items), 10)
    got = sorted(w for item in ordered for w in words(item))
    assert got == sorted(w for item in items for w in item.text.split())


@pytest.mark.parametrize(
    ("last", "following", "joined"),
    [
        ("treat-", "ment", "treatment"),
        ("drug-", "resistant", "drug-resistant"),
        ("DR-", "TB", "DR-TB"),
        ("first-", "line", "first-line"),
        ("a dose of 5-", "10 mg", "a dose of 5-10 mg"),
        ("and/", "or", "and/or"),
        ("the end.", "Next", "the end. Next"),
        ("https://example.org/a-", "page.html", "https://example.org/a-page.html"),
    ],
)
def test_line_ends_are_joined_by_the_words_of_the_document(last: str, following: str, joined: str):
    known = Vocabulary(["good treatment of drug-resistant disease is a first-line concern"])
    assert known.join(last, following) == joined


def test_a_soft_hyphen_is_never_kept():
    assert Vocabulary([]).join("tubercu", "losis", soft=True) == "tuberculosis"


def test_an_unknown_break_is_kept_where_the_document_does_not_break_words():
    keeps = Vocabulary(["life-saving care", "a life-", "saving drug", "is life-", "threatening"])
    assert keeps.join("life-", "threatening") == "life-threatening"


def test_a_line_on_one_page_in_twenty_is_no_running_line():
    words = "red green blue gold grey pink teal navy rose sand mint plum rust jade ruby lime coal"
    pages = [
        Page(n, "", 600, 800, [line(f"A sentence about {word} things", 50, 60, page=n)])
        for n, word in enumerate(words.split(), start=1)
    ]
    assert remove_furniture(pages) == {}


def test_only_numbers_that_count_with_the_pages_are_labels():
    pages = [
        Page(n, "", 600, 800, [line(f"Manual 2017 edition {n + 15}", 50, 790, page=n)])
        for n in range(1, 9)
    ]
    labels = printed_labels(pages, remove_furniture(pages))
    assert labels == {n: str(n + 15) for n in range(1, 9)}


@pytest.mark.parametrize(
    ("title", "depth"),
    [
        ("2 Treatment", 1),
        ("2.1. Administrative controls", 2),
        ("2 .2.3 Case definitions", 3),
        ("1.2.3", None),
        ("2 months of rifampicin", None),
        ("Treatment", None),
    ],
)
def test_depth_of_a_heading_number(title: str, depth: int | None):
    assert number_depth(title) == depth


def test_outline_entries_that_are_no_headings_are_named():
    entries = (Entry(1, "_ENREF_12", 3), Entry(1, "Treatment", 4), Entry(1, "Lost", -1))
    kept, warnings = real_entries(entries, 10)
    assert [e.title for e in kept] == ["Treatment"]
    assert [w.code for w in warnings] == ["outline_junk", "outline_invalid_destination"]
