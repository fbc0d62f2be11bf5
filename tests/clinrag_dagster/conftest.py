"""The resource of assets, schedules and sensors, over settings a test has made."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clinrag_core.build.pipeline import Pipeline
from clinrag_core.settings import Settings
from clinrag_dagster.resources import ClinragResource


class FixedResource(ClinragResource):
    """Gives the pipeline of the settings in a file; resources hold plain values only."""

    settings_file: str

    def pipeline(self) -> Pipeline:
        """A new pipeline, as a new step process would have it."""
        return Pipeline(Settings.model_validate_json(Path(self.settings_file).read_text()))


@pytest.fixture
def resource_for(tmp_path: Path) -> Callable[[Settings], ClinragResource]:
    """Makes the resource for some settings."""

    def make(settings: Settings) -> ClinragResource:
        file = tmp_path / "settings.json"
        file.write_text(settings.model_dump_json())
        return FixedResource(settings_file=str(file))

    return make
