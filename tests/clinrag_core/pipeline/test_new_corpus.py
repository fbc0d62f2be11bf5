"""A folder becomes a corpus without a question: every file is used, or left out with a reason."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.cli.main import app
from clinrag_core.pipeline.new_corpus import manifest_text, scan_folder
from clinrag_core.settings import data_folder
from tests.paper import label_pdf

SAMPLE = data_folder() / "corpora" / "sample"
GUIDE = "Care of tuberculosis\n\nTreatment\n\nAdults take isoniazid 300 mg once daily for months.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "My guidelines"
    (folder / "labels").mkdir(parents=True)
    (folder / "care.pdf").write_text(GUIDE)  # named wrongly: the content decides
    (folder / "care.txt").write_text(GUIDE.replace("Care", "More care"))
    pdf = (SAMPLE / "guidelines" / "sample-cap-children.pdf").read_bytes()
    (folder / "9789240000001-eng").write_bytes(pdf)
    label = (SAMPLE / "labels" / "bedaquiline-v2.xml").read_bytes()
    (folder / "labels" / "download.txt").write_bytes(label)
    return folder


def scanned(folder: Path):
    (folder / "corpus.toml").write_text(manifest_text(folder.name, scan_folder(folder)))
    return load_manifest(folder)


def test_the_written_manifest_is_valid_and_holds_every_usable_file(folder):
    manifest = scanned(folder)
    assert manifest.name == "My guidelines"
    assert {(e.id, e.title, e.path) for e in manifest.guidelines} == {
        ("care", "Care of tuberculosis", "care.pdf"),
        ("care-2", "More care of tuberculosis", "care.txt"),
        (
            "pneumonia-in-infants-and-children-assessment-and-antibiotic",
            "Pneumonia in infants and children: assessment and antibiotic treatment",
            "9789240000001-eng",
        ),
    }
    assert [(e.drug, e.path) for e in manifest.labels] == [("bedaquiline", "labels/download.txt")]


def test_a_second_scan_passes_over_the_manifest_and_gives_the_same(folder):
    scanned(folder)
    before = (folder / "corpus.toml").read_bytes()
    (folder / "questions.toml").write_text("")
    scanned(folder)
    assert (folder / "corpus.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"", "is empty"),
        ("scan.pdf", b"%PDF-1.4\nnothing", "pdf_truncated"),
        ("figure.png", b"\x89PNG\r\n\x1a\n\0\0", "not_text"),
        ("table.csv", b"drug,dose\nisoniazid,300 mg\n", "not a .txt or .md file"),
        ("README.md", b"# About\n\nThis folder.", "about the folder"),
        ("twin.txt", GUIDE.encode(), "the same bytes as care.pdf"),
        ("link.txt", None, "not in the folder"),
        ("reply.json", b'{"results": []}', "not_openfda"),
    ],
)
def test_an_unusable_file_is_left_out_with_its_reason(folder, name, data, reason):
    if data is None:
        (folder / name).symlink_to(SAMPLE / "corpus.toml")
    else:
        (folder / name).write_bytes(data)
    found = scan_folder(folder)
    assert [file.path for file in found.unusable] == [name]
    assert reason in found.unusable[0].reason
    assert f"#   {name}: " in manifest_text("x", found)
    assert name not in {file.path for file in (*found.guidelines, *found.labels)}


def test_titles_with_quotes_and_control_characters_stay_valid_toml(folder):
    (folder / "care.txt").write_text('"Care" \\ of \x7f lungs\n\nGive isoniazid to adults daily.\n')
    titles = {e.path: e.title for e in scanned(folder).guidelines}
    assert titles["care.txt"].startswith('"Care" \\ of')


def test_openfda_answers_are_labels(folder):
    answer = {
        "results": [
            {
                "set_id": "11111111-1111-1111-1111-111111111111",
                "version": "3",
                "indications_and_usage": ["1 INDICATIONS Isoniazid tablets treat tuberculosis."],
                "dosage_and_administration": ["2 DOSAGE Adults: 300 mg daily."],
                "openfda": {"generic_name": ["ISONIAZID"], "substance_name": ["ISONIAZID"]},
            }
        ]
    }
    (folder / "x.json").write_text(json.dumps(answer))
    labels = {e.path: e.drug for e in scanned(folder).labels}
    assert labels["x.json"] == "isoniazid"


def test_a_pdf_with_the_headings_of_a_label_is_one(folder):
    (folder / "zapid.pdf").write_bytes(label_pdf("ZAPID- zapidine hydrochloride tablet"))
    manifest = scanned(folder)
    assert "zapid.pdf" not in {e.path for e in manifest.guidelines}
    assert {e.path: e.drug for e in manifest.labels}["zapid.pdf"] == "zapidine hydrochloride"


def run(*arguments: str | Path):
    return CliRunner().invoke(app, ["corpus", *map(str, arguments)])


def test_init_never_overwrites_a_manifest_without_force(folder):
    (folder / "corpus.toml").write_text("mine")
    refused = run("init", folder)
    assert refused.exit_code == 1
    assert (folder / "corpus.toml").read_text() == "mine"
    assert run("init", folder, "--force").exit_code == 0
    assert load_manifest(folder).labels


def test_init_of_a_folder_without_documents_writes_nothing(tmp_path):
    (tmp_path / "figure.png").write_bytes(b"\x89PNG\0")
    refused = run("init", tmp_path)
    assert refused.exit_code == 1
    assert not (tmp_path / "corpus.toml").exists()


def test_the_printed_command_can_be_pasted(folder):
    """A folder name with a space must reach make as one word, and the run as one path."""
    shown = run("init", folder).stdout
    command = next(line for line in shown.splitlines() if "make run" in line).split("next: ")[1]
    show = 'shown:; @echo "$$CLINRAG_CORPUS"'
    made = subprocess.run(  # noqa: S603 - the words of a command printed above
        ["make", "--no-print-directory", "--eval", show, "shown", shlex.split(command)[-1]],  # noqa: S607 - as in a shell
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shlex.split(command)[:2] == ["make", "run"]
    assert made.stdout.strip() == str(folder)


@pytest.mark.parametrize("name", ["a\\b.txt", "a\nb.txt", "c:d.txt", os.fsdecode(b"\xff.txt")])
def test_a_file_name_that_no_manifest_can_hold_is_left_out(folder, name):
    (folder / name).write_text(GUIDE + "And more.")
    assert len(scanned(folder).guidelines) == 3
    found = scan_folder(folder)
    assert ["rename it" in file.reason for file in found.unusable] == [True]
    assert run("init", folder, "--force").exit_code == 0
