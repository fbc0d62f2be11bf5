"""What one start computes and the next one takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clinrag_core import kept as kept_module
from clinrag_core.kept import KeptValues, KeptWords, kept

SCRIPT = """
import re, sys
from pathlib import Path
from clinrag_core.kept import keep
values = keep(Path(sys.argv[1]))
from clinrag_core.facts import quantities, intervals, negation
from clinrag_core.lexicon.common_words import is_common, is_known
from clinrag_core.lexicon.vocabulary import plain_stems
text = "Give 15 mg/kg (maximum 1.6 g) once daily; do not exceed 2 weeks. \\u226410 mL"
print([str(q.key) for q in quantities.quantities(text)])
print(re.compile("(?P<a>x)|(?i:y)", re.MULTILINE).search("1\\nY"))
print(is_common("yesterday"), is_known("grapefruit"), sorted(plain_stems())[:3], len(plain_stems()))
print("computed" if not values.is_complete else "kept", file=sys.stderr)
values.write()
"""


def run(file: Path) -> tuple[str, str]:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", SCRIPT, str(file)], capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr.strip()


def test_the_second_start_takes_everything_and_says_the_same(tmp_path: Path):
    file = tmp_path / "kept.bin"
    first, computed = run(file)
    second, taken = run(file)
    assert (computed, taken) == ("computed", "kept")
    assert first == second


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-1], lambda d: b"", lambda d: d[:40] + b"x" + d[41:]]
)
def test_a_damaged_file_is_as_none(tmp_path: Path, damage: Callable[[bytes], bytes]):
    file = tmp_path / "kept.bin"
    values = KeptValues(file)
    values.add("a", 1)
    values.write()
    assert KeptValues(file).get("a") == 1
    file.write_bytes(damage(file.read_bytes()))
    assert KeptValues(file).get("a") is None


def test_values_of_another_python_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "kept.bin"
    values = KeptValues(file)
    values.add("a", 1)
    values.write()
    monkeypatch.setattr(kept_module, "FORMAT", "kept/1 another")
    assert KeptValues(file).get("a") is None


def test_nothing_is_recorded_after_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "kept.bin"
    values = KeptValues(file)
    monkeypatch.setattr(kept_module, "_values", values)
    words = KeptWords("stems", ["1"])
    assert words.of("doses", str.upper) == "DOSES"
    values.write()
    assert words.of("grandmother", str.upper) == "GRANDMOTHER"
    assert kept("table", ["secret"], lambda: 1) == 1
    values.write()
    assert b"doses" in file.read_bytes()
    assert b"grandmother" not in file.read_bytes()
    assert b"secret" not in file.read_bytes()


def test_what_decides_a_value_is_part_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    values = KeptValues(tmp_path / "kept.bin")
    monkeypatch.setattr(kept_module, "_values", values)
    assert kept("toml", ["digest of one"], lambda: "one") == "one"
    values.write()
    monkeypatch.setattr(kept_module, "_values", KeptValues(tmp_path / "kept.bin"))
    assert kept("toml", ["digest of one"], lambda: "never called") == "one"
    assert kept("toml", ["digest of two"], lambda: "two") == "two"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path):
    file = tmp_path / "a file"
    file.write_text("")
    values = KeptValues(file / "kept.bin")
    values.add("a", 1)
    values.write()
    assert not values.recording
