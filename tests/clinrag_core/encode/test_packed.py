"""Packed passages get the vectors of padded ones; the kernel is replaced, since it needs a GPU."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.attention import varlen

from clinrag_core.encode.bulk import padded
from clinrag_core.encode.packed import pack_model, packed
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import TorchEncoder, load_encoder
from clinrag_core.settings import EncoderSettings

PASSAGES = [Passage(f"Drug {n}", f"{n} mg once daily " * (n % 5 + 1)) for n in range(12)]


def attention_by_passage(query, key, value, boundaries, other, longest, most):
    """What the kernel computes, one passage at a time; `(tokens, heads, size)` each."""
    assert other is boundaries
    assert longest == most
    assert int(boundaries.diff().max()) <= longest
    rows = []
    for start, end in pairwise(boundaries.tolist()):
        q, k, v = (x[start:end].transpose(0, 1) for x in (query, key, value))
        rows.append(torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(0, 1))
    return torch.cat(rows)


def encoder(folder: Path, **more: object) -> TorchEncoder:
    values = {"name": "tiny", "model": str(folder), "pooling": "mean", "device": "cpu", **more}
    return load_encoder(EncoderSettings.model_validate(values))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_packed_passages_get_the_vectors_of_padded_ones(
    tiny_encoder: Path, pooling: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(varlen, "varlen_attn", attention_by_passage)
    expected = encoder(tiny_encoder, pooling=pooling).encode_passages(PASSAGES)
    other = encoder(tiny_encoder, pooling=pooling)
    pack_model(other.passage_model)
    other._layout = packed
    np.testing.assert_allclose(other.encode_passages(PASSAGES), expected, atol=1e-5)
    assert other.last_run is not None
    assert other.last_run.attention == "packed"


def test_pairs_keep_their_segments_when_packed(tiny_medcpt: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(varlen, "varlen_attn", attention_by_passage)
    settings = EncoderSettings(name="medcpt", model=str(tiny_medcpt), device="cpu")
    expected = load_encoder(settings).encode_passages(PASSAGES)
    other = load_encoder(settings)
    pack_model(other.passage_model)
    other._layout = packed
    np.testing.assert_allclose(other.encode_passages(PASSAGES), expected, atol=1e-5)


def test_a_packed_row_holds_no_padding(tiny_encoder: Path):
    encodings = encoder(tiny_encoder).encodings(PASSAGES)
    row, rectangle = packed(encodings), padded(encodings)
    lengths = [len(encoding) for encoding in encodings]
    assert row["input_ids"].shape == (1, sum(lengths))
    assert row["boundaries"].diff().tolist() == lengths
    ids = rectangle["input_ids"][rectangle["attention_mask"] == 1]
    assert row["input_ids"][0].tolist() == ids.tolist()
    assert row["position_ids"][0, : lengths[0]].tolist() == list(range(lengths[0]))
