"""The Dagster instance of a workspace: its folder and its settings."""

import os
from pathlib import Path

import dagster as dg

from clinrag_core.settings import Settings
from clinrag_core.workspace import Workspace, write_atomic

INSTANCE_YAML = Path(__file__).with_name("dagster.yaml")


def prepare_home(settings: Settings) -> Path:
    """Create `$DAGSTER_HOME` inside the workspace, with the shipped settings unless it has some."""
    home = Workspace(settings.home).dagster
    config = home / "dagster.yaml"
    if not config.exists():
        write_atomic(config, INSTANCE_YAML.read_bytes())
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    return home


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """Return the workspace's instance; close it, or use it as a context manager."""
    prepare_home(settings)
    return dg.DagsterInstance.get()
