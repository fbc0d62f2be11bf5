"""A passage is as near to a question as its nearest statement, where dense is fused with others."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from clinrag_core.retrieve.components import RankedList
from clinrag_core.retrieve.nearest import NearestStatements, by_statements
from clinrag_core.retrieve.request import SearchRequest

PASSAGES = np.array([[0.6, 0.8], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]], dtype=np.float32)
STATEMENTS = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7], [0.5, 0.5]], dtype=np.float32)
OF_PASSAGE = np.array([2, 0, 1, 2], dtype=np.int32)
QUERY = np.array([1.0, 0.0], dtype=np.float32)
IDS = ["a", "b", "c", "d"]


def base(*, statements: bool = True):
    index = SimpleNamespace(vectors=STATEMENTS, passages=lambda _: OF_PASSAGE)
    return SimpleNamespace(
        ids=IDS,
        row=IDS.index,
        dense_scores=lambda query, rows: PASSAGES[rows] @ query,
        statements=index if statements else None,
    )


def scores_of(rows: list[int], **more: bool) -> list[float]:
    found = NearestStatements(base(**more)).scores(QUERY, np.array(rows, dtype=np.int32))
    return found.round(3).tolist()


def test_one_near_statement_makes_its_passage_near():
    """The mean of a long passage hid the one sentence that answers."""
    assert scores_of([0, 1, 2, 3]) == pytest.approx([0.6, 0.8, 1.0, -1.0])
    assert scores_of([2]) == [1.0]
    assert scores_of([]) == []


def test_without_statements_passages_keep_their_scores():
    assert scores_of([0, 1, 2, 3], statements=False) == pytest.approx([0.6, 0.8, 0.0, -1.0])


def test_the_dense_list_is_made_of_all_candidates_and_cut():
    bm25 = RankedList("bm25", "kb", [("c", 9.0), ("d", 2.0)])
    dense = RankedList("dense", "kb", [("b", 0.8), ("a", 0.6)])
    nearest = {"kb": NearestStatements(base())}
    assert by_statements([bm25, dense], QUERY, nearest, 2) == [
        bm25,
        dense._replace(hits=[("c", pytest.approx(1.0)), ("b", pytest.approx(0.8))]),
    ]
    (_, longer) = by_statements([bm25, dense], QUERY, nearest, 9)
    assert [i for i, _ in longer.hits] == ["c", "b", "a"], "a score of 0 or less is no hit"
    assert by_statements([dense], QUERY, nearest, 2) == [dense], "fused with nothing"


def test_a_request_may_rank_by_whole_passages(engine_with, monkeypatch: pytest.MonkeyPatch):
    engine = engine_with()
    query = "dose of isoniazid"
    plain = engine.search(SearchRequest(query=query, by_statements=False))
    target = plain.results[-1].chunk.id

    def raised(self, query, rows):
        return np.array([2.0 if i == rows_of[target] else 0.5 for i in rows], dtype=np.float32)

    (only,) = engine.knowledge_bases.values()
    rows_of = {i: only.row(i) for i in only.ids}
    monkeypatch.setattr(NearestStatements, "scores", raised)
    ranks = {
        h.chunk.id: h.component_ranks for h in engine.search(SearchRequest(query=query)).results
    }
    assert ranks[target]["dense"] == 1
    again = engine.search(SearchRequest(query=query, by_statements=False))
    assert again.results == plain.results
