"""Multi-stage retrieval: recall, expansion, refinement, each a function that can be left out.

Searches one engine. The order of all candidates is for evaluation, the pruned context for answers
and reasoning.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.errors import ComponentUnavailableError
from clinrag_core.retrieve.concurrent import since
from clinrag_core.retrieve.stages.expansion import expand
from clinrag_core.retrieve.stages.prune import prune
from clinrag_core.retrieve.stages.quality import evidence_quality
from clinrag_core.retrieve.stages.recall import recall
from clinrag_core.retrieve.stages.records import StagedHit, StagedResponse, StageReport
from clinrag_core.retrieve.stages.refinement import PreciseScores, precise_scores, refine
from clinrag_core.retrieve.stages.variants import question_variants

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.concept_first import AddedConcept, ConceptExpander
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import SearchRequest
    from clinrag_core.retrieve.stages.records import Candidate, EvidenceQuality, QuestionVariant
    from clinrag_core.settings import MultistageSettings


class StagedOrder(NamedTuple):
    """All candidates in the order of the last stage that ran, and how they came there."""

    candidates: list[Candidate]
    reports: tuple[StageReport, ...]
    variants: list[QuestionVariant]
    concepts: tuple[AddedConcept, ...]
    errors: tuple[str, ...]
    precise: PreciseScores | None
    quality: dict[str, EvidenceQuality]


class MultistageRetriever:
    """Runs the stages over one engine; one object serves all threads.

    Args:
        engine: searches and reads passages; its reranker is the cross-encoder.
        settings: of the stages.
        expander: reads the concepts of questions; None: no variants from the thesaurus.
        statement_scores: question to the score of the best statement, by passage id.
    """

    def __init__(
        self,
        engine: SearchEngine,
        settings: MultistageSettings,
        expander: ConceptExpander | None = None,
        statement_scores: Callable[[str], Mapping[str, float]] | None = None,
    ) -> None:
        self.engine = engine
        self.settings = settings
        self._expander = expander
        self._statement_scores = statement_scores

    def order(self, request: SearchRequest) -> StagedOrder:
        """Return all candidates, those that stage 3 ordered first.

        Raises:
            QueryError: unknown knowledge base.
        """
        settings, started = self.settings, time.perf_counter()
        concepts = self._expander.expand(request.query).concepts if self._expander else ()
        recalled = recall(self.engine, request, settings.recall, [added.name for added in concepts])
        candidates, errors = recalled.candidates, recalled.errors
        reports = [
            StageReport(
                stage="recall", passages=len(candidates), added=len(candidates),
                milliseconds=since(started), notes=errors,
            )
        ]  # fmt: skip
        variants: list[QuestionVariant] = []
        if settings.expansion.enabled:
            started = time.perf_counter()
            recogniser = self._expander.recogniser if self._expander else None
            variants = question_variants(
                request.query,
                self.engine.drugs,
                recogniser,
                settings.expansion.variants,
            )
            expanded = expand(
                self.engine, request, candidates, variants, settings.expansion, self._is_guideline
            )
            candidates, errors = expanded.candidates, (*errors, *expanded.errors)
            reports.append(
                StageReport(
                    stage="expansion", passages=len(candidates), added=expanded.added,
                    milliseconds=since(started), notes=expanded.errors,
                )
            )  # fmt: skip
        precise, quality = None, dict[str, "EvidenceQuality"]()
        if settings.refinement.enabled and candidates:
            started = time.perf_counter()
            candidates, precise, quality = self._refined(request.query, candidates)
            reports.append(
                StageReport(
                    stage="refinement",
                    passages=min(len(candidates), settings.refinement.depth),
                    milliseconds=since(started),
                    notes=(precise.note,) if precise.note else (),
                )
            )
        failed = tuple(dict.fromkeys(errors))
        return StagedOrder(
            candidates, tuple(reports), variants, tuple(concepts), failed, precise, quality
        )

    def _refined(
        self, question: str, candidates: list[Candidate]
    ) -> tuple[list[Candidate], PreciseScores, dict[str, EvidenceQuality]]:
        """Return the candidates ordered again, with their precise scores and their quality.

        Passages are read only for what needs their texts: reading takes longer than ordering.
        """
        settings, ids = self.settings.refinement, [candidate.id for candidate in candidates]
        scores = None
        if settings.statements and self.engine.reranker is None and self._statement_scores:
            scores = self._statement_scores(question)
        precise = precise_scores(question, ids, self._chunks, self.engine.reranker, scores)
        weighed = self._chunks(ids) if settings.quality_weight else []
        quality = {chunk.id: evidence_quality(chunk) for chunk in weighed}
        return refine(candidates, precise, quality, settings), precise, quality

    def search(self, request: SearchRequest) -> StagedResponse:
        """Return the context that the stages choose.

        Raises:
            QueryError: unknown knowledge base.
            ComponentUnavailableError: no component answered.
        """
        started = time.perf_counter()
        staged = self.order(request)
        if not staged.candidates and staged.errors:
            raise ComponentUnavailableError(f"components failed: {', '.join(staged.errors)}")
        settings = self.settings.refinement
        pruning = time.perf_counter()
        best = staged.candidates[: settings.depth]
        chunks = self._chunks([candidate.id for candidate in best])
        ids = [chunk.id for chunk in chunks]
        question = self.engine.encode(request.query)
        tokens = [chunk.tokens for chunk in chunks]
        context = prune(ids, self._vectors(ids), _unit(question), tokens, settings)
        kept = context.kept[: request.top_k]
        hits = tuple(
            StagedHit(
                rank=rank,
                doc_id=f"{chunks[at].document_id}:{ids[at]}",
                score=best[at].score,
                stage_scores=best[at].scores,
                knowledge_base=self._base(ids[at]).name,
                quality=staged.quality.get(ids[at]) or evidence_quality(chunks[at]),
                chunk=chunks[at],
            )
            for rank, at in enumerate(kept, start=1)
        )
        timings = {report.stage: round(report.milliseconds, 3) for report in staged.reports}
        timings |= {"pruning": round(since(pruning), 3), "total": round(since(started), 3)}
        without = "stage_2" if self.settings.expansion.enabled else "stage_1"
        return StagedResponse(
            results=hits,
            stages=staged.reports,
            variants=tuple(staged.variants),
            added_concepts=staged.concepts,
            pruned=tuple(context.pruned),
            tokens=sum(tokens[at] for at in kept),
            component_errors=staged.errors,
            ordered_by=staged.precise.by if staged.precise else without,
            timings_ms=timings,
            release=self.engine.release,
        )

    def _base(self, chunk_id: str) -> KnowledgeBase:
        bases = self.engine.knowledge_bases.values()
        return next(base for base in bases if chunk_id in base)

    def _is_guideline(self, chunk_id: str) -> bool:
        return self._base(chunk_id).manifest.kind == "guideline"

    def _chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Read passages, in the order of their ids."""
        read: dict[str, Chunk] = {}
        for base in self.engine.knowledge_bases.values():
            contained = [i for i in ids if i in base]
            read |= dict(zip(contained, base.chunks(contained), strict=True))
        return [read[i] for i in ids]

    def _vectors(self, ids: Sequence[str]) -> np.ndarray:
        """Return the vectors of passages, of norm 1."""
        rows = [self._base(i).dense.reconstruct([self._base(i).row(i)]) for i in ids]
        return _unit(np.concatenate(rows)) if rows else np.zeros((0, 1), dtype=np.float32)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of norm 1, so that an inner product is a cosine."""
    norms = np.linalg.norm(np.atleast_2d(vectors), axis=1, keepdims=True)
    return np.atleast_2d(vectors) / np.maximum(norms, np.finfo(np.float32).tiny)
