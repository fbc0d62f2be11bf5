"""Scores the best passages again with a cross-encoder; on any failure the order stays.

Seed 002: a reranker may be missing, late or broken, and the search still answers.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import ClinragError, GpuNotAvailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import Reranker
    from clinrag_core.model.chunk import Chunk

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reranked:
    """Scores in the order of the passages, or the code of why there are none."""

    scores: tuple[float, ...] = ()
    error: str | None = None


class LazyReranker:
    """A reranker that is loaded with the first question that wants it.

    Args:
        name: of the model, as reported.
        load: makes it; its error is kept, so that a missing model is searched for only once.
    """

    def __init__(self, name: str, load: Callable[[], Reranker]) -> None:
        self.name = name
        self._load = load
        self._reranker: Reranker | None = None
        self._error: str | None = None

    def run(self, query: str, chunks: Sequence[Chunk], should_stop: Callable[[], bool]) -> Reranked:
        """Score passages; a failure of the model or its device is returned as a code."""
        reranker = self._loaded()
        if reranker is None:
            return Reranked(error=self._error)
        passages = [Passage(chunk.embed_title, chunk.embed_text) for chunk in chunks]
        try:
            scores = reranker.score(query, passages, should_stop=should_stop)
        except (ClinragError, RuntimeError, ValueError, MemoryError) as error:
            logger.warning("reranker %s failed: %s", self.name, type(error).__name__)
            return Reranked(error="timeout" if should_stop() else "error")
        return Reranked(scores=tuple(float(score) for score in scores))

    def _loaded(self) -> Reranker | None:
        """Return the reranker; None, and the code in `_error`, if it cannot be loaded."""
        if self._reranker is None and self._error is None:
            try:
                self._reranker = self._load()
            except GpuNotAvailableError:
                self._error = "gpu_unavailable"
            except ClinragError as error:
                logger.warning("reranker %s cannot be loaded: %s", self.name, error)
                self._error = "unavailable"
        return self._reranker
