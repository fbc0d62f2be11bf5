"""Accepted baselines on disk: immutable records, the newest of this corpus counts.

A baseline accepted in the workspace comes before the one the project ships for its sample corpus.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.errors import BaselineError, WorkspaceError
from clinrag_core.evaluate.baseline import FORMAT, Baseline, decide_promotion
from clinrag_core.settings import data_folder
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.evaluate.baseline import Evaluated
    from clinrag_core.settings import AcceptanceSettings


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class BaselineStore:
    """The baselines of one workspace.

    Args:
        folder: the workspace's baselines folder.
        corpus: name of the corpus; baselines of another one are not looked at.
        shipped: folder with baselines that come with the project.
        now: the clock.
    """

    def __init__(
        self,
        folder: Path,
        corpus: str,
        shipped: Path | None = None,
        now: Callable[[], dt.datetime] = _utc_now,
    ) -> None:
        self._folder = folder
        self._corpus = corpus
        self._shipped = shipped if shipped is not None else data_folder() / "baselines"
        self._now = now

    def list(self) -> list[Baseline]:
        """The baselines of the corpus, newest first; shipped ones last.

        Raises:
            BaselineError: one cannot be read: a damaged record must never look like none.
        """
        found: list[Baseline] = []
        for folder in (self._folder, self._shipped):
            own = [_read(path) for path in folder.glob("*.json")]
            own = [b for b in own if b.evaluated.corpus == self._corpus]
            found += sorted(own, key=lambda b: -b.sequence)
        return found

    def accepted(self) -> Baseline | None:
        """The baseline that counts; None where nothing was accepted yet."""
        return next(iter(self.list()), None)

    def promote(
        self,
        proposed: Evaluated,
        unsafe: Sequence[str],
        settings: AcceptanceSettings,
        *,
        author: str,
        reason: str,
        accept_loss: bool = False,
    ) -> Baseline:
        """Accept an evaluation.

        Raises:
            BaselineError: it may not be accepted, with the reason.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            known = self.list()
            decision = decide_promotion(
                known[0] if known else None,
                proposed,
                unsafe,
                settings,
                author=author,
                reason=reason,
                accept_loss=accept_loss,
            )
            if not decision.promote:
                raise BaselineError(f"not promoted: {decision.reason}")
            baseline = Baseline(
                sequence=max((b.sequence for b in known), default=0) + 1,
                author=author.strip(),
                reason=reason.strip(),
                accepted=self._now(),
                evaluated=proposed,
            )
            write_json(self._folder / f"{baseline.id}.json", baseline.model_dump(mode="json"))
            return baseline


def _read(path: Path) -> Baseline:
    try:
        baseline = Baseline.model_validate(read_json(path))
    except (ValidationError, WorkspaceError) as error:
        raise BaselineError(f"baseline {path.name} cannot be read: {error}") from error
    if baseline.format != FORMAT:
        raise BaselineError(f"baseline {path.name} is of format {baseline.format}, not {FORMAT}")
    return baseline
