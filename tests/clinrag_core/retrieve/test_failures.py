"""No exception of a component, a store or a reranker ends a search; each one is reported.

Only five kinds of exception were caught: a KeyError of a retriever, or a model that did not load,
answered 500 and left no record.
"""

from __future__ import annotations

import asyncio
import logging
import math

import pytest
from qdrant_client.http.exceptions import UnexpectedResponse

from clinrag_core.index.stores.protocol import StoreStats, VectorHit
from clinrag_core.retrieve.components import SparseRetriever
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.retrieve.rerank import LazyReranker

QUESTION = "isoniazid for Zebulon"
FAILURES = [
    KeyError(QUESTION),
    TypeError(QUESTION),
    IndexError(QUESTION),
    AssertionError(QUESTION),
    ZeroDivisionError(QUESTION),
    MemoryError(QUESTION),
    StopIteration(QUESTION),
    RuntimeError(f"CUDA out of memory while reading {QUESTION}"),
    UnexpectedResponse(500, QUESTION, b"", None),  # pyright: ignore[reportArgumentType]
]


@pytest.fixture(params=FAILURES, ids=lambda failure: type(failure).__name__)
def failure(request) -> Exception:
    return request.param


@pytest.fixture
def log(caplog):
    """What was logged; fails if the question is in it."""
    caplog.set_level(logging.DEBUG)
    yield caplog
    assert "Zebulon" not in caplog.text


def both_ways(engine, **request):
    """The response, which has to be the same for the CLI (`search`) and the service."""
    wanted = SearchRequest(query=QUESTION, **request)
    here, service = engine.search(wanted), asyncio.run(engine.search_async(wanted))
    assert here.component_errors == service.component_errors
    assert here.reranker_error == service.reranker_error
    return service


class Raising:
    """A model, a store or a reranker that raises whatever is asked of it."""

    name = "raising"
    dimension = 32

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def _raise(self, *_: object, **__: object):
        raise self._failure

    encode_query = query = score = prepare = search = _raise

    def stats(self) -> StoreStats:
        return StoreStats(26, self.dimension)

    def optimise(self) -> None:
        """Nothing: the store fails when it is searched."""


def test_a_retriever(engine_with, failure, log):
    broken = Raising(failure)
    broken.name = "bm25"
    response = both_ways(engine_with(retrievers={"bm25": broken}))
    assert response.component_errors == (f"bm25_error: {type(failure).__name__}",)
    assert response.components_used == ("dense",)
    assert response.results
    assert "in _raise" in log.text  # the traceback is logged


def test_a_model_that_fails_while_it_loads(engine_with, failure, log):
    splade = SparseRetriever(lambda: Raising(failure)._raise())
    response = both_ways(engine_with(retrievers={"splade": splade}))
    assert response.component_errors == (f"splade_error: {type(failure).__name__}",)
    assert response.components_used == ("bm25", "dense")


def test_a_store_that_fails(engine_with, failure, log):
    response = both_ways(engine_with(store_for=lambda _: Raising(failure)))
    assert response.component_errors == (f"dense_error: {type(failure).__name__}",)
    assert response.results


def test_a_store_that_cannot_be_opened(engine_with, failure, log):
    response = both_ways(engine_with(store_for=lambda _: Raising(failure)._raise()))
    assert response.component_errors == (f"dense_error: {type(failure).__name__}",)


@pytest.mark.parametrize(
    "hit", [VectorHit("passage-of-another-release", 0.9), VectorHit("chunk-0000000001", math.inf)]
)
def test_a_store_with_hits_that_cannot_be_used(engine_with, hit, log):
    """A collection of another release answered 500: no knowledge base has its passages."""

    class Stale(Raising):
        def query(self, vector, top_k, wanted=None):
            return [hit]

    response = both_ways(engine_with(store_for=lambda _: Stale(KeyError())))
    assert response.component_errors == ("dense_error: IndexBuildError",)
    assert response.results


def test_a_reranker(engine_with, failure, log):
    engine = engine_with(reranker=LazyReranker("model", lambda: Raising(failure)))
    plain = engine_with().search(SearchRequest(query=QUESTION))
    response = both_ways(engine)
    assert response.reranker_error == f"error: {type(failure).__name__}"
    assert not response.reranked
    assert [h.chunk.id for h in response.results] == [h.chunk.id for h in plain.results]


def test_a_reranker_that_fails_while_it_loads(engine_with, failure, log):
    loads: list[int] = []

    def load():
        loads.append(1)
        raise failure

    response = both_ways(engine_with(reranker=LazyReranker("model", load)))
    assert response.reranker_error == f"error: {type(failure).__name__}"
    assert response.results
    assert len(loads) == 1  # not again with every question


@pytest.mark.parametrize("scores", [[1.0], [math.nan] * 26])
def test_a_reranker_with_scores_that_cannot_be_ranked(engine_with, scores, log):
    class Wrong(Raising):
        def score(self, query, passages, *, should_stop):
            return scores

    response = both_ways(engine_with(reranker=LazyReranker("model", lambda: Wrong(KeyError()))))
    assert response.reranker_error == "error: EncoderError"
    assert response.results


def test_an_encoder_that_fails(engine_with, failure, log, monkeypatch):
    engine = engine_with()
    monkeypatch.setattr(engine, "encoder", Raising(failure))
    engine.encoder.fingerprint = "broken"
    response = both_ways(engine)
    assert response.component_errors == (f"dense_error: {type(failure).__name__}",)
    assert response.components_used == ("bm25",)


def test_without_any_component_there_are_no_hits_and_no_exception(engine_with, failure, log):
    one, two = Raising(failure), Raising(failure)
    one.name, two.name = "bm25", "dense"
    response = both_ways(engine_with(retrievers={"bm25": one, "dense": two}))
    assert response.results == ()
    assert len(response.component_errors) == 2
