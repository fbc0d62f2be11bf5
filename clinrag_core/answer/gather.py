"""From a question to the evidence an answer may be made from, or the reason for there being none.

Search, drug anchor filter, diagnosis gate, confidence per knowledge base. Everything that was found
and left out is kept with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clinrag_core.answer.records import Confidence
from clinrag_core.answer.signal import best_fitting, confidence, question_weights
from clinrag_core.index.filters import MetadataFilter
from clinrag_core.retrieve.constrain import (
    Rejection,
    diagnosis_gate,
    drug_anchor_filter,
    named_ingredients,
)
from clinrag_core.retrieve.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.answer.records import Reason
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import Component, SearchHit, SearchResponse
    from clinrag_core.settings import AnswerSettings


class ThresholdOf(Protocol):
    """Gives the least confidence an answer needs."""

    def __call__(self, base: str, configuration: str, /) -> tuple[float, bool]:
        """The threshold of a knowledge base with a configuration; whether it is calibrated."""
        ...


class Found(NamedTuple):
    """What search and constraints left of a question."""

    analysis: QueryAnalysis
    hits: tuple[SearchHit, ...]
    looked_at: tuple[SearchHit, ...]
    """The best passages before any was left out, for the reader of an abstention."""
    rejected: tuple[Rejection, ...]
    confidence: tuple[Confidence, ...]
    component_errors: tuple[str, ...]
    reason: Reason | None
    """Why there is no evidence; None where there is."""


def configuration_name(components: Sequence[Component], *, reranked: bool) -> str:
    """The name thresholds are kept under: what answered, e.g. `bm25+dense`."""
    return "+".join([*components, *(["reranker"] if reranked and components else [])])


def _failures(response: SearchResponse) -> list[str]:
    """What did not answer a search, the reranker included."""
    reranker = response.reranker_error
    return [*response.component_errors, *([f"reranker_{reranker}"] if reranker else [])]


def _with_drugs(
    scope: Scope,
    request: SearchRequest,
    response: SearchResponse,
    targets: frozenset[str],
    drugs: DrugLexicon,
) -> SearchResponse:
    """A search with, behind its own hits, those of the labels of drugs that they leave out.

    "Bedaquiline storage" finds the storage of forty other drugs first.
    """
    missing = drug_anchor_filter(response.hits, targets, drugs).uncovered & drugs.labelled
    hits = list(response.hits)
    for name in sorted(missing):
        wanted = request.model_copy(update={"filter": MetadataFilter(drugs=(name,))})
        known = {hit.chunk.id for hit in hits}
        hits += [hit for hit in scope.engine.search(wanted).hits if hit.chunk.id not in known]
    return response.model_copy(update={"hits": tuple(hits)})


class Scope(NamedTuple):
    """Where to look: an engine and the names of its knowledge bases."""

    engine: SearchEngine
    names: tuple[str, ...]


def gather(  # noqa: PLR0913 - a question, where to look, what is asked of what is found
    question: str,
    scopes: Sequence[Scope],
    targets: frozenset[str],
    drugs: DrugLexicon,
    settings: AnswerSettings,
    threshold_of: ThresholdOf,
    components: tuple[Component, ...],
    idf: Mapping[str, float],
    *,
    labels_alone: bool = True,
) -> Found:
    """Find the evidence for a question.

    Args:
        question: with drug names mended.
        scopes: engines and knowledge bases to search; the first one's analysis counts.
        targets: ingredients asked for.
        drugs: finds drug names.
        settings: depths.
        threshold_of: least confidence of a knowledge base with a configuration.
        components: retrievers to run.
        idf: inverse document frequency by token, of the largest knowledge bases.
        labels_alone: whether labels may answer with no guideline beside them: a label speaks for
            its own drug, and of nothing else.

    Raises:
        QueryError: the question cannot be searched.
    """
    hits: list[SearchHit] = []
    errors: list[str] = []
    used: dict[str, str] = {}
    analysis: QueryAnalysis | None = None
    for scope in scopes:
        request = SearchRequest(
            query=question,
            knowledge_bases=scope.names,
            components=tuple(c for c in components if c in scope.engine.components),
            top_k=settings.search_depth,
        )
        response = scope.engine.search(request)
        analysis = analysis or response.analysis
        response = _with_drugs(scope, request, response, targets, drugs)
        errors += [e for e in _failures(response) if e not in errors]
        configuration = configuration_name(response.components_used, reranked=response.reranked)
        used |= dict.fromkeys(scope.names, configuration)
        hits += response.hits
    assert analysis is not None  # noqa: S101 - there is at least one scope
    looked_at = tuple(hits[: settings.evidence])
    failed = not any(used.values())

    def without(reason: Reason, rejected: tuple[Rejection, ...] = ()) -> Found:
        return Found(analysis, (), looked_at, rejected, (), tuple(errors), reason)

    if failed:
        return without("retrieval_failed")
    if not hits:
        return without("no_evidence")
    anchored = drug_anchor_filter(hits, targets, drugs)
    rejected = anchored.rejected
    if anchored.uncovered or not anchored.hits:
        return without("drug_not_in_evidence", rejected)
    left = anchored.hits
    if analysis.diagnosis:
        diagnostic = diagnosis_gate(left)
        rejected += diagnostic.rejected
        left = diagnostic.hits
        if not left:
            return without("no_diagnostic_evidence", rejected)
    weights = question_weights(analysis.tokens, idf)
    asked_for = _asked_for(scopes, analysis)
    ordered = best_fitting(left, weights, asked_for, settings.section_alpha)
    best = _covering(ordered, settings.evidence, targets, drugs)
    judged = _judged(best, used, weights, threshold_of)
    passed = {c.knowledge_base for c in judged if c.passed}
    if not labels_alone and passed <= _labels(scopes):
        passed = set[str]()
    kept = tuple(hit for hit in best if hit.knowledge_base in passed)
    if targets and drug_anchor_filter(kept, targets, drugs).uncovered and kept:
        return without("drug_not_in_evidence", rejected)
    below = tuple(
        Rejection(chunk_id=hit.chunk.id, document_id=hit.chunk.document_id, code="below_threshold")
        for hit in best
        if hit.knowledge_base not in passed
    )
    return Found(
        analysis,
        kept,
        looked_at,
        rejected + below,
        judged,
        tuple(errors),
        None if kept else "low_confidence",
    )


def _labels(scopes: Sequence[Scope]) -> set[str]:
    """The knowledge bases of labels."""
    return {
        name
        for scope in scopes
        for name in scope.names
        if scope.engine.knowledge_bases[name].manifest.kind == "label"
    }


def _asked_for(scopes: Sequence[Scope], analysis: QueryAnalysis) -> Callable[[SearchHit], bool]:
    """Whether a passage's section group or heading answers what the question asks for."""
    engines = {name: scope.engine for scope in scopes for name in scope.names}

    def asked_for(hit: SearchHit) -> bool:
        traits = engines[hit.knowledge_base].traits(hit.knowledge_base, hit.chunk.id)
        return traits.group in analysis.groups or bool(traits.intents & analysis.intents.keys())

    return asked_for


def _covering(
    hits: Sequence[SearchHit], count: int, targets: frozenset[str], drugs: DrugLexicon
) -> list[SearchHit]:
    """The best passages, with one for each drug asked for that they would leave out."""
    best = list(hits[:count])
    for target in sorted(drug_anchor_filter(best, targets, drugs).uncovered):
        best += [hit for hit in hits[count:] if target in named_ingredients(hit.chunk, drugs)][:1]
    return best


def _judged(
    hits: Sequence[SearchHit],
    used: Mapping[str, str],
    weights: Mapping[str, float],
    threshold_of: ThresholdOf,
) -> tuple[Confidence, ...]:
    judged: list[Confidence] = []
    for name in dict.fromkeys(hit.knowledge_base for hit in hits):
        own = [hit for hit in hits if hit.knowledge_base == name]
        configuration = used[name]
        signal = confidence(own, weights, dense="dense" in configuration.split("+"))
        threshold, calibrated = threshold_of(name, configuration)
        judged.append(
            Confidence(
                knowledge_base=name,
                configuration=configuration,
                signal=signal,
                threshold=threshold,
                source="calibrated" if calibrated else "fallback",
                passed=signal >= threshold,
            )
        )
    return tuple(judged)
