from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.retrieve.fuse import reciprocal_rank_fusion

ranking = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
runs = st.fixed_dictionaries({"bm25": ranking, "splade": ranking, "dense": ranking})


def test_the_worked_example_of_seed_002():
    fused = reciprocal_rank_fusion(
        {
            "bm25": ["doc1", "doc2", "doc3"],
            "splade": ["doc2", "doc1", "doc4"],
            "dense": ["doc1", "doc4", "doc2"],
        }
    )
    assert [(hit.id, round(hit.score, 4)) for hit in fused] == [
        ("doc1", 0.0489),
        ("doc2", 0.0484),
        ("doc4", 0.0320),
        ("doc3", 0.0159),
    ]


@given(runs)
def test_the_union_is_complete_and_ordered(lists: dict[str, list[str]]):
    fused = reciprocal_rank_fusion(lists)
    assert {hit.id for hit in fused} == set().union(*lists.values())
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)


@given(runs, st.sampled_from("abcdefgh"))
def test_a_better_rank_never_lowers_a_score(lists: dict[str, list[str]], chosen: str):
    before = {hit.id: hit.score for hit in reciprocal_rank_fusion(lists)}
    promoted = {n: [chosen, *(i for i in ids if i != chosen)] for n, ids in lists.items()}
    after = {hit.id: hit.score for hit in reciprocal_rank_fusion(promoted)}
    assert after[chosen] >= before.get(chosen, 0)


def test_ties_go_to_the_better_bm25_rank_then_to_the_id():
    fused = reciprocal_rank_fusion({"bm25": ["x", "y"], "dense": ["y", "x"]})
    assert [hit.id for hit in fused] == ["x", "y"]
    alone = reciprocal_rank_fusion({"bm25": ["b"], "dense": ["a"]})
    assert [hit.id for hit in alone] == ["b", "a"]


def test_an_absent_document_earns_nothing_from_that_list():
    (hit,) = reciprocal_rank_fusion({"bm25": [], "dense": ["a"]})
    assert hit.score == 1 / 61
    assert hit.ranks == {"dense": 1}
