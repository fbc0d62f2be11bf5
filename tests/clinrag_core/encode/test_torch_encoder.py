from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.encode.bulk import batches_by_length
from clinrag_core.encode.onnx_query import (
    OnnxQueryEncoder,
    export_problem,
    export_query_encoder,
)
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.settings import EncoderSettings

PASSAGES = [
    Passage("Isoniazid › Dosage", "300 mg once daily for six months"),
    Passage("Rifampin › Dosage", "600 mg"),
    Passage("", "treatment of pneumonia in children " * 20),
]


@given(st.lists(st.integers(1, 300), max_size=80), st.integers(64, 2048))
def test_batches_cover_every_position_once_within_the_token_budget(lengths: list[int], budget: int):
    batches = list(batches_by_length(lengths, budget))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        widest = max(lengths[i] for i in batch)
        assert len(batch) == 1 or widest * len(batch) <= budget


def settings_for(folder: Path, name: str = "tiny", **more: object) -> EncoderSettings:
    own = {"pooling": "mean"} if name == "tiny" else {}
    return EncoderSettings.model_validate({"name": name, "model": str(folder), **own, **more})


def test_vectors_are_normalised_and_do_not_depend_on_batching(tiny_encoder: Path):
    small = load_encoder(settings_for(tiny_encoder, batch_tokens=64))
    large = load_encoder(settings_for(tiny_encoder, batch_tokens=4096))
    one, other = small.encode_passages(PASSAGES), large.encode_passages(PASSAGES)
    np.testing.assert_allclose(one, other, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
    assert one.dtype == np.float32


def test_mean_pooling_is_the_mean_of_the_token_states(tiny_encoder: Path):
    import torch
    from transformers import AutoModel

    encoder = load_encoder(settings_for(tiny_encoder))
    model = AutoModel.from_pretrained(tiny_encoder).eval()
    ids = encoder.query_tokenizer.encode("isoniazid 300 mg daily").ids
    with torch.no_grad():
        states = model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
    expected = states.mean(axis=0)
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(encoder.encode_query("isoniazid 300 mg daily"), expected, atol=1e-5)


def test_medcpt_encodes_pairs_by_cls_with_two_models(tiny_medcpt: Path):
    import torch
    from transformers import AutoModel

    encoder = load_encoder(settings_for(tiny_medcpt, name="medcpt", similarity="dot"))
    assert (encoder.spec.max_tokens, encoder.spec.query_max_tokens) == (512, 64)
    article = AutoModel.from_pretrained(tiny_medcpt / "article-encoder").eval()
    pair = load_tokenizer(tiny_medcpt / "article-encoder").encode(*PASSAGES[0])
    assert set(pair.type_ids) == {0, 1}
    with torch.no_grad():
        states = article(
            input_ids=torch.tensor([pair.ids]), token_type_ids=torch.tensor([pair.type_ids])
        ).last_hidden_state[0]
    vectors = encoder.encode_passages(PASSAGES[:1])
    np.testing.assert_allclose(vectors[0], states[0].numpy(), atol=1e-5)
    query = encoder.encode_query("isoniazid dose")
    assert not np.allclose(query, encoder.encode_passages([Passage("", "isoniazid dose")])[0])


def test_passages_over_the_limit_are_cut_and_counted(tiny_medcpt: Path):
    encoder = load_encoder(settings_for(tiny_medcpt, name="medcpt"))
    encoder.encode_passages([Passage("Isoniazid", "daily " * 900), PASSAGES[0]])
    assert encoder.passages_truncated == 1


def test_the_onnx_query_encoder_gives_the_vectors_torch_gives(tiny_medcpt: Path, tmp_path: Path):
    encoder = load_encoder(settings_for(tiny_medcpt, name="medcpt"))
    folder = export_query_encoder(encoder, tmp_path)
    exported = OnnxQueryEncoder(folder)
    assert exported.fingerprint == encoder.fingerprint == folder.name
    for text in ("isoniazid", "dose of rifampin in children", "tuberculosis " * 200):
        np.testing.assert_allclose(
            exported.encode_query(text), encoder.encode_query(text), atol=1e-5
        )


def test_questions_over_the_limit_are_cut_and_counted(tiny_medcpt: Path, tmp_path: Path):
    encoder = load_encoder(settings_for(tiny_medcpt, name="medcpt"))
    exported = OnnxQueryEncoder(export_query_encoder(encoder, tmp_path))
    for each in (encoder, exported):
        before = each.queries_truncated
        each.encode_query("isoniazid dose")
        each.encode_query("daily " * 65)
        assert each.queries_truncated == before + 1


@pytest.mark.parametrize("name", ["model.onnx", "model.weights", "tokenizer.json"])
def test_a_damaged_export_is_noticed_and_made_again(tiny_encoder: Path, tmp_path: Path, name: str):
    encoder = load_encoder(settings_for(tiny_encoder))
    folder = export_query_encoder(encoder, tmp_path)
    assert export_problem(folder) is None
    file = folder / name
    file.write_bytes(file.read_bytes()[:-2] + b"}}")
    assert name in (export_problem(folder) or "")
    export_query_encoder(encoder, tmp_path)
    assert export_problem(folder) is None


def test_minilm_ranks_the_right_passage_first():
    encoder = load_encoder(EncoderSettings(name="minilm"))
    vectors = encoder.encode_passages(
        [
            Passage("Isoniazid › Dosage", "Adults take 300 mg once a day by mouth."),
            Passage("Isoniazid › How supplied", "Bottles of 100 white tablets."),
        ]
    )
    scores = vectors @ encoder.encode_query("what dose of isoniazid for an adult")
    assert scores[0] > scores[1] + 0.1
    assert encoder.dimension == 384
