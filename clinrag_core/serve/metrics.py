"""Prometheus metrics of the search service; no label ever holds what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer
    from clinrag_core.retrieve.cache import BoundedCache
    from clinrag_core.retrieve.request import SearchResponse

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5)


class ServiceMetrics:
    """The metrics of one application, in a separate registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._stage = Histogram(
            "clinrag_stage_seconds",
            "Time of each stage of a search: components, fusion, reranker, total.",
            ["stage"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._searches = Counter(
            "clinrag_searches", "Searches by whether the result cache answered.", ["cached"],
            registry=self.registry,
        )  # fmt: skip
        self._component_errors = Counter(
            "clinrag_component_errors", "Components left out of a search, by reason.", ["error"],
            registry=self.registry,
        )  # fmt: skip
        self._fallbacks = Counter(
            "clinrag_reranker_fallbacks", "Searches in fusion order though a reranker was wanted.",
            ["error"], registry=self.registry,
        )  # fmt: skip
        self._answers = Counter(
            "clinrag_answers", "Answers by status and reason.", ["status", "reason"],
            registry=self.registry,
        )  # fmt: skip
        self._rejected_claims = Counter(
            "clinrag_rejected_claims", "Claims that a gate rejected, by gate.", ["gate"],
            registry=self.registry,
        )  # fmt: skip
        self._answer_seconds = Histogram(
            "clinrag_answer_seconds", "Time of whole answers.", buckets=_BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self._responses = Counter(
            "clinrag_http_responses", "Responses by status.", ["status"], registry=self.registry
        )
        self._cache = Gauge(
            "clinrag_cache_hit_rate", "Hits over lookups since the release was opened.", ["cache"],
            registry=self.registry,
        )  # fmt: skip
        self._release = Gauge(
            "clinrag_release_info", "The release that is served.", ["release"],
            registry=self.registry,
        )  # fmt: skip

    def searched(self, response: SearchResponse) -> None:
        """Count a search."""
        for stage, milliseconds in response.timings_ms.items():
            self._stage.labels(stage).observe(milliseconds / 1_000)
        self._searches.labels(str(response.cached).lower()).inc()
        for error in response.component_errors:
            self._component_errors.labels(error).inc()
        if response.reranker_error is not None:
            self._fallbacks.labels(response.reranker_error).inc()

    def answered(self, answer: Answer) -> None:
        """Count an answer."""
        self._answers.labels(answer.status, answer.reason or "").inc()
        self._answer_seconds.observe(answer.timings_ms["total"] / 1_000)
        for claim in answer.rejected_claims:
            for decision in claim.decisions:
                if not decision.passed:
                    self._rejected_claims.labels(decision.gate).inc()

    def responded(self, status: int) -> None:
        """Count a response."""
        self._responses.labels(str(status)).inc()

    def opened(self, release: str) -> None:
        """Note which release is served."""
        self._release.clear()
        self._release.labels(release).set(1)

    def exposition(self, results: BoundedCache[SearchResponse] | None) -> bytes:
        """The text Prometheus reads."""
        if results is not None:
            self._cache.labels("results").set(results.hit_rate)
        return generate_latest(self.registry)
