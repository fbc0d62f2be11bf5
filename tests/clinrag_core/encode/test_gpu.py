"""Encoding on a CUDA device; run by `make test-all` where there is one."""

from __future__ import annotations

from itertools import pairwise
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


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_titles_and_texts_read_by_cls_are_near(tiny_medcpt: Path, precision: str):
    exact, lower = (
        encoder(tiny_medcpt, name="medcpt", pooling=None, precision=each).encode_passages(PASSAGES)
        for each in ("fp32", precision)
    )
    lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(lower, axis=1)
    assert ((exact * lower).sum(axis=1) / lengths).min() > 0.999


@pytest.mark.parametrize(("heads", "size"), [(12, 64), (2, 16), (3, 32)])
def test_attention_is_torchs_for_passages_of_any_length(heads: int, size: int):
    from clinrag_core.encode import packed_kernels

    lengths = [1, 63, 64, 65, 240, 2, 512, 128]
    ends = np.cumsum([0, *lengths])
    boundaries = torch.tensor(ends, dtype=torch.int32, device="cuda")
    states = torch.randn(ends[-1], 3 * heads * size, device="cuda")
    found = packed_kernels.attend(states.half(), boundaries, 512, heads).float()
    for start, end in pairwise(ends.tolist()):
        q, k, v = states[start:end].unflatten(1, (3, heads, -1)).permute(1, 2, 0, 3)
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        torch.testing.assert_close(
            found[start:end], expected.transpose(0, 1).flatten(1), atol=5e-3, rtol=0
        )


@pytest.mark.parametrize("dim", [32, 384, 768])
def test_norms_are_torchs(dim: int):
    from clinrag_core.encode import packed_kernels

    hidden, scale, shift = (torch.randn(*shape, dim, device="cuda") for shape in ((133,), (), ()))
    expected = torch.layer_norm(hidden, (dim,), scale, shift, 1e-12)
    found = packed_kernels.norm(hidden.half(), scale.half(), shift.half(), 1e-12)
    torch.testing.assert_close(found.float(), expected, atol=2e-2, rtol=1e-2)


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
