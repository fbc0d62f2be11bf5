"""The resource of every asset: the profile's pipeline. Tests replace this one.

It is created per step; the pipeline inside loads the manifest, tokenizer and model on first use.
"""

import dagster as dg
from pydantic import PrivateAttr

from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings


class ClinragResource(dg.ConfigurableResource[Pipeline]):
    """The profile that is built, from `$CLINRAG_PROFILE`, `$CLINRAG_CORPUS` and `$CLINRAG_HOME`."""

    profile: str | None = None
    _pipeline: Pipeline | None = PrivateAttr(default=None)

    def pipeline(self) -> Pipeline:
        """Return the pipeline of the profile, the same one within a step."""
        if self._pipeline is None:
            self._pipeline = Pipeline(load_settings(self.profile))
        return self._pipeline
