"""The README's commands act on what they say, exactly as printed.

`make promote` was printed without CORPUS: it compared one corpus with another one's baseline.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ECHO = """#!/bin/sh
printf '{"profile": "%s", "corpus": "%s", "arguments": "%s"}\\n' \\
    "$CLINRAG_PROFILE" "$CLINRAG_CORPUS" "$*"
"""


@pytest.fixture
def make(tmp_path: Path):
    """Runs make with a program in place of Python that prints what it was called with."""
    program = tmp_path / "python"
    program.write_text(ECHO)
    program.chmod(0o755)

    def call(command: str) -> dict[str, str]:
        _, *arguments = shlex.split(command)
        done = subprocess.run(  # noqa: S603 - make with our own Makefile
            ["make", "-s", "-o", ".venv/installed", f"BIN={tmp_path}", *arguments],  # noqa: S607 - as a user's shell finds it
            cwd=ROOT, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        return json.loads(done.stdout)

    return call


def test_a_promotion_names_the_corpus_that_was_run(make):
    section = (ROOT / "README.md").read_text().split("## Your own documents")[1]
    commands = re.findall(r"^make (?:run|promote) .*$", section.split("\n## ")[0], re.M)
    run, promote = (make(command) for command in commands)
    assert "clinrag_dagster.run" in run["arguments"]
    assert "clinrag_dagster.promote --author your name --reason" in promote["arguments"]
    assert (promote["profile"], promote["corpus"]) == (run["profile"], run["corpus"])
    assert (run["profile"], run["corpus"]) == ("folder", str(ROOT / "path/to/folder"))


def test_without_a_corpus_both_act_on_the_sample(make):
    for command in ("make run", "make promote AUTHOR=a REASON=b"):
        assert make(command)["profile"] == "sample"
        assert make(command)["corpus"] == ""
