"""Values that a file keeps for the next process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clinrag_core.kept import read_values, write_values

FORM = "kept/1"
VALUES = {("a", 1): ["x", b"y", None, 1.5]}


def test_what_is_written_is_read(tmp_path: Path):
    file = tmp_path / "new" / "kept.bin"
    write_values(file, FORM, VALUES)
    assert read_values(file, FORM) == VALUES
    assert [one.name for one in file.parent.iterdir()] == ["kept.bin"]


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-1], lambda d: b"", lambda d: d[:40] + b"x" + d[41:]]
)
def test_a_damaged_file_is_as_none(tmp_path: Path, damage: Callable[[bytes], bytes]):
    file = tmp_path / "kept.bin"
    write_values(file, FORM, VALUES)
    file.write_bytes(damage(file.read_bytes()))
    assert read_values(file, FORM) is None


def test_values_of_another_format_are_not_taken(tmp_path: Path):
    file = tmp_path / "kept.bin"
    write_values(file, FORM, VALUES)
    assert read_values(file, "kept/2") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path):
    file = tmp_path / "a file"
    file.write_text("")
    write_values(file / "kept.bin", FORM, VALUES)
    assert read_values(file / "kept.bin", FORM) is None
