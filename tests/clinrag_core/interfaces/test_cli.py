"""The command line as a person and a script use it: what is printed, folded, and returned."""

from __future__ import annotations

import json

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from clinrag_core.answer.records import Answer
from clinrag_core.cli.main import app
from clinrag_core.settings.render import toml_file

DOSE = "ethambutol daily dose for tuberculosis in adults"


@pytest.fixture
def run(pages_home, tmp_path, monkeypatch):
    """Runs a command over the release of the tests."""
    config = tmp_path / "tiny.toml"
    config.write_text(toml_file(pages_home))
    monkeypatch.setenv("CLINRAG_CONFIG", str(config))
    for name in ("CLINRAG_HOME", "CLINRAG_PROFILE"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: str, text: str | None = None):
        return CliRunner().invoke(app, list(arguments), input=text)

    return ran


def test_the_version_is_printed():
    shown = CliRunner().invoke(app, ["--version"])
    assert (shown.exit_code, shown.stdout.startswith("clinrag 0.")) == (0, True)


def test_a_row_is_a_table_and_its_source_is_printed_once(run):
    done = run("ask", DOSE)
    assert done.exit_code == 0
    assert "│ Ethambutol │ 15 mg per kg │ 1200 mg" in done.stdout
    assert done.stdout.count("p. 2 · 2026") == 1
    assert " ".join(done.stdout.split()).endswith("Not a medical device.")


def test_piped_text_is_folded(run):
    done = run("ask", "isoniazid contraindications", "--patient")
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_an_abstention_exits_with_3(run):
    done = run("ask", "zebra dose")
    assert done.exit_code == 3
    assert "The sources never mention zebra." in done.stdout
    assert "Could be asked:" in done.stdout
    as_json = run("ask", "zebra dose", "--json")
    assert as_json.exit_code == 3
    assert Answer.model_validate_json(as_json.stdout).reason == "unknown_term"


def test_questions_of_standard_input_are_answered_in_turn(run):
    done = run("ask", "-", "--json", text=f"{DOSE}\n\nzebra dose\n")
    answers = [Answer.model_validate_json(line) for line in done.stdout.splitlines()]
    assert [a.status for a in answers] == ["answered", "abstained"]
    assert done.exit_code == 3
    assert run("ask", "-", text=f"{DOSE}\n").exit_code == 0


def test_markup_in_a_question_is_text(run):
    done = run("ask", "-", text="[bold]zebra[/bold] dose\n")
    assert "[bold]zebra[/bold]" in done.stdout


def test_a_value_that_no_passage_has_is_answered_with_those_there_are(run):
    done = run("search", "dose", "--drug", "foo")
    assert "there are: isoniazid, pyrazinamide" in " ".join(done.stderr.split())
    near = run("search", "dose", "--drug", "isoniazide")
    assert "nearest: isoniazid" in " ".join(near.stderr.split())


def test_labels_are_listed_and_named_by_drug(run):
    listed = json.loads(run("labels", "list", "--json").stdout)
    assert [label["drug"] for label in listed] == ["Isoniazid", "Pyrazinamide"]
    assert "Isoniazid" in run("labels", "list").stdout
    versions = json.loads(run("labels", "versions", "isoniazid", "--json").stdout)
    assert [v["version"] for v in versions] == listed[0]["versions"]
    unknown = run("labels", "versions", "isoniazide")
    assert unknown.exit_code == 1
    assert "close to it: isoniazid" in " ".join(unknown.stderr.split())


def test_a_release_is_shown(run):
    shown = run("release", "show")
    assert "served, unreviewed" in shown.stdout
    said = json.loads(run("release", "show", "--json").stdout)
    assert said["state"] == ["served", "unreviewed"]
    assert json.loads(run("release", "list", "--json").stdout)[0]["id"] == said["id"]
    assert json.loads(run("release", "verify", "--json").stdout) == {said["id"]: []}
    assert json.loads(run("release", "changes", "--json").stdout) == []
    unknown = run("release", "show", "nope")
    assert unknown.exit_code == 1
    assert said["id"] in unknown.stderr


WITHOUT_JSON = {"serve", "mcp"}
"""They run until they are ended and print no facts."""


def commands(group=None, name: str = "") -> dict[str, set[str]]:
    """Options of every command, by its words."""
    group = group or get_command(app)
    found: dict[str, set[str]] = {}
    for word, command in group.commands.items():
        words = f"{name} {word}".strip()
        if hasattr(command, "commands"):
            found |= commands(command, words)
        else:
            found[words] = {option for p in command.params for option in p.opts}
    return found


def test_every_command_that_prints_facts_prints_them_as_json():
    assert {name for name, options in commands().items() if "--json" not in options} == WITHOUT_JSON


@pytest.fixture
def change(page_settings, tmp_path, monkeypatch):
    """Runs a command that prints JSON, over a copy of the release; returns what it printed."""
    config = tmp_path / "copy.toml"
    config.write_text(toml_file(page_settings))
    monkeypatch.setenv("CLINRAG_CONFIG", str(config))
    for name in ("CLINRAG_HOME", "CLINRAG_PROFILE"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: str):
        done = CliRunner().invoke(app, [*arguments, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return ran


def test_keys_as_json(change):
    made = change("keys", "new", "ward-3", "--days", "9")
    (listed,) = change("keys", "list")
    assert (listed["id"], listed["tenant"], listed["state"]) == (made["id"], "ward-3", "valid")
    assert made["key"] not in json.dumps(listed)
    assert change("keys", "revoke", made["id"])["id"] == made["id"]
    assert change("keys", "list")[0]["state"] == "revoked"


def test_documents_audit_and_settings_as_json(change, tmp_path):
    file = tmp_path / "ward.txt"
    file.write_text("Isoniazid is given at nine on this ward.")
    added = change("documents", "add", str(file))
    assert change("documents", "list") == [added]
    assert change("documents", "delete", added["id"]) == {"deleted": added["id"]}
    assert {"records", "last", "anchors"} <= set(change("audit", "verify"))
    assert change("audit", "anchor")["anchor"].endswith(".json")
    assert change("config", "init", str(tmp_path / "new.toml"))["settings"].endswith("new.toml")


def test_a_new_corpus_as_json(change, tmp_path):
    folder = tmp_path / "guidelines"
    folder.mkdir()
    (folder / "tb.txt").write_text("Tuberculosis care\n\nAdults take isoniazid daily.\n" * 3)
    (folder / "none.bin").write_bytes(b"\x00\x01")
    said = change("corpus", "init", str(folder))
    assert [file["path"] for file in said["guidelines"]] == ["tb.txt"]
    assert [file["path"] for file in said["unusable"]] == ["none.bin"]
    assert said["manifest"].endswith("corpus.toml")


def test_the_place_of_a_report_as_json(change, page_settings):
    report = page_settings.home / "reports" / "index.html"
    report.parent.mkdir(exist_ok=True)
    report.write_text("<p>report</p>")
    assert change("report", "open") == {"release": None, "report": str(report)}
