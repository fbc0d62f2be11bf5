"""Rows that are never quoted, by the shape of grid that put a wrong heading above a figure."""

from __future__ import annotations

from itertools import accumulate

import pytest

from clinrag_core.chunk.table_doubts import doubtful_rows
from clinrag_core.model.table import MergedCell, Table

DOSES = (("Weight", "Dose"), ("5 to 9 kg", "50 mg"), ("10 to 20 kg", "100 mg"))


def table(
    *rows: tuple[str, ...],
    header: int = 1,
    groups: tuple[int, ...] = (),
    merged: tuple[MergedCell, ...] = (),
) -> Table:
    ends = list(accumulate(len("\t".join(row)) + 1 for row in rows))
    spans = tuple(
        (end - len("\t".join(row)) - 1, end - 1) for row, end in zip(rows, ends, strict=True)
    )
    return Table(header_rows=header, rows=rows, row_spans=spans, group_rows=groups, merged=merged)


def test_no_row_of_a_plain_table_is_in_doubt() -> None:
    assert doubtful_rows(table(*DOSES), is_drawn=True) == frozenset()


@pytest.mark.parametrize(
    ("grid", "doubtful"),
    [
        (table(("Step 1", "Choose A"), ("Step 2", "Choose B")), {1}),
        (table(*DOSES, ("Table 3. Doses of another drug", "")), {3}),
        (table(("", "A"), ("Any", "5 (1%)"), ("Late", "4"), ("Late", "7"), header=1), {2, 3}),
        (table(("Test", "A"), ("Week 1 Week 2", "63% 56%"), ("Week 3", "40%")), {1}),
        (table(("", "A (n = 9)"), ("(n = 8)", "(n = 9)"), ("Nausea", "4")), {1}),
        (
            table(
                ("Drug", "Phase", "AUC (mg/L)"),
                ("A", "oral", "9"),
                ("Drug", "Phase", "AUC (ng/L)"),
                ("B", "oral", "40"),
            ),
            {2, 3},
        ),
        (table(("Drug", "Dose (mg"), ("A", "5 mg")), {1}),
        (table(*DOSES, merged=(MergedCell(row=0, column=0, rows=2),)), {1, 2}),
        (
            table(
                ("Drug", "33-50 kg", "51-70 kg (maximum dose)"),
                ("A", "200-300 mg", "300 mg daily"),
                ("B", "450-600 mg", "300 mg daily"),
            ),
            {2},
        ),
        (table(("A", "B"), ("Staff", "the skill to"), ("Room", "of the clinic")), {1, 2}),
    ],
    ids=[
        "header is one of the labels",
        "caption of the next table",
        "same label twice",
        "several rows in one",
        "cells moved to the left",
        "second header",
        "heading is cut",
        "header goes on in the data",
        "more than its own maximum",
        "row cut into lines",
    ],
)
def test_a_shape_that_binds_wrongly_is_in_doubt(grid: Table, doubtful: set[int]) -> None:
    assert doubtful_rows(grid, is_drawn=True) == doubtful


@pytest.mark.parametrize(
    ("grid", "doubtful"),
    [
        (
            table(
                ("Clearance", "Dose regimen", ""),
                ("60 or more", "300 mg", "400 mg"),
                ("", "After dialysis, in addition", ""),
                ("Dialysis", "125 mg", "150 mg"),
                merged=(MergedCell(row=2, column=1, columns=2),),
            ),
            {2, 3},
        ),
        (
            table(
                ("CHANGE AT 18 MONTHS:", "N = 119", "N = 109"),
                ("more than 1", "23", "43"),
                ("NEW LESIONS AT 18 MONTHS:", "N = 132", "N = 110"),
                ("more than 2", "9", "11"),
            ),
            {2, 3},
        ),
        (
            table(("Shape", "Mark"), ("Round", "5 on"), ("flat", "of one side"), ("Oval", "6")),
            {1, 2},
        ),
        (
            table(
                ("Given with", "Dose", "Peak"),
                ("Zolumycin 40 mg Its metabolite", "50 mg once daily", "0.88 (0.80 to 0.98)"),
                ("Zolumycin 40 mg Its metabolite", "50 mg once daily", "1.01 (0.93 to 1.10)"),
                ("Zolumycin 40 mg Its metabolite", "50 mg twice daily", "1.20"),
            ),
            {1, 2},
        ),
        (
            table(
                ("Outcome", "Zolumycin", "Placebo"),
                ("Cure", "12%", "20%"),
                ("95% CI for difference", "3 to 9", "2 to 7"),
                ("Relapse", "9%", "15%"),
                ("Relative risk reduction", "40%", ""),
                ("Prevention", "", ""),
                ("Ulcer risk reduction", "15%", "3%"),
                ("Risk reduction", "15 mg", "once daily"),
                groups=(5,),
            ),
            {2},
        ),
        (table(("Age", "Dose"), ("under 4 years", "do not use"), header=0), {0}),
        (table(("ALT", "a liver enzyme of blood"), ("HIV", "virus"), header=0), set()),
    ],
)
def test_a_shape_that_binds_wrongly_in_markup_is_in_doubt(grid: Table, doubtful: set[int]) -> None:
    assert doubtful_rows(grid, is_drawn=False) == doubtful


def test_cells_that_all_begin_in_lower_case_are_whole() -> None:
    rows = (("Setting", "Notes"), ("Ward", "in adults"), ("Home", "with a macrolide"))
    assert doubtful_rows(table(*rows), is_drawn=True) == frozenset()
