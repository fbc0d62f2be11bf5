"""Cells of a row in words are read by the headings that were printed above it, or not at all."""

from __future__ import annotations

import pytest

from clinrag_core.chunk.row_cells import row_cells


@pytest.mark.parametrize(
    ("said", "quoted", "cells"),
    [
        ("Drug: Ab; Dose: 5 mg", ("Ab\t5 mg", "Drug", "Dose"), ("Drug|Ab", "Dose|5 mg")),
        (
            "Drug: Ab; Dose: 5 mg; most: 9 mg",
            ("Ab\t5 mg; most: 9 mg", "Drug", "Dose"),
            ("Drug|Ab", "Dose|5 mg; most: 9 mg"),
        ),
        (
            "Weight: 40 kg; Start: tablets of 75 mg: 3 a day",
            ("40 kg\t3 a day", "Weight", "Start: tablets of 75 mg"),
            ("Weight|40 kg", "Start: tablets of 75 mg|3 a day"),
        ),
        (
            "Children: Drug: Ab; Dose: 5 mg",
            ("Ab\t5 mg", "Children", "Drug", "Dose"),
            ("Children: Drug|Ab", "Dose|5 mg"),
        ),
        (
            "Drug: Ab; Dose – Adults: 5 mg; Dose – Children and infants: 2 mg",
            ("Ab\t5 mg\t2 mg", "Drug", "Dose", "Adults", "Children and infants"),
            ("Drug|Ab", "Dose – Adults|5 mg", "Dose – Children and infants|2 mg"),
        ),
        (
            "Drug: Ab; Dose: 5 mg",
            ("\t5 mg", "Drug", "Ab", "Dose"),  # the label is a cell above
            ("Drug|Ab", "Dose|5 mg"),
        ),
        ("Drug: Ab; Dose: 5 mg", ("Drug: Ab Dose: 5 mg", "Table 1"), ("Drug|Ab", "Dose|5 mg")),
    ],
    ids=["plain", "colon-in-cell", "colon-in-heading", "group", "levels", "label-above", "flat"],
)
def test_each_cell_has_the_heading_that_was_printed_above_it(said, quoted, cells):
    assert tuple(f"{c.heading}|{c.value}" for c in row_cells(said, quoted)) == cells


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Drug: Ab; Dose: 5 mg", ("Ab\t5 mg", "Drug")),  # "Dose" is not known as a heading
        ("Ab: 5 mg", ("Ab\t5 mg",)),
        ("Ab; Dose: 5 mg", ("Ab\t5 mg", "Dose")),
        ("Give Ab; watch the liver: monthly", ("Give Ab; watch the liver: monthly",)),
        ("Drug: Ab", ()),
    ],
    ids=["heading-unknown", "pair", "label-without-heading", "sentence", "nothing-cited"],
)
def test_a_row_that_cannot_be_read_surely_has_no_cells(said, quoted):
    assert row_cells(said, quoted) == ()


def test_no_word_of_a_row_is_lost():
    said = "Drug: Ab; Dose: 5 mg; then 2 mg; Weeks: 2"
    cells = row_cells(said, ("Ab\t5 mg; then 2 mg\t2", "Drug", "Dose", "Weeks"))
    assert "; ".join(f"{c.heading}: {c.value}" for c in cells) == said
