"""Batches that are given ahead to the device, sized by trying, and split when memory runs out."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from clinrag_core.encode import bulk
from clinrag_core.encode.bulk import TokenBudget, batches_within, padded, token_batch
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import TorchEncoder, load_encoder
from clinrag_core.errors import EncoderError
from clinrag_core.settings import EncoderSettings

PASSAGES = [
    Passage(f"Drug {n} › Dosage", f"{n} mg once daily for {n % 9} weeks " * (n % 7 + 1))
    for n in range(50)
]


class SmallDevice:
    """A device whose memory holds batches of some padded tokens at most."""

    def __init__(self, encoder: TorchEncoder, tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.failed: list[int] = []
        self.done: list[int] = []

        def limited(batch: bulk.TokenBatch):
            if batch.tokens > tokens:
                self.failed.append(batch.tokens)
                raise torch.OutOfMemoryError("no memory")
            self.done.append(batch.tokens)
            vectors = encoder._pooled(encoder.passage_model, batch.inputs, batch.longest).numpy()
            return lambda: vectors

        def run(batches, on_batch) -> None:
            with torch.inference_mode():
                bulk.run_batches(batches, limited, encoder._budget, on_batch, lambda: None)

        monkeypatch.setattr(encoder, "_run_on_cpu", run)


@pytest.fixture
def encoder(tiny_encoder: Path) -> TorchEncoder:
    settings = EncoderSettings(
        name="tiny", model=str(tiny_encoder), pooling="mean", batch_tokens=4096, device="cpu"
    )
    return load_encoder(settings)


def test_a_batch_that_does_not_fit_is_split_and_nothing_is_lost(
    encoder: TorchEncoder, monkeypatch: pytest.MonkeyPatch
):
    expected = encoder.encode_passages(PASSAGES)
    stored: dict[int, np.ndarray] = {}

    def store(positions, vectors) -> None:
        for position, vector in zip(positions, vectors, strict=True):
            assert position not in stored
            stored[position] = vector

    monkeypatch.setattr(bulk, "WINDOW", 16)
    device = SmallDevice(encoder, 300, monkeypatch)
    vectors = encoder.encode_passages(PASSAGES, store)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    assert sorted(stored) == list(range(len(PASSAGES)))
    assert device.failed
    assert max(device.done) <= 300


def test_the_budget_learns_from_a_batch_that_did_not_fit(
    encoder: TorchEncoder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bulk, "WINDOW", 10)
    device = SmallDevice(encoder, 300, monkeypatch)
    encoder.encode_passages(PASSAGES * 4)
    before = len(device.failed)
    encoder.encode_passages(PASSAGES * 4)
    assert len(device.failed) == before  # the second run begins with what fitted


def test_a_passage_that_does_not_fit_alone_is_an_error(
    encoder: TorchEncoder, monkeypatch: pytest.MonkeyPatch
):
    SmallDevice(encoder, 4, monkeypatch)
    with pytest.raises(EncoderError, match="does not fit"):
        encoder.encode_passages(PASSAGES[:3])


def test_a_budget_doubles_while_memory_is_left_and_never_back_to_what_failed():
    budget = TokenBudget(1000, most=16_000)
    budget.grow(used=10, free=100)
    assert budget.tokens == 2000
    budget.grow(used=60, free=50)
    assert budget.tokens == 2000
    for _ in range(9):
        budget.grow(used=1, free=100)
    assert budget.tokens == 16_000
    budget.halve(failed=16_000)
    budget.grow(used=1, free=100)
    assert budget.tokens == 8000


def test_a_budget_that_was_set_does_not_grow():
    budget = TokenBudget(512)
    budget.grow(used=0, free=100)
    assert budget.tokens == 512


def test_batches_follow_a_budget_that_changes():
    budget = TokenBudget(20)
    batches = batches_within([10] * 8, budget)
    assert len(next(batches)) == 2
    budget.halve(20)
    next(batches)  # was begun with the budget before, or is smaller
    assert all(len(batch) == 1 for batch in batches)


def test_halves_are_as_wide_as_their_longest_passage(encoder: TorchEncoder):
    passages = sorted(encoder.tokens(PASSAGES[:7]), key=len, reverse=True)
    batch = token_batch(list(range(7)), passages, padded)
    first, second = batch.halves()
    assert first.positions + second.positions == batch.positions
    assert second.inputs["input_ids"].shape == (4, len(passages[3]))
    row = second.inputs["input_ids"][0, : len(passages[3])]
    assert row.tolist() == passages[3].ids.tolist()


def test_batches_are_read_in_order_once_the_device_has_enough(encoder: TorchEncoder):
    """The device is given `IN_FLIGHT` batches before any is read, and never more."""
    batches = [token_batch([n], encoder.tokens(PASSAGES[n : n + 1]), padded) for n in range(40)]
    started: list[int] = []
    read: list[int] = []

    def start(batch: bulk.TokenBatch):
        started.append(batch.positions[0])
        assert len(started) - len(read) <= bulk.IN_FLIGHT + 1
        return lambda: np.zeros((1, 2), np.float32)

    def store(positions, vectors) -> None:
        assert len(started) == 40 or len(started) - len(read) == bulk.IN_FLIGHT + 1
        read.extend(positions)

    bulk.run_batches(batches, start, TokenBudget(512), store, lambda: None)
    assert read == started == list(range(40))


def test_vectors_that_are_not_numbers_are_an_error(encoder: TorchEncoder):
    with torch.no_grad():
        encoder.passage_model.embeddings.word_embeddings.weight.fill_(float("inf"))
    with pytest.raises(EncoderError, match="not finite in fp32"):
        encoder.encode_passages(PASSAGES)


def test_a_run_says_how_passages_were_encoded(encoder: TorchEncoder):
    assert encoder.last_run is None
    encoder.encode_passages(PASSAGES)
    run = encoder.last_run
    assert run is not None
    assert (run.device, run.precision, run.attention) == ("cpu", "fp32", "sdpa")
    assert run.passages == len(PASSAGES)
    assert run.passages_per_s > 0


def test_each_batch_is_encoded_on_a_core_of_its_own(
    encoder: TorchEncoder, monkeypatch: pytest.MonkeyPatch
):
    """Two batches are under way at once, each with one thread of torch; vectors are the same."""
    cores = "clinrag_core.encode.torch_encoder.physical_cores"
    monkeypatch.setattr(cores, lambda: 1)
    alone = encoder.encode_passages(PASSAGES)
    first, both = iter(range(2)), threading.Barrier(2)
    threads: set[int] = set()
    pooled = encoder._pooled

    def together(model, inputs, longest):
        threads.add(torch.get_num_threads())
        if next(first, None) is not None:
            both.wait(timeout=30)
        return pooled(model, inputs, longest)

    monkeypatch.setattr(cores, lambda: 2)
    monkeypatch.setattr(encoder, "_budget", TokenBudget(512))
    monkeypatch.setattr(encoder, "_pooled", together)
    np.testing.assert_allclose(encoder.encode_passages(PASSAGES), alone, atol=1e-5)
    assert threads == {1}


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 20_000])
def test_windows_cover_all_passages_and_grow(count: int):
    found = list(bulk.windows(count))
    assert [n for start, end in found for n in range(start, end)] == list(range(count))
    sizes = [end - start for start, end in found[:-1]]
    assert sizes == [512, 1024, 2048, *[4096] * len(sizes)][: len(sizes)]
