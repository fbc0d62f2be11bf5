"""`clinrag report open`."""

from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.pipeline.pages import keep_page, read_page
from clinrag_core.pipeline.release import publish_release
from clinrag_core.settings import load_settings


def test_reports_are_found_by_release_and_a_missing_one_names_those_there_are(
    tmp_path, tiny_settings, build_reports, monkeypatch
):
    monkeypatch.setenv("CLINRAG_HOME", str(tiny_settings.home))
    assert load_settings().home == tiny_settings.home
    nothing = CliRunner().invoke(app, ["report", "open", "--path"])
    assert nothing.exit_code == 1
    assert "run `make run` first" in " ".join(nothing.stderr.split())
    release = publish_release(build_reports(tiny_settings)).release
    index = CliRunner().invoke(app, ["report", "open", "--path"])
    assert index.stdout.strip().endswith("reports/index.html")
    page = CliRunner().invoke(app, ["report", "open", release.id, "--path"])
    assert page.stdout.strip().endswith(f"release-{release.id}.html")
    missing = CliRunner().invoke(app, ["report", "open", "0009-none"])
    assert missing.exit_code == 1
    assert release.id in missing.stderr.replace("\n", "")


def test_the_page_kept_for_a_release_stays_as_it_was(tiny_settings, build_reports):
    pipeline = build_reports(tiny_settings)
    published = publish_release(pipeline)
    before = published.page.read_bytes()
    entry = read_page(pipeline).value
    (pipeline.workspace.reports / entry.page).write_text("changed")
    assert keep_page(pipeline.workspace, published.release, entry).read_bytes() == before
