"""Tables of recommendations: each row is a statement with its class, level or grade."""

from __future__ import annotations

from typing import Any

import pytest
from paper import PROSE, parsed, write
from reportlab.lib.colors import black

from clinrag_core.parse.assemble.flow import Piece, plain_rows
from clinrag_core.parse.assemble.recommendations import graded

USE = "Testazid is recommended to reduce the risk of relapse."
AVOID = "In pregnant women testazid should not be given."


def table(*rows: tuple[str, ...], unsure: tuple[int, ...] = ()) -> Piece:
    return Piece("table", rows=plain_rows(rows, 1), unsure=unsure)


@pytest.mark.parametrize(
    ("header", "row", "record"),
    [
        (("COR", "LOE", "Recommendations"), ("1", "B-R", f"1. {USE}"), ("1", "class 1", "b-r")),
        (("COR", "LOE", "Recommendation"), ("3: Harm", "C-LD", AVOID), (None, "class 3", "c-ld")),
        (("Recommendations", "Class a", "Level b"), (USE, "IIa", "B"), (None, "class iia", "b")),
        (("Population", "Recommendation", "Grade"), ("Adults", USE, "B"), (None, "b", None)),
        (
            ("Recommendation", "Strength of recommendation", "Quality of evidence"),
            (USE, "Strong", "Low"),
            (None, "strong", "low"),
        ),
    ],
)
def test_a_row_with_a_grade_is_a_recommendation(
    header: tuple[str, ...], row: tuple[str, ...], record: tuple[str | None, ...]
) -> None:
    (piece,) = graded([table(header, row)], "Treatment")
    assert piece.kind == "recommendation"
    found = piece.recommendation
    assert found is not None
    assert (found.number, found.strength, found.certainty) == record
    assert all(cell in piece.text for cell in row)


@pytest.mark.parametrize(
    "rows",
    [
        (("Drug", "Class", "Level"), ("testazid", "II", "5 mg/L")),
        (("Recommendation", "Grade"), ("Pain", "3"), ("Rash", "2")),
        (("Grade", "Recommendation"), ("Mild", USE), ("Severe", AVOID)),
        (("Class", "Statement", "Class"), ("I", USE, "II")),
    ],
)
def test_other_tables_stay_tables(rows: tuple[tuple[str, ...], ...]) -> None:
    """A class of drugs or a grade of harm grades no statement."""
    assert [p.kind for p in graded([table(*rows)], "Harm")] == ["table"]


def test_a_table_whose_rows_may_be_mixed_up_stays_one() -> None:
    unsure = table(("COR", "LOE", "Recommendations"), ("1", "A", USE), unsure=(1,))
    assert [p.kind for p in graded([unsure], "Treatment")] == ["table"]


def test_rows_keep_their_groups_and_places() -> None:
    rows = (
        ("COR", "LOE", "Recommendations"),
        ("Adults", "", ""),
        ("1", "A", USE),
        ("2a", "A", AVOID),
    )
    pieces = graded([table(*rows)], "Treatment")
    assert [p.kind for p in pieces] == ["paragraph", "recommendation", "recommendation"]
    assert pieces[0].text == "Adults"


def draw(paper: Any, *, ruled: bool) -> None:
    write(paper, PROSE, 72, 760)
    edges, levels = (72, 120, 180, 520), (700, 680, 644, 608)
    rows = [
        ("COR", "LOE", "Recommendations"),
        ("1", "B-R", f"1. {USE}"),
        ("2a", "C-LD", f"2. {AVOID}"),
    ]
    for n, row in enumerate(rows):
        for x, cell in zip(edges, row, strict=False):
            write(paper, [cell], x + 4, levels[n] - 14, bold=n == 0)
    paper.setStrokeColor(black)
    for y in levels if ruled else ():
        paper.line(edges[0], y, edges[-1], y)
    for x in edges if ruled else ():
        paper.line(x, levels[0], x, levels[-1])
    write(paper, PROSE, 72, 560)


@pytest.mark.parametrize("ruled", [True, False])
def test_printed_rows_are_recommendations_with_their_grade(ruled: bool) -> None:
    document = parsed(lambda paper: draw(paper, ruled=ruled))
    found = [b for s in document.sections for b in s.blocks if b.recommendation is not None]
    records = [b.recommendation for b in found if b.recommendation is not None]
    assert [(r.number, r.strength, r.certainty) for r in records] == [
        ("1", "class 1", "b-r"),
        ("2", "class 2a", "c-ld"),
    ]
    assert all(b.page == 1 for b in found)
