"""From a question to the evidence an answer may be made from, or the reason for there being none.

Search, drug anchor filter, diagnosis gate, confidence per knowledge base. Every passage that is
left out is recorded with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.confidence import confidence, question_weights
from clinrag_core.answer.question.asking import asking_sentences
from clinrag_core.answer.question.roles import is_taken
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.records import Confidence
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.index.filters import MetadataFilter
from clinrag_core.retrieve.constrain import (
    Rejection,
    diagnosis_gate,
    drug_anchor_filter,
    named_ingredients,
)
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.records import Reason
    from clinrag_core.answer.thresholds import Thresholds
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import Component, SearchHit, SearchResponse
    from clinrag_core.settings import AnswerSettings


class Evidence(NamedTuple):
    """The passages an answer may be made from, and everything that was left out."""

    analysis: QueryAnalysis
    candidates: tuple[SearchHit, ...]
    """The best passages before any was rejected, shown with an abstention."""
    component_errors: tuple[str, ...]
    rejected: tuple[Rejection, ...] = ()
    confidence: tuple[Confidence, ...] = ()
    hits: tuple[SearchHit, ...] = ()
    """The best passages of the knowledge bases that may answer."""
    reason: Reason | None = None
    """Why there is no evidence; None where there is."""


class Scope(NamedTuple):
    """What to search: an engine and the names of its knowledge bases."""

    engine: SearchEngine
    names: tuple[str, ...]


NEAREST = 3
"""Passages shown with an abstention."""


def nearest(evidence: Evidence) -> Evidence:
    """Return only the passages nearest to a question that is refused without judging them."""
    return Evidence(evidence.analysis, evidence.candidates, evidence.component_errors)


def configuration_name(components: Sequence[Component], *, reranked: bool) -> str:
    """Return the name of a threshold: the components that answered, e.g. `bm25+dense`."""
    return "+".join([*components, *(["reranker"] if reranked and components else [])])


def _taken_with_regimen(text: str, drugs: DrugLexicon) -> frozenset[str]:
    """Return the drugs without a label that are only taken besides a regimen that is asked about.

    "On RHZE, jaundiced, on amlodipine too": passages on the regimen need not name it.
    """
    if not regimens(text, drugs):
        return frozenset()
    folded = fold_chars(text)
    taken = (one.ingredients for one in read_facts(text, drugs).drugs if is_taken(folded, one))
    return frozenset[str]().union(*taken) - drugs.labelled


def find_evidence(
    question: AskedQuestion,
    scopes: Sequence[Scope],
    drugs: DrugLexicon,
    settings: AnswerSettings,
    thresholds: Thresholds,
    components: tuple[Component, ...],
    idf: Mapping[str, float],
) -> Evidence:
    """Find the evidence for a question; the analysis of the first scope counts.

    Raises:
        QueryError: the question cannot be searched.
    """
    targets = question.targets - _taken_with_regimen(question.text, drugs)
    searched = _search(question, scopes, drugs, settings, components)
    hits, analysis = searched.hits, searched.analysis
    evidence = Evidence(analysis, hits[: settings.evidence], searched.component_errors)
    if not any(searched.configurations.values()):
        return evidence._replace(reason="retrieval_failed")
    if not hits:
        return evidence._replace(reason="no_evidence")
    anchored = drug_anchor_filter(hits, targets, drugs)
    left, rejected = anchored.hits, anchored.rejected
    if not left:
        return evidence._replace(rejected=rejected, reason="drug_not_in_evidence")
    if analysis.diagnosis:
        diagnostic = diagnosis_gate(left)
        left, rejected = diagnostic.hits, rejected + diagnostic.rejected
        if not left:
            return evidence._replace(rejected=rejected, reason="no_diagnostic_evidence")
    tokens = analysis.tokens
    if read_slots(question.text, drugs).is_case:
        # No passage covers a patient's story: what is asked has to be covered.
        tokens = tokenize(asking_sentences(question.text)) or tokens
    weights = question_weights(tokens, idf)
    best = _covering(left, settings.evidence, targets, drugs)
    confidences = _confidences(best, searched.configurations, weights, thresholds)
    passed = {c.knowledge_base for c in confidences if c.passed}
    # A label is evidence about its own drug only.
    kinds = {n: s.engine.knowledge_bases[n].manifest.kind for s in scopes for n in s.names}
    if not question.about_medication and {kinds[name] for name in passed} <= {"label"}:
        passed = set[str]()
    kept = tuple(hit for hit in best if hit.knowledge_base in passed)
    below = tuple(
        Rejection(chunk_id=hit.chunk.id, document_id=hit.chunk.document_id, code="below_threshold")
        for hit in best
        if hit.knowledge_base not in passed
    )
    return evidence._replace(
        hits=kept,
        rejected=rejected + below,
        confidence=confidences,
        reason=None if kept else "low_confidence",
    )


class _Searched(NamedTuple):
    """The hits of all scopes, one after the other."""

    analysis: QueryAnalysis
    hits: tuple[SearchHit, ...]
    configurations: dict[str, str]
    """Knowledge base to the components that answered, joined by '+'."""
    component_errors: tuple[str, ...]


def _search(
    question: AskedQuestion,
    scopes: Sequence[Scope],
    drugs: DrugLexicon,
    settings: AnswerSettings,
    components: tuple[Component, ...],
) -> _Searched:
    """Search every scope; report the components that did not answer, the reranker included."""
    responses: list[SearchResponse] = []
    errors: list[str] = []
    for scope in scopes:
        request = SearchRequest(
            query=question.search_text,
            knowledge_bases=scope.names,
            components=tuple(c for c in components if c in scope.engine.components),
            top_k=settings.search_depth,
            by_statements=False,  # thresholds are calibrated on whole passages
        )
        response = scope.engine.search(request)
        responses.append(_with_drugs(scope, request, response, question.targets, drugs))
        reranker = response.reranker_error
        errors += [*response.component_errors, *([f"reranker_{reranker}"] if reranker else [])]
    return _Searched(
        responses[0].analysis,
        tuple(hit for response in responses for hit in response.results),
        {
            name: configuration_name(response.components_used, reranked=response.reranked)
            for scope, response in zip(scopes, responses, strict=True)
            for name in scope.names
        },
        tuple(dict.fromkeys(errors)),
    )


def _with_drugs(
    scope: Scope,
    request: SearchRequest,
    response: SearchResponse,
    targets: frozenset[str],
    drugs: DrugLexicon,
) -> SearchResponse:
    """Return a search with its hits, then those from labels of drugs that the hits do not name.

    "Bedaquiline storage" finds the storage of forty other drugs first.
    """
    missing = drug_anchor_filter(response.results, targets, drugs).uncovered & drugs.labelled
    hits = list(response.results)
    for name in sorted(missing):
        wanted = request.model_copy(update={"filter": MetadataFilter(drugs=(name,))})
        known = {hit.chunk.id for hit in hits}
        hits += [hit for hit in scope.engine.search(wanted).results if hit.chunk.id not in known]
    return response.model_copy(update={"results": tuple(hits)})


def _covering(
    hits: Sequence[SearchHit], count: int, targets: frozenset[str], drugs: DrugLexicon
) -> list[SearchHit]:
    """Return the best passages, and one more for each target drug that they do not name."""
    best = list(hits[:count])
    for target in sorted(drug_anchor_filter(best, targets, drugs).uncovered):
        best += [hit for hit in hits[count:] if target in named_ingredients(hit.chunk, drugs)][:1]
    return best


def _confidences(
    hits: Sequence[SearchHit],
    configurations: Mapping[str, str],
    weights: Mapping[str, float],
    thresholds: Thresholds,
) -> tuple[Confidence, ...]:
    """Return the confidence of each knowledge base with a passage among the best."""
    judged: list[Confidence] = []
    for name in dict.fromkeys(hit.knowledge_base for hit in hits):
        of_base = [hit for hit in hits if hit.knowledge_base == name]
        configuration = configurations[name]
        signal = confidence(of_base, weights, dense="dense" in configuration.split("+"))
        threshold, calibrated = thresholds.of(name, configuration)
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
