"""Prometheus metrics of the service and the log line of an answer; neither holds what was asked."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.records import Answer
    from clinrag_core.notes.records import NoteResult
    from clinrag_core.retrieve.observe import CacheName, MeasuredStep
    from clinrag_core.retrieve.request import SearchResponse
    from clinrag_core.retrieve.stages.records import StagedResponse

logger = logging.getLogger(__name__)
# Seconds: stages take milliseconds, an answer on two cores up to about a second.
_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5)


class ServiceMetrics:
    """The metrics of one application, in a separate registry; a `SearchObserver`."""

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
        encoded = "Time to encode a question; failures included."
        self._embedding = seconds("embedding", encoded)
        unencoded = "Questions that could not be encoded."
        self._embedding_failures = counter("embedding_failures", unencoded)
        asked = "Time of a query to the vector store; failures included."
        self._vector_store = seconds("vector_store", asked)
        unanswered = "Queries that the vector store did not answer."
        self._vector_store_failures = counter("vector_store_failures", unanswered)
        reached = "1 if the vector store answers, else 0; checked every few seconds."
        self._vector_store_up = gauge("vector_store_up", reached, "kind")
        lookups = "Lookups in the caches of results and of query vectors."
        self._lookups = counter("cache_lookups", lookups, "cache")
        found = "Lookups that found a value."
        self._hits = counter("cache_hits", found, "cache")
        left_out = "Components left out of a search or an answer, by reason."
        self._component_errors = counter("component_errors", left_out, "error")
        fallbacks = "Searches in fusion order though a reranker was wanted."
        self._fallbacks = counter("reranker_fallbacks", fallbacks, "error")
        self._answers = counter("answers", "Answers by status and reason.", "status", "reason")
        rejected = "Claims that a gate rejected, by gate."
        self._rejected_claims = counter("rejected_claims", rejected, "gate")
        self._answer_seconds = seconds("answer", "Time of whole answers.")
        self._notes = counter("notes", "Clinical notes summarised, by what was asked.", "kind")
        self._refused_items = counter("refused_note_items", "Items of notes refused.", "code")
        self._note_seconds = seconds("note", "Time of whole notes.")
        self._responses = counter("http_responses", "Responses by status.", "status")
        self._release = gauge("release_info", "The release that is served.", "release")

    def searched(self, response: SearchResponse) -> None:
        """Count a search."""
        for stage, milliseconds in response.timings_ms.items():
            self._stage.labels(stage).observe(milliseconds / 1_000)
        self._searches.labels(str(response.cached).lower()).inc()
        self._left_out(response.component_errors)
        if response.reranker_error is not None:
            self._fallbacks.labels(_code(response.reranker_error)).inc()

    def staged(self, response: StagedResponse) -> None:
        """Count a search in stages."""
        for stage, milliseconds in response.timings_ms.items():
            self._stage.labels(stage).observe(milliseconds / 1_000)
        self._searches.labels("false").inc()
        self._left_out(response.component_errors)

    def answered(self, answer: Answer) -> None:
        """Count an answer and log it, without its text."""
        logger.info(
            "answered",
            extra={
                "status": answer.status,
                "reason": answer.reason,
                "milliseconds": answer.timings_ms["total"],
                "release": answer.release,
                "audit_id": answer.audit_id,
            },
        )
        self._answers.labels(answer.status, answer.reason or "").inc()
        self._answer_seconds.observe(answer.timings_ms["total"] / 1_000)
        self._left_out(answer.component_errors)
        for claim in answer.rejected_claims:
            for decision in claim.decisions:
                if not decision.passed:
                    self._rejected_claims.labels(decision.gate).inc()

    def summarised(self, kind: str, result: NoteResult) -> None:
        """Count a clinical note, and what a check refused of its summary and plan."""
        self._notes.labels(kind).inc()
        self._note_seconds.observe(result.milliseconds / 1_000)
        for one in result.dropped:
            self._refused_items.labels(one.code).inc()

    def responded(self, status: int) -> None:
        """Count a response."""
        self._responses.labels(str(status)).inc()

    def opened(self, release: str) -> None:
        """Note which release is served."""
        self._release.clear()
        self._release.labels(release).set(1)

    def timed(self, step: MeasuredStep, seconds: float, *, failed: bool) -> None:
        """Count one encoding of a question, or one query to the vector store."""
        embedding = step == "embedding"
        (self._embedding if embedding else self._vector_store).observe(seconds)
        if failed:
            (self._embedding_failures if embedding else self._vector_store_failures).inc()

    def looked_up(self, cache: CacheName, *, hit: bool) -> None:
        """Count one lookup in a cache."""
        self._lookups.labels(cache).inc()
        self._hits.labels(cache).inc(hit)  # by 0 as well: an alert cannot divide what is absent

    def store_answered(self, kind: str, *, available: bool) -> None:
        """Note whether the vector store answers."""
        self._vector_store_up.labels(kind).set(available)

    def exposition(self) -> bytes:
        """Return the text that Prometheus reads."""
        return generate_latest(self.registry)

    def _left_out(self, errors: Sequence[str]) -> None:
        for error in errors:
            self._component_errors.labels(_code(error)).inc()


def _code(error: str) -> str:
    """Return an error without the type of its exception: labels are a closed set."""
    return error.split(":", maxsplit=1)[0]
