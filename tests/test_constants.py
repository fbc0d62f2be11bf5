"""The table of what thresholds of the PDF parser decide names those that the code has."""

import csv
import importlib
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parents[1] / "benchmarks" / "constants.tsv"
with TABLE.open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file, delimiter="\t"))


@pytest.mark.parametrize("row", ROWS, ids=[row["place"] for row in ROWS])
def test_a_row_has_the_value_of_its_constant(row: dict[str, str]) -> None:
    module, name = row["place"].split()
    assert repr(getattr(importlib.import_module(f"clinrag_core.{module}"), name)) == row["value"]


def test_the_table_tells_what_each_value_changes() -> None:
    assert len(ROWS) == len({row["place"] for row in ROWS}) > 0
    assert all(row["0"] and row["unbounded"] for row in ROWS)
