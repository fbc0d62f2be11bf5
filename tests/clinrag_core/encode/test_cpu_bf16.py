"""Passages in bf16 on a CPU get the vectors of autocast; questions and other models as before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from transformers import AutoModel

from clinrag_core.encode import cpu_bf16
from clinrag_core.encode.bulk import padded
from clinrag_core.encode.cpu_bf16 import fits_bf16
from clinrag_core.encode.device import cpu_has_bf16
from clinrag_core.encode.onnx_query import OnnxQueryEncoder, export_query_encoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import TorchEncoder, load_encoder
from clinrag_core.settings import EncoderSettings

PASSAGES = [Passage(f"Drug {n}", f"{n} mg once daily " * (n % 9 + 1)) for n in range(40)]
needs_bf16 = pytest.mark.skipif(not cpu_has_bf16(), reason="the processor has no bf16")


def encoder(folder: Path, precision: str = "bf16", **more: object) -> TorchEncoder:
    values = {"name": "tiny", "model": str(folder), "pooling": "mean", "device": "cpu", **more}
    return load_encoder(EncoderSettings.model_validate({**values, "precision": precision}))


@needs_bf16
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_passages_get_the_vectors_of_autocast(
    tiny_encoder: Path, pooling: str, monkeypatch: pytest.MonkeyPatch
):
    vectors = encoder(tiny_encoder, pooling=pooling).encode_passages(PASSAGES)
    monkeypatch.setattr(cpu_bf16, "cpu_has_bf16", lambda: False)
    autocast = encoder(tiny_encoder, pooling=pooling).encode_passages(PASSAGES)
    assert (vectors * autocast).sum(axis=1).min() > 0.999
    assert not np.array_equal(vectors, autocast)


@needs_bf16
def test_pairs_keep_their_segments(tiny_medcpt: Path, monkeypatch: pytest.MonkeyPatch):
    settings = EncoderSettings.model_validate(
        {"name": "medcpt", "model": str(tiny_medcpt), "precision": "bf16", "device": "cpu"}
    )
    vectors = load_encoder(settings).encode_passages(PASSAGES)
    monkeypatch.setattr(cpu_bf16, "cpu_has_bf16", lambda: False)
    autocast = load_encoder(settings).encode_passages(PASSAGES)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(autocast, axis=1)
    assert ((vectors * autocast).sum(axis=1) / lengths).min() > 0.999


@needs_bf16
def test_questions_and_their_export_stay_those_of_fp32(tiny_encoder: Path, tmp_path: Path):
    """Passages and questions share a model: layers replaced in it would change both."""
    exact, half = encoder(tiny_encoder, "fp32"), encoder(tiny_encoder)
    half.encode_passages(PASSAGES)
    text = "isoniazid 300 mg daily"
    np.testing.assert_array_equal(half.encode_query(text), exact.encode_query(text))
    folders = [export_query_encoder(each, tmp_path / each.precision) for each in (exact, half)]
    first, second = (OnnxQueryEncoder(folder).encode_query(text) for folder in folders)
    np.testing.assert_array_equal(first, second)


@needs_bf16
def test_weights_outside_of_the_layers_are_shared(tiny_encoder: Path):
    half = encoder(tiny_encoder)
    passages, questions = (m.embeddings for m in (half.passage_model, half.query_model))
    assert passages.word_embeddings.weight is questions.word_embeddings.weight


@pytest.mark.parametrize("processor", [True, False])
def test_other_models_and_processors_run_under_autocast(
    tiny_encoder: Path, processor: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cpu_bf16, "cpu_has_bf16", lambda: processor)
    model = AutoModel.from_pretrained(tiny_encoder)
    assert fits_bf16(model) == processor
    for name, value in [
        ("model_type", "distilbert"),
        ("hidden_act", "relu"),
        ("max_position_embeddings", 500),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(model.config, name, value)
            assert not fits_bf16(model)


def test_rows_are_filled_up_to_a_multiple_and_masked(tiny_encoder: Path):
    passages = encoder(tiny_encoder, "fp32").tokens(PASSAGES)
    inputs = padded(passages, multiple=16)
    assert inputs["input_ids"].shape == (40, -(-max(map(len, passages)) // 16) * 16)
    assert inputs["attention_mask"].sum(1).tolist() == [len(e) for e in passages]
    assert padded(passages)["input_ids"].shape[1] == max(map(len, passages))
