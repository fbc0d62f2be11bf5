"""The daily anchor: written while the audit trail is unbroken, refused when it was cut."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from clinrag_core.answer.audit.trail import RECORDS, audit_log
from clinrag_core.answer.records import Answer
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings
from clinrag_dagster.defs.release.audit_anchor import audit_anchor
from clinrag_dagster.resources import ClinragResource


class OfFile(ClinragResource):
    """The pipeline of the settings in a file."""

    settings_file: str

    def pipeline(self) -> Pipeline:
        return Pipeline(Settings.model_validate_json(Path(self.settings_file).read_text()))


def run(settings: Settings) -> bool:
    """Whether the check of one day passed."""
    file = settings.home.with_name("settings.json")
    file.write_text(settings.model_dump_json())
    resource = OfFile(settings_file=str(file))
    done = dg.materialize([audit_anchor], resources={"clinrag": resource})
    (check,) = done.get_asset_check_evaluations()
    return check.passed


def test_a_cut_trail_fails_the_check_and_gets_no_anchor(tiny_settings: Settings):
    trail, anchors = audit_log(tiny_settings), tiny_settings.home / "audit_anchors"
    for _ in range(3):
        trail.record("q", Answer(status="abstained"))
    assert run(tiny_settings)
    (first,) = anchors.glob("*.json")
    file = tiny_settings.home / "audit" / RECORDS
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:2]))
    (tiny_settings.home / "audit" / "head.json").unlink()
    assert not run(tiny_settings)
    assert list(anchors.glob("*.json")) == [first]
