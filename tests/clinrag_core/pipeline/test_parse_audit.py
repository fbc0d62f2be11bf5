"""The audit of a corpus: every file a row, the broken one with its reason."""

from __future__ import annotations

from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.pipeline.parse_audit import make_parse_audit, parse_corpus, write_parse_page
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings


def test_every_file_has_a_row_and_a_broken_one_its_reason(tiny_settings: Settings, tiny_corpus):
    (tiny_corpus.folder / "pyrazinamide.xml").write_bytes(b"<document xmlns='urn:hl7-org:v3'/>")
    pipeline = Pipeline(tiny_settings)
    parse_corpus(pipeline, lambda *_: None)
    audit = make_parse_audit(pipeline)
    rows = {row.file: row for row in audit.rows}
    assert set(rows) == {"tb-care.txt", "tb-tests.txt", "isoniazid.xml", "pyrazinamide.xml"}
    assert rows["isoniazid.xml"].kept == 1.0
    assert rows["isoniazid.xml"].findings == ()
    assert "pyrazinamide.xml" in (rows["pyrazinamide.xml"].quarantined or "")


def test_the_report_names_files_and_shows_no_sentence(tiny_settings: Settings):
    pipeline = Pipeline(tiny_settings)
    parse_corpus(pipeline, lambda *_: None)
    page = write_parse_page(pipeline, make_parse_audit(pipeline)).read_text()
    assert "isoniazid.xml" in page
    assert "data:image/png;base64," in page
    assert "hepatitis" not in page


def test_the_command_audits_a_folder_and_leaves_nothing_behind(tiny_corpus, tmp_path):
    report = tmp_path / "audit.html"
    result = CliRunner().invoke(
        app, ["parse", "audit", str(tiny_corpus.folder), "--report", str(report)]
    )
    assert result.exit_code == 0, result.output
    assert "documents: 4" in result.output
    assert report.is_file()
    assert not (tmp_path / "home").exists()


def test_the_command_names_a_missing_corpus():
    result = CliRunner().invoke(app, ["parse", "audit", "no/such/folder"])
    assert result.exit_code == 1
