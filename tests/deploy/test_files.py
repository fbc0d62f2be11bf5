"""The files under `deploy/`: they parse, and what they name exists."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from clinrag_core.settings import load_settings
from clinrag_dagster.definitions import build_defs

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
EXAMPLE = (DEPLOY / "systemd" / "clinrag.env.example").read_text()
SOURCES = [*REPOSITORY.glob("clinrag_core/**/*.py"), *REPOSITORY.glob("clinrag_dagster/**/*.py")]
HOST = ("-h", "--host")
HARDENING = ("NoNewPrivileges=yes", "ProtectSystem=strict", "User=clinrag", "Restart=on-failure")
SYSTEMD = shutil.which("systemd-analyze")


def environment_names(value: object) -> Iterator[str]:
    """Names behind `env:` anywhere in a tree."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [inner] if key == "env" else environment_names(inner)


def commands(unit: Path) -> list[list[str]]:
    lines = unit.read_text().splitlines()
    return [shlex.split(line.split("=", 1)[1]) for line in lines if line.startswith("ExecStart=")]


def documented() -> set[str]:
    return set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, flags=re.MULTILINE))


def help_of(words: list[str]) -> str:
    """Help text of a command installed with the interpreter that runs the tests."""
    program = Path(sys.executable).with_name(Path(words[0]).name)
    subcommands = [word for word in words[1:3] if re.fullmatch(r"[a-z][a-z-]*", word)]
    command = [str(program), *subcommands, "--help"]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)  # noqa: S603
    return done.stdout


def test_the_example_explains_every_variable_that_is_read():
    team = yaml.safe_load((DEPLOY / "team" / "dagster.yaml").read_text())
    code = "".join(path.read_text() for path in SOURCES)
    read = set(re.findall(r"[\"']((?:CLINRAG|QDRANT)_[A-Z_]+)[\"']", code))
    compose = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
    assert read | compose | set(environment_names(team)) <= documented()


def test_the_example_contains_no_secret():
    for name in documented():
        if name.endswith(("PASSWORD", "KEY", "KEYS", "WEBHOOK")):
            assert re.search(rf"^#?{name}=$", EXAMPLE, flags=re.MULTILINE), name


def test_only_the_proxy_publishes_ports():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_every_service_is_watched():
    """`serve` brings its health check in its image."""
    unwatched = {name for name, service in SERVICES.items() if "healthcheck" not in service}
    assert unwatched == {"serve"}
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    assert "HEALTHCHECK" in dockerfile.split(" AS serve")[1].split("FROM ")[0]


def test_compose_names_files_targets_volumes_and_networks_that_exist():
    targets = set(re.findall(r" AS (\w+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE))
    for name, service in SERVICES.items():
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
        assert set(service.get("depends_on", {})) <= set(SERVICES), name
        if "build" in service:
            assert service["build"]["target"] in targets
            assert (DEPLOY / service["build"]["context"]).resolve() == REPOSITORY
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).is_file(), volume
            elif not source.startswith("$"):
                assert source in COMPOSE["volumes"], volume


def test_the_image_is_built_from_files_the_builder_is_given():
    given = {
        line.removeprefix("!")
        for line in (REPOSITORY / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert all((REPOSITORY / name).exists() for name in given)
    for line in (DEPLOY / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert any(Path(source).is_relative_to(name) for name in given), source


def test_the_webservers_reach_the_code_server_that_is_started():
    workspace = yaml.safe_load((DEPLOY / "team" / "workspace.yaml").read_text())
    server = workspace["load_from"][0]["grpc_server"]
    assert server["host"] in SERVICES
    (unit,) = commands(DEPLOY / "systemd" / "clinrag-code-server.service")
    for command in (SERVICES[server["host"]]["command"], unit):
        assert command[command.index("-p") + 1] == str(server["port"])
        assert command[command.index("-m") + 1] == "clinrag_dagster.definitions"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_a_command_that_knows_its_options(unit: Path):
    (command,) = commands(unit)
    text = help_of(command)
    options = [word for word in command if word.startswith("-")]
    assert options
    assert [o for o in options if not re.search(rf"(^|[\s,]){o}[\s,]", text)] == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_listens_on_this_machine_only(unit: Path):
    (command,) = commands(unit)
    hosts = [after for word, after in pairwise(command) if word in HOST]
    assert hosts == ([] if unit.stem == "clinrag-daemon" else ["127.0.0.1"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_may_write_below_the_workspace_only(unit: Path):
    lines = unit.read_text().splitlines()
    assert set(HARDENING) <= set(lines)
    assert "EnvironmentFile=/etc/clinrag/clinrag.env" in lines
    (writable,) = [line for line in lines if line.startswith("ReadWritePaths=")]
    assert Path(writable.split("=")[1]).is_relative_to("/var/lib/clinrag")


@pytest.mark.skipif(SYSTEMD is None, reason="systemd-analyze is not installed")
def test_systemd_understands_every_unit(tmp_path: Path):
    for unit in UNITS:
        text = unit.read_text().replace("/opt/clinrag/bin", str(Path(sys.executable).parent))
        (tmp_path / unit.name).write_text(text)
    command = [SYSTEMD, "verify", "--man=no", *(str(path) for path in tmp_path.glob("*.service"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")


def test_every_check_has_a_row_that_says_what_to_do_and_whether_it_blocks():
    text = (REPOSITORY / "docs" / "operations.md").read_text().split("## When a check fails")[1]
    rows: dict[str, bool] = {}
    for line in text.splitlines():
        first = line.split("|")[1] if line.startswith("| `") else ""
        rows |= dict.fromkeys(re.findall(r"`(\w+)`", first), "**blocking**" in first)
    graph = build_defs(load_settings("sample", {})).resolve_asset_graph()
    checks = {key.name: graph.get(key).blocking for key in graph.asset_check_keys}
    assert checks.items() <= rows.items()
