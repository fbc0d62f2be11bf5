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

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(f"clinrag_{name}", meaning, labels, registry=self.registry)

        def gauge(name: str, meaning: str, *labels: str) -> Gauge:
            return Gauge(f"clinrag_{name}", meaning, labels, registry=self.registry)

        def seconds(name: str, meaning: str, *labels: str) -> Histogram:
            name = f"clinrag_{name}_seconds"
            return Histogram(name, meaning, labels, buckets=_BUCKETS, registry=self.registry)

        stages = "Time of each stage of a search: components, fusion, reranker, total."
        self._stage = seconds("stage", stages, "stage")
        cached = "Searches by whether the result cache answered."
        self._searches = counter("searches", cached, "cached")
        left_out = "Components left out of a search, by reason."
        self._component_errors = counter("component_errors", left_out, "error")
        fallbacks = "Searches in fusion order though a reranker was wanted."
        self._fallbacks = counter("reranker_fallbacks", fallbacks, "error")
        self._answers = counter("answers", "Answers by status and reason.", "status", "reason")
        rejected = "Claims that a gate rejected, by gate."
        self._rejected_claims = counter("rejected_claims", rejected, "gate")
        self._answer_seconds = seconds("answer", "Time of whole answers.")
        self._responses = counter("http_responses", "Responses by status.", "status")
        hit_rate = "Hits over lookups since the release was opened."
        self._cache = gauge("cache_hit_rate", hit_rate, "cache")
        self._release = gauge("release_info", "The release that is served.", "release")

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
