"""The code location that `workspace.yaml` and `[tool.dg]` name.

Definitions are the modules under `defs/`, found by `load_from_defs_folder`; this module adds what
belongs to no folder: the resources and the executor.
"""

import warnings
from pathlib import Path

import dagster as dg

from clinrag_core.settings import Settings, load_settings
from clinrag_dagster.executors import step_executor
from clinrag_dagster.gates import GATES, ReleaseGates
from clinrag_dagster.profile import definitions_for
from clinrag_dagster.resources import ClinragResource

warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)


def build_defs(
    settings: Settings | None = None,
    clinrag: ClinragResource | None = None,
    executor: dg.ExecutorDefinition = dg.in_process_executor,
) -> dg.Definitions:
    """Return all definitions of a profile.

    Args:
        settings: profile whose encoder names the knowledge bases. Defaults to the environment's.
        clinrag: replaces the resource, in tests.
        executor: of the steps of each job.
    """
    with definitions_for(settings):
        assets = dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
    resources = {
        "clinrag": clinrag or ClinragResource(),
        GATES: ReleaseGates.of(assets),
    }
    return dg.Definitions.merge(assets, dg.Definitions(resources=resources, executor=executor))


@dg.definitions
def defs() -> dg.Definitions:
    """Return the definitions of the environment's profile, built when Dagster asks for them."""
    return build_defs(executor=step_executor(load_settings().executor))
