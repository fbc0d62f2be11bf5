"""Encoding on a CUDA device; run by `make test-all` where there is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import TorchEncoder, load_encoder
from clinrag_core.settings import EncoderSettings

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]
PASSAGES = [Passage(f"Drug {n}", f"{n} mg once daily " * (n % 50 + 1)) for n in range(600)]


def encoder(folder: Path, **more: object) -> TorchEncoder:
    values = {"name": "tiny", "model": str(folder), "pooling": "mean", "device": "cuda", **more}
    return load_encoder(EncoderSettings.model_validate(values))


def test_vectors_are_those_of_the_processor(tiny_encoder: Path):
    expected = encoder(tiny_encoder, device="cpu").encode_passages(PASSAGES)
    found = encoder(tiny_encoder).encode_passages(PASSAGES)
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("precision", ["auto", "bf16", "fp16"])
def test_lower_precisions_are_near(tiny_encoder: Path, precision: str):
    exact = encoder(tiny_encoder).encode_passages(PASSAGES)
    lower = encoder(tiny_encoder, precision=precision)
    vectors = lower.encode_passages(PASSAGES)
    assert (exact * vectors).sum(axis=1).min() > 0.999
    assert lower.last_run is not None
    assert (lower.last_run.device, lower.last_run.attention) == ("cuda", "packed")
    assert lower.precision == ("fp16" if precision == "auto" else precision)


def test_batches_grow_while_memory_is_left(tiny_encoder: Path):
    found = encoder(tiny_encoder)
    before = found._budget.tokens
    found.encode_passages(PASSAGES * 20)
    assert found._budget.tokens > before


def test_a_batch_that_does_not_fit_is_halved(tiny_encoder: Path):
    found = encoder(tiny_encoder)
    expected = found.encode_passages(PASSAGES)
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.empty_cache()
    held = torch.cuda.memory_allocated()
    torch.cuda.set_per_process_memory_fraction((held + 24 * 2**20) / total)
    try:
        found._budget.tokens = 200_000
        np.testing.assert_allclose(found.encode_passages(PASSAGES), expected, atol=1e-3)
        assert found._budget.tokens < 200_000
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
