"""A knowledge base of shards: what changed is written, and it is the one made from nothing."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clinrag_core.errors import IndexBuildError
from clinrag_core.index import shards
from clinrag_core.index.build import (
    Recipe,
    build_knowledge_base,
    copy_knowledge_base,
    join_shards,
)
from clinrag_core.index.chunk_table import concatenate, to_table
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import SHARDS, ShardParts
from clinrag_core.index.shards import in_shards, shard_count, shard_of
from clinrag_core.model.chunk import Chunk
from clinrag_core.settings import BM25Settings
from clinrag_core.workspace import fingerprint

WORDS = ["isoniazid", "rifampin", "dose", "600 mg", "5 mg/kg", "not", "daily"]
KEYS = [f"drug-{number}" for number in range(9)]
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), max_size=3)
changes = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | texts), max_size=5)
Corpus = dict[str, list[str]]


def chunk(key: str, number: int, text: str) -> Chunk:
    digest = hashlib.sha256(f"{key} {number} {text}".encode()).hexdigest()[:16]
    fields = {
        "id": digest, "document_id": key, "document_title": key, "kind": "label",
        "section_ordinal": number, "section_path": ("Section",), "ordinal": 0, "start": 0,
        "end": len(text), "text": text, "embed_title": key, "embed_text": text, "tokens": 1,
        "file_sha256": "0" * 64, "drug": key, "drug_names": (key,), "year": 2000 + number,
    }  # fmt: skip
    return Chunk.model_validate(fields)


def vector(text: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    made = np.random.default_rng(seed).standard_normal(8).astype(np.float32)
    return made / np.linalg.norm(made)


def parts(corpus: Corpus, keys: list[str]) -> ShardParts:
    chunks = [chunk(key, n, text) for key in keys for n, text in enumerate(corpus[key])]
    vectors = np.array([vector(c.text) for c in chunks], dtype=np.float32).reshape(-1, 8)
    return ShardParts(to_table(chunks), vectors)


def recipe(corpus: Corpus) -> Recipe:
    return Recipe(
        kind="label", encoder_name="tiny", encoder="e", similarity="cosine", chunker="c",
        corpus_digest=fingerprint(corpus), bm25=BM25Settings(),
    )  # fmt: skip


def build(corpus: Corpus, folder: Path) -> Path:
    """The knowledge base of a corpus, in shards."""
    made = recipe(corpus)
    of_shard = in_shards(sorted(corpus), shard_count(len(corpus)))
    named = {
        made.shard_name([number, [[key, corpus[key]] for key in keys]]): partial(
            parts, corpus, keys
        )
        for number, keys in enumerate(of_shard)
    }
    return join_shards(made, named, folder)


def whole(corpus: Corpus, folder: Path) -> KnowledgeBase:
    """The same passages in one shard, in the same order."""
    of_shard = in_shards(sorted(corpus), shard_count(len(corpus)))
    every = [parts(corpus, keys) for keys in of_shard]
    table = concatenate([one.chunks for one in every])
    vectors = np.concatenate([one.vectors for one in every])
    return KnowledgeBase(build_knowledge_base(recipe(corpus), table, vectors, folder))


def files(directory: Path) -> dict[str, bytes]:
    folders = [directory, *(directory / SHARDS).iterdir()]
    named = {f"{one.name}/{f.relative_to(one)}": f for one in folders for f in one.rglob("*")}
    return {name: file.read_bytes() for name, file in named.items() if file.is_file()}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shards, "PARTITIONS_PER_SHARD", 2)


@settings(
    deadline=None,
    max_examples=8,
    phases=[Phase.explicit, Phase.generate],  # shrinking takes minutes: every example writes files
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes, st.lists(st.sampled_from([*WORDS, "drug"]), max_size=4))
def test_any_changes_leave_what_building_from_nothing_gives(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, list[str] | None]], query
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    corpus: Corpus = {}
    directory = build(corpus, folder / "kept")
    for key, now in made:
        corpus = {k: v for k, v in corpus.items() if k != key} | ({} if now is None else {key: now})
        directory = build(corpus, folder / "kept")
    assert copy_knowledge_base(directory, folder / "copy") == []
    assert copy_knowledge_base(build(corpus, folder / "fresh"), folder / "fresh copy") == []
    kept, fresh = files(folder / "copy"), files(folder / "fresh copy")
    assert {n.partition("/")[2]: b for n, b in kept.items() if n.startswith("copy/")} == {
        n.partition("/")[2]: b for n, b in fresh.items() if n.startswith("fresh copy/")
    }
    base, one = KnowledgeBase(folder / "copy"), whole(corpus, folder / "whole")
    assert base.table.to_pylist() == one.table.to_pylist()
    assert base.bm25.idf() == one.bm25.idf()
    for k in (1, 3, 50):
        assert base.bm25.top(query, k) == one.bm25.top(query, k)
        found, expected = (b.dense.search(vector(" ".join(query)), k) for b in (base, one))
        assert [hit[0] for hit in found] == [hit[0] for hit in expected]
        assert [h[1] for h in found] == pytest.approx([h[1] for h in expected], abs=1e-6)
    mask = np.arange(len(base.ids)) % 2 == 0
    assert base.bm25.top(query, 5, mask) == one.bm25.top(query, 5, mask)
    assert {h[0] for h in base.dense.search(vector("a"), 50, mask)} == {*base.ids[::2]}
    rows = list(range(len(base.ids)))[::-1]
    assert np.array_equal(base.dense.reconstruct(rows), one.dense.reconstruct(rows))


def test_a_change_writes_one_shard(tmp_path: Path) -> None:
    corpus = {key: [f"{key} 300 mg"] for key in KEYS}
    before = build(corpus, tmp_path)
    known = {path.name for path in (tmp_path / SHARDS).iterdir()}
    asked: list[str] = []
    after = build(corpus | {KEYS[3]: ["310 mg"]}, tmp_path)
    asked = [p.name for p in (tmp_path / SHARDS).iterdir() if p.name not in known]
    assert len(asked) == 1
    assert before != after
    assert KnowledgeBase(before).bm25.search("310", 3) == []


def test_a_damaged_shard_is_not_copied(tmp_path: Path) -> None:
    directory = build({key: [f"{key} 300 mg"] for key in KEYS}, tmp_path / "made")
    tables = directory.glob("shards/*/chunks.arrow")  # a shard may hold no document
    table = next(one for one in tables if b"300" in one.read_bytes())
    table.write_bytes(table.read_bytes().replace(b"300", b"900"))
    (problem,) = copy_knowledge_base(directory, tmp_path / "copy")
    assert problem.endswith("chunks.arrow is changed")


def test_a_passage_in_two_shards_is_refused(tmp_path: Path) -> None:
    one = parts({"a": ["dose"]}, ["a"])
    directory = join_shards(recipe({}), {"s1": lambda: one, "s2": lambda: one}, tmp_path)
    with pytest.raises(IndexBuildError, match="chunk ids repeat"):
        KnowledgeBase(directory)


@given(st.integers(1, 300))
def test_one_more_shard_moves_the_partitions_of_one_other(count: int) -> None:
    keys = [f"label-{number}" for number in range(400)]
    before = [shard_of(key, count) for key in keys]
    after = [shard_of(key, count + 1) for key in keys]
    assert max(before) < count
    moved = {a for a, b in zip(before, after, strict=True) if a != b}
    assert len(moved) <= 1
    assert all(b == count for a, b in zip(before, after, strict=True) if a != b)


def test_shards_are_of_about_one_size() -> None:
    sizes = [len(keys) for keys in in_shards(map(str, range(6_400)), 50)]
    assert sum(sizes) == 6_400
    assert max(sizes) < 4 * min(sizes), "linear hashing splits shards one by one"
