"""Sparse encoding: the formula, its invariances, what happens without weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

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


def test_missing_weights_name_the_model_and_the_way_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EncoderError, match="naver/splade-cocondenser-ensembledistil"):
        SpladeEncoder(SparseSettings(name="splade"))
    with pytest.raises(EncoderError, match="unknown sparse encoder"):
        SpladeEncoder(SparseSettings(name="magic"))
