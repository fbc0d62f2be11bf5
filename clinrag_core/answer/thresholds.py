"""Calibrated thresholds: what confidence an answer needs, per knowledge base and configuration.

They belong to the state of the knowledge bases they were measured on. A release without them, or
with those of another state, does not answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field, ValidationError

from clinrag_core.errors import CalibrationError, WorkspaceError
from clinrag_core.index.release_folder import CALIBRATION
from clinrag_core.model.base import Record
from clinrag_core.workspace import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = "calibration/2"
FILE = CALIBRATION


class Threshold(Record):
    """The least signal for an answer from one knowledge base with one configuration."""

    threshold: float
    feasible: bool = Field(
        description="false: too few questions to promise the risk asked for, or to answer"
    )
    questions: int = Field(description="questions to refuse of the dev split")
    risk_bound: float = Field(description="expected share of them answered, at most")
    answered: float = Field(description="share of the questions to answer above the threshold")


class Calibration(Record):
    """All thresholds of one state of the knowledge bases."""

    format: str = FORMAT
    signal: str = Field(description="version of the confidence signal")
    alpha: float = Field(description="risk asked for")
    bases: dict[str, str] = Field(description="knowledge base to fingerprint")
    benchmark: str
    thresholds: dict[str, dict[str, Threshold]] = Field(
        description="knowledge base to configuration to threshold"
    )

    def of(self, base: str, configuration: str) -> Threshold | None:
        """Return the threshold; None if that configuration was not measured or is not feasible."""
        threshold = self.thresholds.get(base, {}).get(configuration)
        return threshold if threshold is not None and threshold.feasible else None

    def fits(self, bases: Mapping[str, str], signal: str) -> bool:
        """Return whether the thresholds were measured on these knowledge bases with this signal."""
        return (self.format, self.signal, self.bases) == (FORMAT, signal, bases)


class Thresholds(NamedTuple):
    """The least confidence that one question needs.

    A question that the router is not sure about needs at least the fallback.
    """

    calibration: Calibration | None
    fallback: float
    """Where a configuration has no calibrated threshold."""
    sure: bool
    """Whether the router is sure that the question belongs to the field."""

    def of(self, base: str, configuration: str) -> tuple[float, bool]:
        """Return the threshold of a knowledge base and configuration; whether it is calibrated."""
        measured = self.calibration.of(base, configuration) if self.calibration else None
        if measured is None or (not self.sure and measured.threshold < self.fallback):
            return self.fallback, False
        return measured.threshold, True


UNTHRESHOLDED = Thresholds(None, 0.0, sure=True)
"""Lets everything pass: for measuring the signal, never for answering."""


def read_calibration(directory: Path) -> Calibration:
    """Thresholds of a folder.

    Raises:
        CalibrationError: there are none (`calibration_missing`), or they are malformed.
    """
    try:
        return Calibration.model_validate(read_json(directory / FILE))
    except (WorkspaceError, ValidationError) as error:
        raise CalibrationError(
            f"{directory.name}/{FILE}: {error}", code="calibration_missing"
        ) from error
