"""Errors name the home that was looked in and the command that helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app


def error_of(*arguments: str) -> str:
    """The error stream without white space: the console folds lines anywhere."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 1
    return "".join(result.stderr.split())


@pytest.fixture
def home(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("CLINRAG_HOME", str(tmp_path))
    return str(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["labels", "versions", "1"],
        ["report", "open", "--path"],
        ["evaluate", "safety"],
    ],
)
def test_without_a_run_the_home_and_the_command_are_named(home, arguments):
    shown = error_of(*arguments)
    assert home in shown
    assert "makerun" in shown


def test_after_a_stopped_run_the_report_is_named_and_not_another_run(home):
    """The first run of a new corpus stopped at a gate, and `ask` said 'run make run first'."""
    reports = Path(home, "reports")
    reports.mkdir()
    (reports / "index.html").write_text("stopped")
    shown = error_of("ask", "dose of isoniazid?")
    assert home in shown
    assert "clinragreportopen" in shown
    assert "makerun`first" not in shown


def test_inputs_of_different_states_name_the_home(home, monkeypatch):
    from clinrag_core.errors import StaleInputError
    from clinrag_core.pipeline import reports

    def stale(*_):
        raise StaleInputError("a and b were made from different states of c")

    monkeypatch.setattr(reports, "make_safety_report", stale)
    shown = error_of("evaluate", "safety")
    assert "differentstatesofc" in shown
    assert home in shown
    assert "makerun" in shown


def test_a_corpus_that_does_not_exist_is_named_with_its_variable(home, monkeypatch):
    monkeypatch.setenv("CLINRAG_PROFILE", "folder")
    monkeypatch.setenv("CLINRAG_CORPUS", f"{home}/nowhere")
    shown = error_of("parse", "audit")
    assert f"{home}/nowheredoesnotexist" in shown
    assert "CLINRAG_CORPUS" in shown
    Path(home, "nowhere").mkdir()
    assert f"clinragcorpusinit{home}/nowhere" in error_of("parse", "audit")
