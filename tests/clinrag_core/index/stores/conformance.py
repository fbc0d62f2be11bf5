"""What every vector store must do; a store's own test subclasses this and gives `store`."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.filters import matches

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.filters import MetadataFilter
from clinrag_core.index.stores.database import VectorDatabase
from clinrag_core.index.stores.protocol import VectorRecord, VectorStore

DIMENSION = 8


def records(count: int, seed: int = 0) -> list[VectorRecord]:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        VectorRecord(
            f"chunk-{n:04d}",
            vectors[n],
            {
                "organisation": ("WHO", "CDC")[n % 2],
                "year": 2000 + n % 7,
                "topics": ["tb"] if n % 3 else ["cap"],
                "drug": ("isoniazid", None)[n % 2],
                "drug_names": ["inh"] if n % 2 == 0 else [],
                "group": ("dosage", "warnings", None)[n % 3],
                "loinc": "34068-7" if n % 3 == 0 else None,
                "has_table": n % 5 == 0,
                "document_id": f"d{n % 4}",
            },
        )
        for n in range(count)
    ]


class VectorStoreConformance:
    """Subclass it, override `store`, and every test runs."""

    @pytest.fixture
    def store(self) -> VectorStore:
        raise NotImplementedError

    def test_an_empty_store_finds_nothing(self, store: VectorStore):
        assert store.query(np.ones(DIMENSION, np.float32), 5) == []
        assert store.stats().records == 0
        assert store.available()

    def test_queries_are_exact_and_ordered(self, store: VectorStore):
        held = records(60)
        store.upsert(held)
        query = records(1, seed=9)[0].vector
        scores = {r.id: float(r.vector @ query) for r in held}
        expected = sorted(scores, key=lambda i: (-scores[i], i))[:10]
        hits = store.query(query, 10)
        assert [hit.id for hit in hits] == expected
        assert [hit.score for hit in hits] == pytest.approx([scores[i] for i in expected], abs=1e-5)

    def test_optimising_changes_no_hit(self, store: VectorStore):
        held = records(60)
        store.upsert(held)
        query = records(1, seed=9)[0].vector
        before = store.query(query, 10)
        store.optimise()
        store.optimise()
        assert store.query(query, 10) == before

    def test_more_than_there_is_gives_all(self, store: VectorStore):
        store.upsert(records(3))
        assert len(store.query(np.ones(DIMENSION, np.float32), 50)) == 3
        assert store.query(np.ones(DIMENSION, np.float32), 0) == []

    def test_an_upsert_replaces_vector_and_payload(self, store: VectorStore):
        old, new = records(2)
        store.upsert([old])
        store.upsert([VectorRecord(old.id, new.vector, {"group": "new"})])
        assert store.stats().records == 1
        (hit,) = store.query(new.vector, 5, MetadataFilter(groups=("dosage", "new")))  # pyright: ignore[reportArgumentType]
        assert hit.score == pytest.approx(1.0, abs=1e-5)

    def test_deleted_records_are_gone_and_unknown_ids_do_no_harm(self, store: VectorStore):
        held = records(5)
        store.upsert(held)
        store.delete([held[0].id, held[3].id, "nobody"])
        left = {hit.id for hit in store.query(held[0].vector, 10)}
        assert left == {held[1].id, held[2].id, held[4].id}
        assert store.stats().records == 3

    def test_equal_scores_are_ordered_by_id(self, store: VectorStore):
        vector = records(1)[0].vector
        store.upsert([VectorRecord(name, vector, {}) for name in ("b", "c", "a", "d")])
        assert [hit.id for hit in store.query(vector, 3)] == ["a", "b", "c"]

    @pytest.mark.parametrize(
        "wanted",
        [
            MetadataFilter(sources=("WHO",)),
            MetadataFilter(year_from=2002, year_to=2004),
            MetadataFilter(topics=("cap",)),
            MetadataFilter(drugs=("INH",)),
            MetadataFilter(groups=("dosage",), tables_only=True),
            MetadataFilter(loinc=("34068-7",), document_ids=("d0", "d2")),
            MetadataFilter(sources=("NICE",)),
        ],
    )
    def test_filters_mean_what_matches_means(self, store: VectorStore, wanted: MetadataFilter):
        held = records(40)
        store.upsert(held)
        found = {hit.id for hit in store.query(held[0].vector, 40, wanted)}
        assert found == {r.id for r in held if matches(wanted, r.payload)}

    @pytest.mark.parametrize(
        "vector", [np.ones(DIMENSION + 1, np.float32), np.full(DIMENSION, np.nan, np.float32)]
    )
    def test_unusable_vectors_are_refused_and_nothing_is_stored(self, store: VectorStore, vector):
        good = records(1)[0]
        with pytest.raises(IndexBuildError, match="bad"):
            store.upsert([good, VectorRecord("bad", vector, {})])
        assert store.stats().records == 0


class VectorDatabaseConformance:
    """Subclass it, override `database`, and every test runs."""

    @pytest.fixture
    def database(self) -> VectorDatabase:
        raise NotImplementedError

    def test_collections_do_not_see_each_other(self, database: VectorDatabase):
        one, other = (database.store(name, DIMENSION) for name in ("Test_one", "Test_other"))
        held = records(6)
        one.upsert(held[:2])
        other.upsert(held[2:])
        assert {hit.id for hit in one.query(held[0].vector, 9)} == {r.id for r in held[:2]}
        assert other.stats().records == 4
        assert set(database.collections()) >= {"Test_one", "Test_other"}

    def test_a_dropped_collection_is_gone_and_an_unknown_one_does_no_harm(
        self, database: VectorDatabase
    ):
        for name in ("Test_one", "Test_other"):
            database.store(name, DIMENSION).upsert(records(2))
        database.drop("Test_one")
        database.drop("Test_one")
        assert "Test_one" not in database.collections()
        assert database.store("Test_other", DIMENSION).stats().records == 2

    def test_a_collection_outlives_the_connection(self, database: VectorDatabase):
        database.store("Test_one", DIMENSION).upsert(records(3))
        again = database.store("Test_one", DIMENSION)
        assert again.stats().records == 3
        assert len(again.query(records(1)[0].vector, 3)) == 3
