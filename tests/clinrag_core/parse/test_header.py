"""The header of tables that mark none, read from what their cells hold."""

from __future__ import annotations

import pytest

from clinrag_core.model.table import MergedCell
from clinrag_core.parse.assemble.header import header_by_content, lower_levels

DOSES = (("Body weight", "Dose"), ("5 to 9 kg", "50 mg once daily"), ("10 to 20 kg", "100 mg"))


@pytest.mark.parametrize(
    ("rows", "captioned", "levels"),
    [
        (DOSES, False, 1),
        ((("", "Drug", "Placebo"), ("", "(n = 40)", "(n = 42)"), ("Nausea", "4", "5")), False, 2),
        ((("", "Drug"), ("Nausea", "mild")), False, 1),
        ((("Drug", "Effect", "Advice"), ("A", "raised", "Do not combine")), True, 1),
        ((("Drugs that A affects", "", ""), ("Drug", "Effect", "Advice"), ("B", "up", "Avoid")),
         False, 2),
    ],
    ids=["values below", "empty corner and counts", "empty corner", "caption", "title above"],
)  # fmt: skip
def test_a_row_that_cannot_be_data_is_a_header(
    rows: tuple[tuple[str, ...], ...], captioned: bool, levels: int
) -> None:
    assert header_by_content(rows, captioned=captioned) == levels


@pytest.mark.parametrize(
    ("rows", "captioned"),
    [
        ((("Nausea", "30 (38)", "26 (32)"), ("Headache", "22 (28)", "10 (12)")), True),
        ((("Inhibitors of A", ""), ("Effect:", "More of the drug in the blood.")), True),
        ((("Usual dose", "One tablet a day."), ("Highest dose", "Two tablets a day.")), True),
        ((("Drug", "Effect", "Advice"), ("A", "raised", "Do not combine")), False),
        ((("Symptom", "This is a sentence.", "So is this."), ("A", "b", "c")), True),
        ((("Alone", "one row"),), True),
        ((), False),
    ],
    ids=["values", "one label", "two columns of prose", "no caption", "prose", "one row", "empty"],
)
def test_a_row_that_may_be_data_is_none(rows: tuple[tuple[str, ...], ...], captioned: bool) -> None:
    assert header_by_content(rows, captioned=captioned) == 0


def test_a_heading_over_several_columns_has_a_level_below() -> None:
    rows = (
        ("Parameter", "Placebo", "", "Drug", ""),
        ("", "Start", "End", "Start", "End"),
        ("Pain", "8", "7", "8", "3"),
    )
    spans = [MergedCell(row=0, column=c, columns=2) for c in (1, 3)]
    assert lower_levels(rows, 1, spans) == 2
    assert lower_levels(rows, 1, []) == 1
    assert lower_levels(rows, 0, spans) == 0


def test_each_heading_over_columns_has_the_same_words_below() -> None:
    rows = (
        ("", "Placebo", "", "Drug", ""),
        ("Median", "Baseline", "24 weeks", "Baseline", "24 weeks"),
        ("Joints", "23", "17", "20", "5"),
    )
    spans = [MergedCell(row=0, column=c, columns=2) for c in (1, 3)]
    assert lower_levels(rows, 1, spans) == 2
    data = (rows[0], ("Joints", "5 mg", "5 mg", "5 mg", "5 mg"), rows[2])
    assert lower_levels(data, 1, spans) == 1


def test_counts_below_headings_without_a_name_are_a_level() -> None:
    top, nausea = ("", "Placebo", "Drug"), ("Nausea", "4%", "9%")
    counts = ("Adverse reaction", "(n = 33)", "(n = 35)")
    assert lower_levels((top, counts, nausea), 1, []) == 2
    of_people = ("Number of patients", "n = 33", "n = 35")
    assert lower_levels((top, of_people, nausea), 1, []) == 1
    again = ("Imaging", "(n = 10)", "(n = 12)")
    assert lower_levels((top, counts, nausea, again, nausea), 1, []) == 1
