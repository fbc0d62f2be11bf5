"""Packed passages get the vectors of padded ones; the kernel is replaced, since it needs a GPU."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from clinrag_core.encode.bulk import padded
from clinrag_core.encode.packed import PackedBert, packed
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import TorchEncoder, load_encoder
from clinrag_core.settings import EncoderSettings

PASSAGES = [Passage(f"Drug {n}", f"{n} mg once daily " * (n % 5 + 1)) for n in range(12)]


class PlainKernels:
    """What the kernels compute, one passage at a time."""

    def attend(self, states, boundaries, longest, heads):
        assert int(boundaries.diff().max()) <= longest
        rows = []
        for start, end in pairwise(boundaries.tolist()):
            q, k, v = states[start:end].unflatten(1, (3, heads, -1)).permute(1, 2, 0, 3)
            attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            rows.append(attended.transpose(0, 1).flatten(1))
        return torch.cat(rows)

    def norm(self, hidden, scale, shift, epsilon):
        return torch.layer_norm(hidden, scale.shape, scale, shift, epsilon)


def encoder(folder: Path, **more: object) -> TorchEncoder:
    values = {"name": "tiny", "model": str(folder), "pooling": "mean", "device": "cpu", **more}
    return load_encoder(EncoderSettings.model_validate(values))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_packed_passages_get_the_vectors_of_padded_ones(tiny_encoder: Path, pooling: str):
    expected = encoder(tiny_encoder, pooling=pooling).encode_passages(PASSAGES)
    other = encoder(tiny_encoder, pooling=pooling)
    other.passage_model = PackedBert(other.passage_model, other.spec.pooling, PlainKernels())
    other._layout = packed
    np.testing.assert_allclose(other.encode_passages(PASSAGES), expected, atol=1e-5)
    assert other.last_run is not None
    assert other.last_run.attention == "packed"


def test_pairs_keep_their_segments_when_packed(tiny_medcpt: Path):
    settings = EncoderSettings(name="medcpt", model=str(tiny_medcpt), device="cpu")
    expected = load_encoder(settings).encode_passages(PASSAGES)
    other = load_encoder(settings)
    first = other.tokens(PASSAGES[:1])[0]
    places = packed([first])["place_ids"].tolist()
    assert [place % 2 for place in places] == [0] * (len(first) - first.second) + [1] * first.second
    other.passage_model = PackedBert(other.passage_model, other.spec.pooling, PlainKernels())
    other._layout = packed
    np.testing.assert_allclose(other.encode_passages(PASSAGES), expected, atol=1e-5)


def test_a_packed_row_holds_no_padding(tiny_encoder: Path):
    passages = encoder(tiny_encoder).tokens(PASSAGES)
    row, rectangle = packed(passages), padded(passages)
    lengths = [len(tokens) for tokens in passages]
    assert row["input_ids"].shape == (sum(lengths),)
    assert row["boundaries"].diff().tolist() == lengths
    ids = rectangle["input_ids"][rectangle["attention_mask"] == 1]
    assert row["input_ids"].tolist() == ids.tolist()
    assert row["place_ids"][: lengths[0]].tolist() == list(range(0, 2 * lengths[0], 2))
