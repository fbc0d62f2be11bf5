import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from clinrag_core.encode import embed, vector_places
from clinrag_core.encode.embed import Embedded, embed_passages
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.vector_cache import VectorCache, passage_key

DIMENSION = 4
Vectors = NDArray[np.float32]


class CountingEncoder:
    """Encodes a passage as its length; counts and can die after some batches."""

    name = "counting"
    fingerprint = "counting"
    dimension = DIMENSION
    passages_truncated = 0
    queries_truncated = 0

    def __init__(self, die_after: int | None = None) -> None:
        self.encoded = 0
        self.die_after = die_after

    def encode_query(self, text: str) -> Vectors:
        return np.full(DIMENSION, len(text), dtype=np.float32)

    def encode_passages(
        self,
        passages: Sequence[Passage],
        on_batch: Callable[[Sequence[int], Vectors], None] | None = None,
    ) -> Vectors:
        out = np.zeros((len(passages), DIMENSION), dtype=np.float32)
        for i, passage in enumerate(passages):
            if self.die_after is not None and i >= self.die_after:
                raise KeyboardInterrupt
            out[i] = len(passage.text)
            self.encoded += 1
            if on_batch is not None:
                on_batch([i], out[i : i + 1])
        return out


def passages(count: int) -> list[Passage]:
    return [Passage("t", "x" * i) for i in range(count)]


def test_only_what_was_never_seen_is_encoded(tmp_path: Path):
    first = CountingEncoder()
    assert embed_passages(passages(5), VectorCache(tmp_path, DIMENSION), lambda: first) == Embedded(
        5, 0, 0
    )
    cache = VectorCache(tmp_path, DIMENSION)
    second = CountingEncoder()
    assert embed_passages(passages(8), cache, lambda: second) == Embedded(3, 5, 0)
    assert second.encoded == 3
    assert cache.get([passage_key(p) for p in passages(8)])[:, 0].tolist() == list(range(8))


def test_the_encoder_is_not_loaded_when_nothing_is_missing(tmp_path: Path):
    embed_passages(passages(3), VectorCache(tmp_path, DIMENSION), CountingEncoder)

    def fail() -> CountingEncoder:
        raise AssertionError("loaded for nothing")

    assert embed_passages(passages(3), VectorCache(tmp_path, DIMENSION), fail).encoded == 0


def test_a_killed_run_keeps_what_was_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embed, "FLUSH_PASSAGES", 2)
    with pytest.raises(KeyboardInterrupt):
        embed_passages(passages(9), VectorCache(tmp_path, DIMENSION), lambda: CountingEncoder(5))
    assert len(VectorCache(tmp_path, DIMENSION)) == 4


def test_equal_passages_are_encoded_once(tmp_path: Path):
    encoder = CountingEncoder()
    twice = [Passage("t", "same"), Passage("t", "same")]
    embed_passages(twice, VectorCache(tmp_path, DIMENSION), lambda: encoder)
    assert encoder.encoded == 1


def test_a_damaged_segment_is_encoded_again_and_never_served(tmp_path: Path):
    embed_passages(passages(3), VectorCache(tmp_path, DIMENSION), CountingEncoder)
    (segment,) = tmp_path.iterdir()
    vectors = np.load(segment / "vectors.npy")
    vectors[0] += 1
    np.save(segment / "vectors.npy", vectors)
    assert len(VectorCache(tmp_path, DIMENSION)) == 0
    again = CountingEncoder()
    cache = VectorCache(tmp_path, DIMENSION)
    embed_passages(passages(3), cache, lambda: again)
    assert again.encoded == 3


def test_title_and_text_cannot_be_confused():
    assert passage_key(Passage("a", "bc")) != passage_key(Passage("ab", "c"))


def test_a_damaged_segment_is_written_again(tmp_path: Path):
    embed_passages(passages(3), VectorCache(tmp_path, DIMENSION), CountingEncoder)
    (segment,) = tmp_path.iterdir()
    (segment / "vectors.npy").write_bytes(b"broken")
    embed_passages(passages(3), VectorCache(tmp_path, DIMENSION), CountingEncoder)
    assert len(VectorCache(tmp_path, DIMENSION)) == 3


def test_many_segments_are_found_through_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vector_places, "LEAST", 2)
    monkeypatch.setattr(embed, "FLUSH_PASSAGES", 1)
    embed_passages(passages(9), VectorCache(tmp_path, DIMENSION), CountingEncoder)
    opened = VectorCache(tmp_path, DIMENSION)
    assert (tmp_path / "places-9").is_dir()
    assert not opened._places._new, "no segment was read by its keys"
    embed_passages(passages(11), opened, CountingEncoder)
    again = VectorCache(tmp_path, DIMENSION)
    keys = [passage_key(p) for p in passages(11)]
    assert again.get(keys)[:, 0].tolist() == list(range(11))
    assert passage_key(Passage("t", "unheard")) not in again
    assert len(again) == 11
    for part in (tmp_path / "places-9").iterdir():
        part.write_bytes(b"broken")
    assert VectorCache(tmp_path, DIMENSION).get(keys)[:, 0].tolist() == list(range(11))


def test_a_segment_that_is_gone_is_a_vector_that_is_not_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(vector_places, "LEAST", 0)
    embed_passages(passages(2), VectorCache(tmp_path, DIMENSION), CountingEncoder)
    VectorCache(tmp_path, DIMENSION)
    (segment,) = tmp_path.glob("[0-9a-f]*")
    shutil.rmtree(segment)
    assert passage_key(Passage("t", "x")) not in VectorCache(tmp_path, DIMENSION)


def test_vectors_of_old_new_and_damaged_segments_come_in_the_order_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Those of the table are looked up at once, the others one by one."""
    monkeypatch.setattr(vector_places, "LEAST", 2)
    every = passages(40)
    keys = [passage_key(one) for one in every]
    vectors = np.random.default_rng(1).standard_normal((40, DIMENSION)).astype(np.float32)
    for start in range(0, 30, 5):
        VectorCache(tmp_path, DIMENSION).put(keys[start : start + 5], vectors[start : start + 5])
    cache = VectorCache(tmp_path, DIMENSION)
    assert any(path.name.startswith(vector_places.FOLDER) for path in tmp_path.iterdir())
    cache.put(keys[30:], vectors[30:])
    order = [*range(39, -1, -3), 0, 0, 31, 7]
    for opened in (cache, VectorCache(tmp_path, DIMENSION)):
        assert np.array_equal(opened.get([keys[i] for i in order]), vectors[order])
        with pytest.raises(KeyError):
            opened.get([keys[3], passage_key(Passage("t", "never seen")), keys[35]])
    assert cache.get([]).shape == (0, DIMENSION)
    segment = next(p for p in tmp_path.glob("[0-9a-f]*") if len(np.load(p / "keys.npy")) == 5)
    lost = {key.tobytes() for key in np.load(segment / "keys.npy")}
    np.save(segment / "vectors.npy", np.zeros((5, DIMENSION), dtype=np.float32))
    opened = VectorCache(tmp_path, DIMENSION)
    kept = [i for i, key in enumerate(keys) if key not in lost]
    assert np.array_equal(opened.get([keys[i] for i in kept]), vectors[kept])
    with pytest.raises(KeyError):
        opened.get(sorted(lost))
