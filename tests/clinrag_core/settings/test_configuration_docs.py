"""docs/configuration.md says what is true: its commands run, its file loads, its names exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.settings import load_settings
from clinrag_core.settings.leaves import leaves
from clinrag_core.settings.load import ALIASES, NOT_SETTINGS

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "configuration.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)


def test_its_commands_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    commands = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
    assert len(commands) == 3
    for command in commands:
        program, *arguments = shlex.split(command)
        done = CliRunner().invoke(app, arguments, env={"CLINRAG_PROFILE": "sample"})
        assert (program, done.exit_code) == ("clinrag", 0), done.output


def test_its_file_loads(tmp_path: Path):
    (text,) = [text for kind, text in BLOCKS if kind == "toml"]
    (tmp_path / "my.toml").write_text(text)
    settings = load_settings(None, {"CLINRAG_CONFIG": str(tmp_path / "my.toml")})
    assert settings.retrieval.reranker == str(tmp_path / "models" / "reranker")


def test_its_names_exist():
    variables = {leaf.variable for leaf in leaves().values()} | set(ALIASES) | NOT_SETTINGS
    named = set(re.findall(r"CLINRAG_[A-Z_]*[A-Z]", TEXT))
    assert named <= variables
    dotted = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", TEXT)) - {"vocab.txt", "tokenizer.json"}
    assert dotted <= set(leaves())
