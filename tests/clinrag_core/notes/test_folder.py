"""A folder of notes: figures of all, results that a second run does not make again, pages, PDF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.errors import NoteError
from clinrag_core.notes.folder import FolderFigures, evaluate_notes, note_files
from clinrag_core.notes.html import note_page
from clinrag_core.notes.read import note_text, read_note
from clinrag_core.notes.records import SummaryItem

NOTE = "CC: cough\nPMH: gout <b>& more</b>\nPlan: review in 2 weeks\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "ward").mkdir(parents=True)
    (folder / "a.txt").write_text(NOTE)
    (folder / "ward" / "a.txt").write_text(NOTE + "2. rest\n")
    (folder / "b.md").write_text("# History\ncough for days\n")
    (folder / "readme.csv").write_text("no note")
    return folder


def batch(folder: Path, out: Path, *options: str):
    return CliRunner().invoke(app, ["notes", "summarise", str(folder), "--out", str(out), *options])


def test_a_batch_goes_on_where_it_was_stopped(folder: Path, tmp_path: Path):
    out = tmp_path / "out"
    assert batch(folder, out).exit_code == 0
    made = {p: p.stat().st_mtime_ns for p in out.iterdir()}
    assert len(made) == 3
    lost = next(iter(made))
    lost.unlink()
    again = batch(folder, out)
    assert "1 notes summarised, 2 there already" in again.stderr
    kept = {p: p.stat().st_mtime_ns for p in out.iterdir() if p != lost}
    assert kept == {p: t for p, t in made.items() if p != lost}
    (folder / "b.md").write_text("# History\nno cough\n")
    assert "1 notes summarised" in batch(folder, out).stderr


def test_a_note_that_fails_stops_no_other(folder: Path, tmp_path: Path):
    (folder / "empty.txt").write_text(" \n")
    (folder / "bad.pdf").write_bytes(b"no pdf")
    done = batch(folder, tmp_path / "out")
    assert done.exit_code == 2
    assert "3 notes summarised" in done.stderr
    assert "2 failed" in done.stderr


def test_figures_of_a_folder(folder: Path, summariser):
    figures = evaluate_notes(folder, summariser, 1_000)
    assert (figures.notes, figures.failed, figures.coverage) == (3, 0, 1.0)
    assert figures.passed
    (folder / "empty.txt").write_text(" \n")
    failed = evaluate_notes(folder, summariser, 1_000)
    assert failed.failures == {"ParseError": 1}
    assert not failed.passed


def test_a_wrong_citation_in_a_result_fails_the_folder(summariser):
    result = summariser.summarise(NOTE)
    (item,) = result.summary.key_problems
    wrong = SummaryItem(text="fever", source=item.source)
    summary = result.summary.model_copy(update={"key_problems": (wrong,)})
    figures = FolderFigures(1_000)
    figures.add(NOTE, result.model_copy(update={"summary": summary}), 1.0)
    counted = figures.figures()
    assert counted.invalid == {"text_mismatch": 1}
    assert counted.inexact == 1
    assert not counted.passed


def test_evaluate_prints_figures_and_fails_where_a_note_does(folder: Path):
    def run():
        return CliRunner().invoke(app, ["evaluate", "notes", str(folder), "--json"])

    assert json.loads(run().stdout)["coverage"] == 1.0
    (folder / "empty.txt").write_text(" \n")
    assert run().exit_code == 1


def test_no_folder_and_no_note_say_so(tmp_path: Path):
    with pytest.raises(NoteError, match="no folder"):
        note_files(tmp_path / "nowhere")
    with pytest.raises(NoteError, match="no file ends with"):
        note_files(tmp_path)
    with pytest.raises(NoteError, match="empty"):
        read_note(" \n", 10)
    with pytest.raises(NoteError, match="max_characters"):
        read_note("cough and more", 10)
    with pytest.raises(NoteError, match="name it with one of"):
        note_text(tmp_path / "note.docx")


def test_text_keeps_its_line_ends(tmp_path: Path):
    path = tmp_path / "n.txt"
    path.write_bytes(b"CC: cough\r\nPlan: rest\r\n")
    assert note_text(path) == "CC: cough\r\nPlan: rest\r\n"


def test_a_pdf_is_read_by_its_headings(tmp_path: Path):
    from reportlab.pdfgen import canvas

    path = tmp_path / "n.pdf"
    page = canvas.Canvas(str(path))
    for number, line in enumerate(("MEDICATIONS:", "aspirin 75 mg daily", "PLAN:", "Review soon.")):
        page.drawString(72, 750 - 20 * number, line)
    page.save()
    note = read_note(note_text(path), 1_000)
    assert [s.title for s in note.sections if s.kind != "overview"] == ["MEDICATIONS", "PLAN"]
    assert "aspirin 75 mg daily" in [note.said(unit) for unit in note.units]


def test_a_page_links_items_to_characters_and_back_and_escapes(summariser):
    result = summariser.summarise(NOTE, with_plan=True)
    page = note_page(NOTE, result, "<script>alert(1)</script>")
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "gout &lt;b&gt;&amp; more&lt;/b&gt;" in page
    assert '<a id="s4-9" href="#patient_snapshot-0">cough</a>' in page
    assert '<li id="patient_snapshot-0"><a href="#s4-9"' in page
    assert '<li id="key_problems-0">' not in page  # each statement is shown once
