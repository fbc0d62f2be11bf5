"""Every `clinrag` command of the documentation is run, in the order of its page, on a release.

Names that stand for something (`path/to/folder`, `SETID`) are exchanged for what there is. A
command that needs the network or a published test set is listed with the test of what it does.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.main import get_command
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_record import LabelChange
from clinrag_core.settings import Settings
from clinrag_core.settings.render import toml_file
from clinrag_core.workspace import Workspace

ROOT = Path(__file__).parents[3]
CORE_TESTS = ROOT / "tests" / "clinrag_core"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "deploy/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
BLOCK = re.compile(r"^```(?:bash|console|sh)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?:^|\| )(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?clinrag (?P<words>[a-z][^|]*)$")
PIPED = re.compile(r"^printf (?P<text>'[^']*') \| ")
OPTIONAL = re.compile(r"\[(?=--)|(?<=[\w-])\]")
ELSEWHERE = {
    "models fetch": "encode/test_fetch.py",
    "evaluate beir": "evaluate/test_beir.py",
    "evaluate safety --scifact": "evaluate/test_gate_rates.py",
    "evaluate judged": "evaluate/test_pooling.py",
}
"""Commands that need a hub of models, a published test set or a person, and their tests."""
NOTE = "CC: Cough.\n\nMEDICATIONS: isoniazid 300 mg daily.\n\nPLAN: Chest x-ray today.\n"
FILES = {
    "note.txt": NOTE,
    "folder/one.txt": NOTE,
    "FILE.tsv": "evidence\tclaim\nGive 300 mg once daily.\tGive 300 mg once daily.\n",
    "questions.tsv": "question\nisoniazid dose in adults\n",
}
QUESTIONS = """
[[question]]
id = "isoniazid-dose"
text = "What is the daily dose of isoniazid in adults?"
relevant = [{ grade = 2, document = "tb-care*", terms = ["300 mg"] }]
"""


class DocumentedHome(NamedTuple):
    """Settings over a home with two releases, its corpus, and a label with two versions."""

    settings: Settings
    corpus: Path
    names: dict[str, str]
    """What there is for the names of the pages."""


@pytest.fixture(scope="session")
def documented_home(
    make_tiny_settings, build_release, build_candidates, tmp_path_factory
) -> DocumentedHome:
    """Two releases: the second has a newer label, whose change nobody has acknowledged."""
    corpus, settings = make_tiny_settings(tmp_path_factory.mktemp("documented"))
    build_release(settings)
    label = corpus.folder / "isoniazid.xml"
    text = label.read_text()
    version = re.search(r'versionNumber value="(\d+)"', text)
    set_id = re.search(r'setId root="([^"]+)"', text)
    assert version is not None
    assert set_id is not None
    later = f'versionNumber value="{int(version[1]) + 1}"'
    label.write_text(text.replace(version[0], later).replace("hepatitis", "liver injury"))
    change = LabelChange(
        document_id=set_id[1], name="isoniazid", old_version=1, new_version=2, sections=("dosage",)
    )
    publish = ReleaseStore.publish
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            ReleaseStore,
            "publish",
            lambda store, draft: publish(store, draft._replace(changes=(change,))),
        )
        build_release(settings)
    build_candidates(settings)
    (corpus.folder / "questions.toml").write_text(QUESTIONS)
    names = {"SETID": set_id[1], "29": version[1], "30": str(int(version[1]) + 1)}
    return DocumentedHome(settings, corpus.folder, names)


def commands(page: Path) -> list[str]:
    """The lines of a page's blocks that run `clinrag`, and its commands in the running text.

    One that the text only mentions, without what it needs, is asked for its help.
    """
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    inline = INLINE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines += [f"{line} --help" if is_mention(line) else line for line in inline]
    cleaned = (line.split(" #")[0].strip() for line in lines)
    return [line for line in cleaned if COMMAND.search(line)]


def is_mention(line: str) -> bool:
    """Whether a line names a group, or a command that needs more than its name."""
    match = COMMAND.search(line)
    if match is None:
        return False
    words = match["words"].split()
    command = every_command()
    while words and words[0] in getattr(command, "commands", ()):
        command = command.commands[words.pop(0)]
    needs = hasattr(command, "commands") or any(p.required for p in command.params)
    return not words and (needs or command.name == "ask")


@cache
def every_command():
    """The whole command line, which takes a while to put together."""
    return get_command(app)


def stand_ins(words: Sequence[str], names: dict[str, str]) -> list[str]:
    """Words of a command with what there is for the names of the page."""
    return [names.get(word, "isoniazid dose" if word == "..." else word) for word in words]


def expected(words: Sequence[str]) -> set[int]:
    """The exit codes that a command of a page may have."""
    if words[0] == "ask":  # tiny random encoder: whether it answers is tested elsewhere
        return {3} if any("wonderdrug" in word for word in words) else {0, 3}
    if words[:2] in (["evaluate", "nuggets"], ["evaluate", "claims"], ["evaluate", "notes"]):
        return {0, 1}  # a figure below its bar
    return {0}


@pytest.fixture
def run_command(documented_home: DocumentedHome, tmp_path: Path, monkeypatch):
    """Runs a command line of a page in a folder of its own; returns its words and its result."""
    settings = documented_home.settings.model_copy(update={"home": tmp_path / "home"})
    shutil.copytree(documented_home.settings.home, settings.home)
    shutil.copytree(documented_home.corpus, tmp_path / "path" / "to" / "folder")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("note.pdf", "visit.pdf", "your.pdf"):
        canvas = Canvas(str(tmp_path / name))
        canvas.drawString(72, 700, "Ward rule: isoniazid for tuberculosis is given at nine.")
        canvas.save()
    workspace = Workspace(settings.home)
    workspace.reports.mkdir(exist_ok=True)
    (workspace.reports / "index.html").write_text("<!doctype html>")
    (tmp_path / "release.toml").write_text(toml_file(settings))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLINRAG_CONFIG", str(tmp_path / "release.toml"))
    for variable in ("CLINRAG_HOME", "CLINRAG_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("typer.launch", lambda _: 0)
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: None)
    monkeypatch.setattr("mcp.server.mcpserver.MCPServer.run", lambda *_: None)
    names = {
        **documented_home.names,
        "ID": ReleaseStore(workspace.releases).list()[-1].id,
        "DIR": str(workspace.audit_anchors),
        "/mnt/anchors": str(workspace.audit_anchors),
        "FOLDER": "folder",
        "FILE": "note.txt",
        "CORPUS": "path/to/folder",
        "kb_guidelines_minilm": "kb_guidelines_tiny",
        "bedaquiline": "isoniazid",
    }

    for asked in (["ask", "isoniazid dose"], ["audit", "anchor"]):
        assert CliRunner().invoke(app, asked).exit_code in (0, 3)
    key = json.loads(CliRunner().invoke(app, ["keys", "new", "ward-3", "--json"]).stdout)
    store, newest = ReleaseStore(workspace.releases), ReleaseStore(workspace.releases).list()[0]
    monkeypatch.setenv("CLINRAG_MODELS", str(tmp_path))

    def run(line: str):
        match, piped = COMMAND.search(line), PIPED.match(line)
        assert match is not None
        words = stand_ins(shlex.split(OPTIONAL.sub("", match["words"])), names)
        if words[:2] == ["corpus", "init"]:
            (tmp_path / "path" / "to" / "folder" / "corpus.toml").unlink(missing_ok=True)
        if words[:2] == ["keys", "revoke"]:
            words[2] = key["id"]
        text = shlex.split(piped["text"])[0].replace("\\n", "\n") if piped else None
        result = CliRunner().invoke(app, words, input=text)
        if words[:2] == ["release", "rollback"]:  # the commands after it are of the newest one
            store.rollback(newest.id, author="a test", reason="go on")
        return words, result

    return run


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_runs(page: Path, run_command):
    failed: list[str] = []
    for line in commands(page):
        if any(line.split("clinrag ", 1)[1].startswith(name) for name in ELSEWHERE):
            continue
        words, result = run_command(line)
        if result.exit_code not in expected(words):
            failed.append(f"{line}\n  exit code {result.exit_code}: {result.output[-600:]}")
    assert failed == [], "\n".join(failed)


def test_what_is_not_run_here_has_a_test():
    assert [test for test in ELSEWHERE.values() if not (CORE_TESTS / test).is_file()] == []
    assert any(line for page in PAGES for line in commands(page) if PIPED.match(line))
