"""The documentation: commands run or at least parse, references are made from the code."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.settings.render import toml_file

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), ROOT / "deploy" / "README.md"]
BLOCK = re.compile(r"^```(?:bash|console|sh)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
STARTS = ("clinrag ", ".venv/bin/clinrag ")
LONG = {"serve", "mcp"}
"""Commands that run until they are stopped; their tests are elsewhere."""
NEEDS_A_FOLDER = "path/to/"


def commands(page: Path) -> list[str]:
    """The clinrag commands of a page's blocks and of its running text."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    lines += INLINE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    found: list[str] = []
    for line in lines:
        part = line.rsplit("| ", 1)[-1].split(" #")[0].strip()
        if part.startswith(STARTS):
            found.append(part.split("clinrag ", 1)[1])
    return found


def problem(command: str) -> str:
    """What is wrong with the names in a command; empty where every name is known."""
    words = [w for w in shlex.split(command) if w != "..."]
    group = get_command(app)
    path: list[str] = []
    while words and not words[0].startswith("-") and hasattr(group, "commands"):
        if words[0] not in group.commands:
            return f"no command {' '.join([*path, words[0]])!r}"
        path.append(words[0])
        group = group.commands[words.pop(0)]
    known = {o for p in group.params for o in (*p.opts, *getattr(p, "secondary_opts", ()))}
    root = {o for p in get_command(app).params for o in p.opts}
    for word in words:
        option = word.split("=")[0]
        if option.startswith("--") and option not in known | root | {"--help"}:
            return f"no option {option} of {' '.join(path)!r}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_in_a_page_exists(page):
    wrong = [f"{c}: {p}" for c in commands(page) if "<" not in c and (p := problem(c))]
    assert wrong == []


def test_a_wrong_command_is_noticed():
    assert problem("ask x --jsn")
    assert problem("labels lst")
    assert not problem("ask x --json")


def test_every_make_target_named_in_a_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert named <= targets


@pytest.mark.parametrize("name", ["tutorial.md", "interfaces.md"])
def test_the_commands_of_a_page_run(name, pages_home, tmp_path, monkeypatch):
    config = tmp_path / "tiny.toml"
    config.write_text(toml_file(pages_home))
    monkeypatch.setenv("CLINRAG_CONFIG", str(config))
    for variable in ("CLINRAG_HOME", "CLINRAG_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    blocks = BLOCK.findall((DOCS / name).read_text(encoding="utf-8"))
    lines = [line for block in blocks for line in block.splitlines()]
    ran = 0
    for line in lines:
        before, _, after = line.partition(".venv/bin/clinrag ")
        words = shlex.split(after)
        if not words or words[0] in LONG or NEEDS_A_FOLDER in line or '"your question"' in line:
            continue
        piped = before.startswith("printf")
        text = shlex.split(before)[1].replace("\\n", "\n") if piped else None
        done = CliRunner().invoke(app, words, input=text)
        expected = {3} if "wonderdrug" in line else {0, 1} if words[0] == "report" else {0}
        assert done.exit_code in expected, f"{line}\n{done.output}"
        ran += 1
    assert ran >= (7 if name == "tutorial.md" else 0)


@pytest.mark.parametrize("name", ["interfaces.md"])
def test_the_python_of_a_page_runs(name, pages_home, tmp_path, monkeypatch, capsys):
    config = tmp_path / "tiny.toml"
    config.write_text(toml_file(pages_home))
    monkeypatch.setenv("CLINRAG_CONFIG", str(config))
    for variable in ("CLINRAG_HOME", "CLINRAG_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    text = (DOCS / name).read_text(encoding="utf-8")
    block = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0]
    exec(compile(block, name, "exec"), {})  # noqa: S102
    assert "[1] Isoniazid" in capsys.readouterr().out


def test_references_name_every_setting_command_and_route(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.delitem(sys.modules, "reference", raising=False)
    from reference import write_references  # pyright: ignore[reportMissingImports]

    pages = {page.stem: page.read_text() for page in write_references(tmp_path / "reference")}
    for part in ("`rrf_k`", "`[retrieval]`"):
        assert part in pages["settings"]
    assert "## clinrag labels diff" in pages["command-line"]
    assert "`--why`" in pages["command-line"]
    assert "## POST /v1/chat/completions" in pages["http"]
    assert "`licence`" in pages["corpus-toml"]
    assert "`vital`" in pages["questions"]
    assert str(ROOT) not in "".join(pages.values())


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_nobody(tmp_path):
    sphinx = pytest.importorskip("sphinx.cmd.build", reason="pip install '.[docs]'")
    pytest.importorskip("furo", reason="pip install '.[docs]'")
    out = tmp_path / "site"
    doctrees = ["-d", str(tmp_path / "doctrees")]
    assert sphinx.main(["-W", "-q", "-b", "html", *doctrees, str(DOCS), str(out)]) == 0
    fetched = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//')
    for page in out.rglob("*.html"):
        assert not fetched.search(page.read_text(encoding="utf-8")), page
