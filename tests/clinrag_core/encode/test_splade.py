"""Sparse encoding: the formula, its invariances, what happens without weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import DistilBertConfig, DistilBertForMaskedLM

from clinrag_core.encode.protocol import Passage, SparseVectors
from clinrag_core.encode.splade import SpladeEncoder, prune, splade_pool
from clinrag_core.errors import EncoderError
from clinrag_core.settings import SparseSettings

TEXTS = ["isoniazid daily", "rifampin for four months with food", "x"]


def encoder(folder: Path, **more: object) -> SpladeEncoder:
    return SpladeEncoder(SparseSettings(name="splade", model=str(folder), **more))


def row(vectors: SparseVectors, i: int) -> dict[int, float]:
    span = slice(int(vectors.indptr[i]), int(vectors.indptr[i + 1]))
    return dict(zip(vectors.indices[span].tolist(), vectors.values[span].tolist(), strict=True))


def test_pooling_is_the_masked_maximum_of_log_one_plus_relu():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, (2, 4, 7)).astype(np.float32)
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]])
    found = splade_pool(torch.tensor(logits), torch.tensor(mask)).numpy()
    expected = (np.log1p(np.maximum(logits, 0)) * mask[:, :, None]).max(axis=1)
    assert found == pytest.approx(expected)


def test_the_maximum_before_the_logarithm_gives_the_same_bits():
    """Both are monotone; taking the maximum first costs one logarithm a term, not one a token."""
    logits = torch.tensor(np.random.default_rng(1).normal(0, 4, (3, 9, 50)).astype(np.float32))
    logits[0, 2] = -1.0
    mask = torch.tensor([[1] * 9, [1] * 5 + [0] * 4, [1] + [0] * 8])
    defined = (torch.log1p(torch.relu(logits)) * mask.unsqueeze(-1)).max(dim=1).values
    assert torch.equal(splade_pool(logits, mask), defined)


def test_a_text_has_the_same_weights_alone_and_in_a_batch(tiny_splade: Path):
    found = encoder(tiny_splade)
    together = found.encode_documents([Passage("", text) for text in TEXTS])
    for i, text in enumerate(TEXTS):
        alone = row(found.encode_documents([Passage("", text)]), 0)
        assert row(together, i) == pytest.approx(alone, abs=1e-5)
        assert row(found.encode_query(text), 0) == pytest.approx(alone, abs=1e-6)


def test_rows_are_sorted_positive_and_without_special_tokens(tiny_splade: Path):
    found = encoder(tiny_splade)
    vectors = found.encode_documents([Passage("", text) for text in TEXTS])
    for i in range(len(TEXTS)):
        ids = list(row(vectors, i))
        assert ids == sorted(ids)
    assert (vectors.values > 0).all()
    assert not set(found._special) & set(vectors.indices.tolist())


def test_pruning_keeps_the_heaviest_terms(tiny_splade: Path):
    full = row(encoder(tiny_splade).encode_query(TEXTS[1]), 0)
    kept = row(encoder(tiny_splade, top_terms=5).encode_query(TEXTS[1]), 0)
    assert len(kept) == 5
    assert min(kept.values()) >= max(v for i, v in full.items() if i not in kept)


def test_pruning_breaks_ties_by_the_lower_id():
    ids, weights = prune(np.array([0, 1, 2, 1, 1], dtype=np.float32), 2)
    assert (ids.tolist(), weights.tolist()) == ([1, 2], [1, 2])


def test_inference_free_questions_weigh_each_token_once(tiny_splade: Path, tmp_path: Path):
    folder = tmp_path / "free"
    shutil.copytree(tiny_splade, folder)
    (folder / "idf.json").write_text(json.dumps({"a": 2.5, "b": 0.5, "nowhere": 9.0}))
    found = encoder(folder, inference_free=True)
    ids = {found._tokenizer.token_to_id(token): w for token, w in (("a", 2.5), ("b", 0.5))}
    assert row(found.encode_query("a b a a"), 0) == pytest.approx(ids)
    assert row(found.encode_query(""), 0) == {}


def test_a_model_without_segment_ids_encodes(tiny_encoder: Path, tmp_path: Path):
    """DistilBERT, which the inference-free models are, takes no token_type_ids."""
    folder = tmp_path / "distil"
    shutil.copytree(tiny_encoder, folder)
    config = DistilBertConfig(vocab_size=117, dim=32, n_layers=2, n_heads=2, hidden_dim=64)
    DistilBertForMaskedLM(config).save_pretrained(folder)
    assert len(encoder(folder).encode_query("isoniazid").indices)


def test_weights_without_the_language_model_head_are_refused(tiny_encoder: Path):
    """transformers would fill the head with random numbers."""
    with pytest.raises(EncoderError, match="lack cls"):
        encoder(tiny_encoder)


@pytest.mark.parametrize(
    ("module", "config"),
    [
        ("SparseStaticEmbedding", {}),
        ("SpladePooling", {"pooling_strategy": "sum"}),
        ("SpladePooling", {"activation_function": "log1p_relu"}),
    ],
)
def test_sparse_models_of_another_make_are_refused(
    tiny_splade: Path, tmp_path: Path, module: str, config: dict[str, str]
):
    folder = tmp_path / "sparse"
    shutil.copytree(tiny_splade, folder)
    stem = "sentence_transformers.sparse_encoder.models."
    modules = [
        {"idx": 0, "path": "", "type": f"{stem}MLMTransformer"},
        {"idx": 1, "path": "1_SpladePooling", "type": f"{stem}{module}"},
    ]
    (folder / "1_SpladePooling").mkdir()
    (folder / "1_SpladePooling" / "config.json").write_text(json.dumps(config))
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(EncoderError, match="is refused"):
        encoder(folder)


def test_missing_weights_name_the_model_and_the_way_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EncoderError, match="naver/splade-cocondenser-ensembledistil"):
        SpladeEncoder(SparseSettings(name="splade"))
    with pytest.raises(EncoderError, match="unknown sparse encoder"):
        SpladeEncoder(SparseSettings(name="magic"))
