"""Scores the best passages again with a cross-encoder; on any failure the order stays.

Seed 002: a reranker may be missing, late or broken, and the search still answers.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import EncoderError, GpuNotAvailableError, log_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clinrag_core.encode.protocol import Reranker
    from clinrag_core.model.chunk import Chunk

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reranked:
    """Scores in the order of the passages, or why there are none.

    `error` is `unavailable`, `gpu_unavailable`, `timeout` or `error: KeyError`.
    """

    scores: tuple[float, ...] = ()
    error: str | None = None


def _checked(scores: Iterable[float], passages: Sequence[Passage]) -> tuple[float, ...]:
    """Return the scores of a model.

    Raises:
        EncoderError: they cannot be ranked: another number than passages, or not finite.
    """
    checked = tuple(map(float, scores))
    if len(checked) != len(passages) or not all(map(math.isfinite, checked)):
        raise EncoderError(f"{len(checked)} scores for {len(passages)} passages, or not finite")
    return checked


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
        """Score passages; every exception of the reranker is an outcome (ADR 0019)."""
        reranker = self._loaded()
        if reranker is None:
            return Reranked(error=self._error)
        passages = [Passage(chunk.embed_title, chunk.embed_text) for chunk in chunks]
        try:
            scores = _checked(reranker.score(query, passages, should_stop=should_stop), passages)
        except Exception as error:  # noqa: BLE001 - libraries below a model raise anything
            if should_stop():
                return Reranked(error="timeout")
            log_failure(logger, f"reranker {self.name} failed", error)
            return Reranked(error=f"error: {type(error).__name__}")
        return Reranked(scores=scores)

    def _loaded(self) -> Reranker | None:
        """Return the reranker; None, and the code in `_error`, if it cannot be loaded."""
        if self._reranker is None and self._error is None:
            try:
                self._reranker = self._load()
            except GpuNotAvailableError:
                logger.warning("reranker %s needs a GPU, and there is none", self.name)
                self._error = "gpu_unavailable"
            except EncoderError as error:
                logger.warning("reranker %s cannot be loaded: %s", self.name, error)
                self._error = "unavailable"
            except Exception as error:  # noqa: BLE001 - e.g. CUDA out of memory, damaged weights
                log_failure(logger, f"reranker {self.name} cannot be loaded", error)
                self._error = f"error: {type(error).__name__}"
        return self._reranker
