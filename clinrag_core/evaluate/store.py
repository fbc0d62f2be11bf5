"""Evaluations on disk: one directory per fingerprint, its parts written whole, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from clinrag_core.answer.thresholds import Calibration, write_calibration
from clinrag_core.errors import WorkspaceError
from clinrag_core.evaluate.drift import Drift
from clinrag_core.evaluate.evaluation import AnswerResult, QuestionResult, Score
from clinrag_core.evaluate.judge import Judgements
from clinrag_core.evaluate.latency import Latency
from clinrag_core.evaluate.metrics import Run
from clinrag_core.evaluate.safety import Safety
from clinrag_core.model.base import Record
from clinrag_core.workspace import read_json, write_atomic

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeVar

    T = TypeVar("T")


class Retrieval(Record):
    """Judgements, runs and scores of one evaluation."""

    judgements: Judgements
    runs: dict[str, Run]
    scores: tuple[Score, ...]
    results: tuple[QuestionResult, ...]


class EvaluationStore:
    """The parts of one evaluation.

    Args:
        folder: the workspace's evaluations folder.
        fingerprint: names the evaluation.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.folder = folder / fingerprint

    def retrieval(self) -> Retrieval | None:
        """Runs and scores; None before they were computed."""
        return self._read("retrieval.json", TypeAdapter(Retrieval))

    def write_retrieval(self, retrieval: Retrieval) -> None:
        """Keep runs and scores."""
        write_atomic(self.folder / "retrieval.json", retrieval.model_dump_json().encode())

    def answers(self) -> list[AnswerResult] | None:
        """Answers; None before they were computed."""
        return self._read("answers.json", TypeAdapter(list[AnswerResult]))

    def write_answers(self, answers: list[AnswerResult]) -> None:
        """Keep answers."""
        data = TypeAdapter(list[AnswerResult]).dump_json(answers)
        write_atomic(self.folder / "answers.json", data)

    def calibration(self) -> Calibration | None:
        """Thresholds; None before they were measured."""
        return self._read("calibration.json", TypeAdapter(Calibration))

    def write_calibration(self, calibration: Calibration) -> None:
        """Keep thresholds."""
        write_calibration(self.folder, calibration)

    def safety(self) -> Safety | None:
        """Safety figures; None before they were measured."""
        return self._read("safety.json", TypeAdapter(Safety))

    def write_safety(self, safety: Safety) -> None:
        """Keep safety figures."""
        write_atomic(self.folder / "safety.json", safety.model_dump_json().encode())

    def latency(self) -> Latency | None:
        """The newest latencies; None before they were measured."""
        return self._read("latency.json", TypeAdapter(Latency))

    def write_latency(self, latency: Latency) -> None:
        """Keep latencies."""
        write_atomic(self.folder / "latency.json", latency.model_dump_json().encode())

    def drift(self) -> Drift | None:
        """What changed against the release served before; None before it was measured."""
        return self._read("drift.json", TypeAdapter(Drift))

    def write_drift(self, drift: Drift) -> None:
        """Keep what changed."""
        write_atomic(self.folder / "drift.json", drift.model_dump_json().encode())

    def _read(self, name: str, adapter: TypeAdapter[T]) -> T | None:
        path = self.folder / name
        if not path.exists():
            return None
        try:
            return adapter.validate_python(read_json(path))
        except ValidationError as error:
            raise WorkspaceError(f"{path} is of another version: delete it: {error}") from error
