"""Models by folder: what sentence-transformers says of them is followed or refused, not guessed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, DistilBertConfig, DistilBertModel

from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.onnx_query import OnnxQueryEncoder, export_query_encoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import encoder_spec
from clinrag_core.encode.tokenizer import load_tokenizer, tokenizer_sha256
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.errors import EncoderError
from clinrag_core.settings import EncoderSettings

TEXT = "isoniazid 300 mg daily for adults"
OLD = "sentence_transformers.models."
NEW = "sentence_transformers.sentence_transformer.modules.pooling."


class Folder:
    """A sentence-transformers folder around the tiny encoder; change it and write it again."""

    def __init__(self, source: Path, path: Path) -> None:
        shutil.copytree(source, path)
        self.path = path
        self.modules = [f"{OLD}Transformer", f"{OLD}Pooling", f"{OLD}Normalize"]
        self.pooling: dict[str, Any] = {"pooling_mode_mean_tokens": True}
        self.options: dict[str, Any] = {}
        self.bert: dict[str, Any] = {"max_seq_length": 64, "do_lower_case": False}

    def settings(self, **more: Any) -> EncoderSettings:
        """Write the files; settings that name the folder."""
        paths = ["", "1_Pooling", "2_Normalize"]
        modules = [
            {"idx": i, "name": str(i), "path": path, "type": kind}
            for i, (path, kind) in enumerate(zip(paths, self.modules, strict=False))
        ]
        (self.path / "1_Pooling").mkdir(exist_ok=True)
        for name, value in (
            ("modules.json", modules),
            ("1_Pooling/config.json", self.pooling),
            ("config_sentence_transformers.json", self.options),
            ("sentence_bert_config.json", self.bert),
        ):
            (self.path / name).write_text(json.dumps(value))
        return EncoderSettings(name="own", model=str(self.path), **more)


@pytest.fixture
def folder(tiny_encoder: Path, tmp_path: Path) -> Folder:
    return Folder(tiny_encoder, tmp_path / "own")


def by_hand(path: Path, text: str, pooling: str) -> np.ndarray:
    """The vector of a text without any of the code under test."""
    ids = load_tokenizer(path).encode(text).ids
    with torch.inference_mode():
        states = AutoModel.from_pretrained(path)(torch.tensor([ids])).last_hidden_state[0]
    vector = (states[0] if pooling == "cls" else states.mean(0)).numpy()
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode": "cls", "include_prompt": True}, "cls"),
        ({"pooling_mode": "mean"}, "mean"),
    ],
)
def test_pooling_prompts_and_limit_are_those_of_the_folder(
    folder: Folder, config: dict[str, Any], pooling: str, tmp_path: Path
):
    """In torch and in the export that answers questions."""
    folder.pooling = config
    folder.modules[1] = f"{NEW}Pooling"
    folder.options = {"prompts": {"query": "test : ", "document": "mg : "}}
    encoder = load_encoder(folder.settings())
    assert (encoder.spec.pooling, encoder.spec.max_tokens) == (pooling, 64)
    passage = encoder.encode_passages([Passage("", TEXT)])[0]
    query = encoder.encode_query(TEXT)
    assert passage == pytest.approx(by_hand(folder.path, f"mg : {TEXT}", pooling), abs=1e-5)
    assert query == pytest.approx(by_hand(folder.path, f"test : {TEXT}", pooling), abs=1e-5)
    exported = OnnxQueryEncoder(export_query_encoder(encoder, tmp_path / "models"))
    assert exported.encode_query(TEXT) == pytest.approx(query, abs=1e-5)


def test_settings_replace_prompts_and_give_another_fingerprint(folder: Folder):
    folder.options = {"prompts": {"query": "test : "}}
    own, other = load_encoder(folder.settings()), load_encoder(folder.settings(query_prompt=""))
    assert other.encode_query(TEXT) == pytest.approx(by_hand(folder.path, TEXT, "mean"), abs=1e-5)
    assert own.fingerprint != other.fingerprint


def test_vectors_are_those_of_sentence_transformers(folder: Folder):
    st = pytest.importorskip("sentence_transformers")
    folder.pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    folder.pooling["word_embedding_dimension"] = 32
    folder.options = {"prompts": {"query": "test : ", "document": ""}}
    encoder = load_encoder(folder.settings())
    peer = st.SentenceTransformer(str(folder.path), device="cpu")
    assert encoder.encode_query(TEXT) == pytest.approx(peer.encode_query(TEXT), abs=1e-5)
    mine = encoder.encode_passages([Passage("", TEXT)])[0]
    assert mine == pytest.approx(peer.encode_document(TEXT), abs=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"modules": [f"{OLD}Transformer", f"{OLD}Pooling", f"{OLD}Dense"]}, "Dense"),
        ({"modules": [f"{OLD}Transformer", "my_code.Pooling"]}, "code of its own"),
        ({"modules": [f"{OLD}Transformer"]}, "its modules are Transformer;"),
        ({"pooling": {"pooling_mode_max_tokens": True}}, "pooling is max"),
        ({"pooling": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}}, r"\+"),
        ({"pooling": {"pooling_mode": "lasttoken"}}, "lasttoken"),
        ({"pooling": {}}, "pooling is none"),
        ({"bert": {"do_lower_case": True}}, "do_lower_case"),
        ({"bert": {"transformer_task": "fill-mask"}}, "fill-mask"),
        ({"options": {"similarity_fn_name": "euclidean"}}, "euclidean"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_the_reason(
    folder: Folder, change: dict[str, Any], message: str
):
    for name, value in change.items():
        setattr(folder, name, value)
    with pytest.raises(EncoderError, match=message):
        encoder_spec(folder.settings())


def test_a_prompt_that_pooling_leaves_out_is_refused(folder: Folder):
    folder.options = {"prompts": {"query": "test : "}}
    folder.pooling = {"pooling_mode": "mean", "include_prompt": False}
    with pytest.raises(EncoderError, match="include_prompt"):
        encoder_spec(folder.settings())


def test_a_model_for_dot_products_needs_them_named(folder: Folder):
    folder.modules.pop()
    folder.options = {"similarity_fn_name": "dot"}
    with pytest.raises(EncoderError, match=r"encoder\.similarity = 'dot'"):
        encoder_spec(folder.settings())
    vector = load_encoder(folder.settings(similarity="dot")).encode_query(TEXT)
    assert abs(np.linalg.norm(vector) - 1) > 0.01, "not normalised"


def test_a_plain_folder_needs_its_pooling_named(tiny_encoder: Path):
    settings = EncoderSettings(name="own", model=str(tiny_encoder))
    with pytest.raises(EncoderError, match=r"set encoder\.pooling to 'mean' or 'cls'"):
        encoder_spec(settings)
    encoder = load_encoder(settings.model_copy(update={"pooling": "cls"}))
    assert encoder.encode_query(TEXT) == pytest.approx(by_hand(tiny_encoder, TEXT, "cls"), abs=1e-5)


def test_settings_that_contradict_the_folder_are_refused(folder: Folder):
    with pytest.raises(EncoderError, match="must agree"):
        encoder_spec(folder.settings(pooling="cls"))
    with pytest.raises(EncoderError, match="takes 512 at most"):
        encoder_spec(folder.settings(max_tokens=600))


def test_a_folder_with_a_vocabulary_alone_has_the_same_tokenizer(
    tiny_encoder: Path, tmp_path: Path
):
    """BiomedBERT is published without tokenizer.json."""
    path = tmp_path / "vocab"
    shutil.copytree(tiny_encoder, path)
    vocabulary = load_tokenizer(path).get_vocab()
    (path / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match="holds no tokenizer"):
        load_tokenizer(path)
    (path / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)))
    found, expected = load_tokenizer(path).encode(TEXT), load_tokenizer(tiny_encoder).encode(TEXT)
    assert (found.ids, found.type_ids) == (expected.ids, expected.type_ids)
    assert tokenizer_sha256(path) == tokenizer_sha256(path)
    settings = EncoderSettings(name="own", model=str(path), pooling="mean")
    vector = load_encoder(settings).encode_query(TEXT)
    assert vector == pytest.approx(by_hand(tiny_encoder, TEXT, "mean"), abs=1e-5)


def test_a_model_without_segment_ids_is_encoded_and_exported(tiny_encoder: Path, tmp_path: Path):
    path = tmp_path / "distil"
    shutil.copytree(tiny_encoder, path)
    config = DistilBertConfig(vocab_size=117, dim=32, n_layers=2, n_heads=2, hidden_dim=64)
    DistilBertModel(config).save_pretrained(path)
    encoder = load_encoder(EncoderSettings(name="own", model=str(path), pooling="mean"))
    vector = encoder.encode_query(TEXT)
    assert vector == pytest.approx(by_hand(path, TEXT, "mean"), abs=1e-5)
    exported = OnnxQueryEncoder(export_query_encoder(encoder, tmp_path / "models"))
    assert exported.encode_query(TEXT) == pytest.approx(vector, abs=1e-5)


def test_custom_code_and_folders_without_a_model_are_refused(tiny_encoder: Path, tmp_path: Path):
    path = tmp_path / "custom"
    shutil.copytree(tiny_encoder, path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "a.B"}}))
    with pytest.raises(EncoderError, match="code of its own"):
        encoder_spec(EncoderSettings(name="own", model=str(path), pooling="mean"))
    (path / "config.json").unlink()
    with pytest.raises(EncoderError, match=r"no config\.json"):
        encoder_spec(EncoderSettings(name="own", model=str(path), pooling="mean"))


def test_an_encoder_is_no_reranker(tiny_encoder: Path):
    """transformers would fill the missing head with random numbers and rank at random."""
    with pytest.raises(EncoderError, match="lack classifier"):
        CrossEncoder(str(tiny_encoder))
