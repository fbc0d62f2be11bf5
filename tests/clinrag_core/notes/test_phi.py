"""What identifies a person is hidden and put back; a run writes only the result of a note."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.notes.phi import Deidentified

TEXT = """Patient name: Rosalind Achterberg
DOB 12/03/1948, MRN: 4471-2290, NHS number 943 476 5919
Seen by Dr. Tobias Quill at Elmswick Hospital on March 4, 2024. Phone (555) 201-3344.
Mrs. Achterberg lives in Port Haverley, 14 Larch Road. Email r.a@example.org.
She is 94 years old and takes warfarin 5 mg daily. Rosalind feels well. SpO2 97%.
"""
SECRET = (
    "Rosalind", "Achterberg", "12/03/1948", "4471", "943 476 5919", "Quill", "Elmswick",
    "March 4", "201-3344", "Haverley", "Larch", "r.a@example.org", "94 years",
)  # fmt: skip


def test_nothing_that_identifies_is_left_and_all_comes_back():
    hidden = Deidentified(TEXT)
    sent = hidden.hide(TEXT)
    assert [word for word in SECRET if word in sent] == []
    for kept in ("warfarin 5 mg daily", "SpO2 97%", "feels well", "years old"):
        assert kept in sent
    assert hidden.restore(sent) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "Nora Lindqvist is a pleasant 57-year-old woman.",
        "Nora Lindqvist, a 57 year old, has a cough.",
        "HPI\n\nNora Lindqvist reports a cough.",
        "HPI\n\nLindqvist denies fever.",
    ],
)
def test_a_name_without_a_title_is_found_by_what_follows_it(text: str):
    sent = Deidentified(text + " She told us that Lindqvist sleeps well.").hide(text)
    assert "Lindqvist" not in sent
    assert "Nora" not in sent


def test_who_is_no_name_is_not_hidden():
    text = "Patient reports a cough. Mother denies fever. CHIEF COMPLAINT\n\nHospital visit."
    assert Deidentified(text).hide(text) == text


def test_one_name_has_one_placeholder():
    hidden = Deidentified("Mr. Bram Oduya has gout. Bram Oduya sleeps well.")
    sent = hidden.hide("Bram Oduya, Bram Oduya")
    assert len(set(re.findall(r"\[NAME_\d+\]", sent))) == 1


def test_a_placeholder_that_was_not_given_stays():
    assert Deidentified("cough").restore("[NAME_7] coughs") == "[NAME_7] coughs"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command in an empty home; returns the result and every file there is afterwards."""

    def run(*arguments: str):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        for name in ("HOME", "CLINRAG_HOME", "TMPDIR", "XDG_CACHE_HOME"):
            monkeypatch.setenv(name, str(home))
        monkeypatch.chdir(home)
        result = CliRunner().invoke(app, ["notes", "summarise", *arguments])
        files = [p for p in tmp_path.rglob("*") if p.is_file()]
        return result, files

    return run


@pytest.mark.parametrize("options", [["--plan"], ["--plan", "--json"], ["--plan", "--html"]])
def test_a_run_writes_nothing_of_the_note(
    written, tmp_path: Path, options: list[str], caplog: pytest.LogCaptureFixture
):
    note = tmp_path / "note.txt"
    note.write_text(TEXT)
    caplog.set_level(logging.DEBUG)
    result, files = written(str(note), *options)
    assert result.exit_code == 0, result.output
    assert "warfarin" in result.stdout
    words = set(re.findall(r"[A-Z][a-z]{4,}", TEXT))
    for path in files:
        if path != note:
            held = path.read_bytes().decode("utf-8", "ignore")
            assert not [word for word in words if word in held], path
    assert not [word for word in words if word in caplog.text]


def test_results_of_a_folder_are_for_their_owner_alone(written, tmp_path: Path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    result, files = written(str(folder), "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    (made,) = [p for p in files if p.parent.name == "out"]
    assert made.stat().st_mode & 0o077 == 0
    assert "Rosalind" not in made.name
