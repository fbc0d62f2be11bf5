"""Blocking checks on every candidate, each in a separate step so that it can be run again."""

from collections.abc import Callable, Sequence

import dagster as dg
import numpy as np

from clinrag_core.index.bm25_check import (
    SAMPLE,
    BM25Agreement,
    compare_sample,
    compare_with_rank_bm25,
    lost_figures,
)
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import search_texts
from clinrag_core.model.source import DocumentKind
from clinrag_core.pipeline.candidates import candidate_directory
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_dagster.profile import knowledge_base_names
from clinrag_dagster.resources import ClinragResource

# A fifth of the questions compares every posting that questions touch, at a fifth of the time.
QUESTION_STRIDE = 5
NEIGHBOURS = 10
"""Hits per passage; passages with equal text tie, and more than these may share the first score."""
SAME_SCORE = 1e-6
"""Scores closer than float32 keeps them apart after a sum over an encoder's dimensions."""
SELF_RECALL_SAMPLE = 500
FIGURE_SAMPLE = 500
"""Passages that a check compares: where 1 % are at fault, 99.3 % of such samples have one."""


def _open(pipeline: Pipeline, kind: DocumentKind) -> KnowledgeBase:
    """Open the stored candidate of a kind of document."""
    return KnowledgeBase(candidate_directory(pipeline, pipeline.candidate(kind).read().value))


def texts_of(base: KnowledgeBase) -> Callable[[Sequence[int]], list[str]]:
    """Return a function that reads the BM25 texts of some rows."""
    return lambda rows: search_texts(base.table.take(np.array(rows, dtype=np.int64)))


def bm25_agreement(base: KnowledgeBase, questions: Sequence[str]) -> BM25Agreement:
    """Compare with rank_bm25 over all passages, or over a sample of a large base."""
    if len(base.ids) <= SAMPLE:
        return compare_with_rank_bm25(base.bm25, search_texts(base.table), questions)
    return compare_sample(base.bm25, texts_of(base), questions)


def _candidate_checks(kind: DocumentKind, base: str) -> list[dg.AssetChecksDefinition]:
    """Return the checks of one candidate."""
    candidate = dg.AssetKey(f"{base}_candidate")

    @dg.asset_check(asset=candidate, additional_deps=["benchmark"], blocking=True)
    def bm25_equals_rank_bm25(clinrag: ClinragResource) -> dg.AssetCheckResult:
        """The compiled BM25 index gives the scores and the order of rank_bm25."""
        pipeline = clinrag.pipeline()
        knowledge_base = _open(pipeline, kind)
        questions = pipeline.benchmark.read().value.questions
        texts = [question.text for question in questions[::QUESTION_STRIDE]]
        agreement = bm25_agreement(knowledge_base, texts)
        return dg.AssetCheckResult(
            passed=agreement.exact and bool(texts),
            description=f"{agreement.queries} questions, largest difference "
            f"{agreement.max_abs_diff:.1e}, {len(agreement.differing)} orders differ",
            metadata={
                "questions": agreement.queries,
                "max_abs_diff": agreement.max_abs_diff,
                "orders_differing": len(agreement.differing),
            },
        )

    @dg.asset_check(asset=candidate, blocking=True)
    def passages_find_themselves(clinrag: ClinragResource) -> dg.AssetCheckResult:
        """Each passage's vector finds that passage: no vector is swapped, lost or damaged."""
        knowledge_base = _open(clinrag.pipeline(), kind)
        vectors = knowledge_base.dense.vectors()
        stride = max(len(vectors) // SELF_RECALL_SAMPLE, 1)
        rows = range(0, len(vectors), stride)
        lost = 0
        for row in rows:
            hits = knowledge_base.dense.search(vectors[row], NEIGHBOURS)
            best = hits[0][1] if hits else 0.0
            tied = [chunk_id for chunk_id, score in hits if best - score < SAME_SCORE]
            lost += knowledge_base.ids[row] not in tied and len(tied) < NEIGHBOURS
        return dg.AssetCheckResult(
            passed=lost == 0,
            description=f"{lost} of {len(rows)} passages are not the best hit of their vector"
            if rows
            else "not judged: no passage",
            metadata={"sampled": len(rows), "lost": lost},
        )

    @dg.asset_check(asset=candidate, blocking=True)
    def bm25_keeps_figures(clinrag: ClinragResource) -> dg.AssetCheckResult:
        """Every figure of a passage can be searched for: a dose that is lost cannot be found."""
        knowledge_base = _open(clinrag.pipeline(), kind)
        lost = lost_figures(knowledge_base.bm25, texts_of(knowledge_base), FIGURE_SAMPLE)
        return dg.AssetCheckResult(
            passed=lost.lost == 0,
            description=f"{lost.lost} of {lost.figures} figures in {lost.passages} passages are "
            "not in the index"
            if lost.figures
            else "not judged: no passage has a figure",
            metadata={"figures": lost.figures, "lost": lost.lost, "passages": lost.passages},
        )

    return [bm25_equals_rank_bm25, passages_find_themselves, bm25_keeps_figures]


@dg.definitions
def candidate_checks() -> dg.Definitions:
    """Return the checks of every candidate of the profile."""
    return dg.Definitions(
        asset_checks=[
            check
            for kind, base in knowledge_base_names().items()
            for check in _candidate_checks(kind, base)
        ]
    )
