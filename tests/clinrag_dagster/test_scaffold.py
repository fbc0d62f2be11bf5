"""Users add definitions with `dg scaffold defs`, which must find the project's layout."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project without what is built."""
    for name in ("pyproject.toml", "workspace.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(
        ROOT / "clinrag_dagster",
        tmp_path / "clinrag_dagster",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name in ("clinrag_core", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def dg_command(project: Path, *arguments: str) -> str:
    """Output of a `dg` command run in a project."""
    done = subprocess.run(  # noqa: S603 - fixed arguments
        [str(Path(sys.executable).with_name("dg")), *arguments],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def scaffolded(project: Path) -> Path:
    """The copy with a new asset."""
    dg_command(project, "scaffold", "defs", "dagster.asset", "evaluation/foo.py")
    assert (project / "clinrag_dagster" / "defs" / "evaluation" / "foo.py").is_file()
    return project


def test_a_scaffolded_asset_is_part_of_the_graph(scaffolded: Path):
    listed = json.loads(dg_command(scaffolded, "list", "defs", "--json"))
    assert "foo" in {asset["asset_key"] for asset in listed["assets"]}


@pytest.mark.slow
def test_definitions_with_a_scaffolded_asset_are_valid(scaffolded: Path):
    dg_command(scaffolded, "check", "defs")
