"""Models fetched from a hub that has MedCPT's layout, with tiny random weights."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from fakes.hub import FakeHub
from safetensors.torch import load_file
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.fetch import convert_weights, fetch_model, models_of
from clinrag_core.encode.ledger import check_ledger
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.errors import EncoderError
from clinrag_core.settings import EncoderSettings

ARTICLE, QUERY = "ncbi/MedCPT-Article-Encoder", "ncbi/MedCPT-Query-Encoder"
CROSS = "ncbi/MedCPT-Cross-Encoder"


def pickled(source: Path, folder: Path) -> Path:
    """A copy of a model folder whose weights exist only as a pickle."""
    shutil.copytree(source, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    (folder / "README.md").write_text("A model card, which is not fetched.")
    return folder


@pytest.fixture
def hub(
    tiny_medcpt: Path, tiny_reranker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeHub]:
    """A hub with both encoders, one of them pickled, and the cross-encoder."""
    fake = FakeHub()
    fake.add(ARTICLE, pickled(tiny_medcpt / "article-encoder", tmp_path / "article"))
    fake.add(QUERY, tiny_medcpt / "query-encoder")
    fake.add(CROSS, pickled(tiny_reranker, tmp_path / "cross"))
    monkeypatch.setenv("HF_ENDPOINT", fake.url)
    monkeypatch.setenv("CLINRAG_MODELS", str(tmp_path / "models"))
    yield fake
    fake.stop()


def test_one_command_makes_every_model_of_medcpt_ready(hub: FakeHub, tiny_medcpt: Path):
    done = CliRunner().invoke(app, ["models", "fetch", "medcpt", "medcpt-cross-encoder"])
    assert done.exit_code == 0, done.output
    for name in (ARTICLE, QUERY, CROSS):
        assert f"{name}@{hub.commit(name)}" in done.output
    assert done.output.count("converted from a pickle") == 2
    fetched = load_encoder(EncoderSettings(name="medcpt"))
    original = load_encoder(EncoderSettings(name="medcpt", model=str(tiny_medcpt)))
    passages = [Passage("Isoniazid", "300 mg once daily"), Passage("", "tuberculosis")]
    np.testing.assert_array_equal(
        fetched.encode_passages(passages), original.encode_passages(passages)
    )
    np.testing.assert_array_equal(fetched.encode_query("dose"), original.encode_query("dose"))
    scores = CrossEncoder("medcpt-cross-encoder").score("dose", passages, should_stop=lambda: False)
    assert np.isfinite(scores).all()
    models = Path(os.environ["CLINRAG_MODELS"])
    assert not list(models.rglob("*.bin"))
    assert not list(models.rglob("README.md"))
    checked = CliRunner().invoke(app, ["models", "check"])
    assert checked.output.count("files as fetched") == 3


def test_what_is_fetched_is_not_downloaded_again(hub: FakeHub, tmp_path: Path):
    folder, ledger = fetch_model(QUERY, tmp_path / "models")
    asked = len(hub.requests)
    assert fetch_model(f"{QUERY}@{ledger.commit}", tmp_path / "models") == (folder, ledger)
    assert len(hub.requests) == asked
    with pytest.raises(EncoderError, match="there already at commit"):
        fetch_model(f"{QUERY}@{'0' * 40}", tmp_path / "models")


def test_an_interrupted_download_goes_on_where_it_ended(hub: FakeHub, tmp_path: Path):
    hub.repositories[QUERY]["large.txt"] = bytes(24 * 2**20)
    hub.cut["large.txt"] = 15 * 2**20  # the client keeps whole pieces of 10 MiB
    folder, ledger = fetch_model(QUERY, tmp_path / "models")
    ranges = [sent for _, path, sent in hub.requests if path.endswith("large.txt") and sent]
    assert ranges == [f"bytes={10 * 2**20}-"]
    assert check_ledger(folder) == ledger


def test_a_download_that_failed_is_begun_again_by_the_same_command(hub: FakeHub, tmp_path: Path):
    hub.altered.add("config.json")
    with pytest.raises(EncoderError, match="config"):
        fetch_model(QUERY, tmp_path / "models")
    hub.altered.clear()
    hub.requests.clear()
    fetch_model(QUERY, tmp_path / "models")
    downloaded = {path.rpartition("/")[2] for method, path, _ in hub.requests if method == "GET"}
    assert "config.json" in downloaded
    assert "model.safetensors" not in downloaded  # was sound the first time


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_a_file_that_is_not_the_one_the_hub_states_is_refused(
    hub: FakeHub, tmp_path: Path, file: str
):
    hub.altered.add(file)
    with pytest.raises(EncoderError, match=file):
        fetch_model(QUERY, tmp_path / "models")
    assert not (tmp_path / "models" / QUERY.replace("/", "--")).exists()


def test_a_file_that_changes_later_is_not_loaded(hub: FakeHub, tmp_path: Path):
    for model in models_of("medcpt"):
        fetch_model(model, tmp_path / "models")
    config = tmp_path / "models" / QUERY.replace("/", "--") / "config.json"
    config.write_text(config.read_text() + " ")
    with pytest.raises(EncoderError, match=r"config\.json .* not the file that was fetched"):
        load_encoder(EncoderSettings(name="medcpt"))


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path):
    class Runs:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    torch.save({"weight": Runs()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(EncoderError, match="cannot be converted"):
        convert_weights(tmp_path / "pytorch_model.bin", tmp_path / "model.safetensors")
    assert not (tmp_path / "ran").exists()


def test_tensors_that_share_memory_are_converted(tmp_path: Path):
    table = torch.arange(12.0).reshape(3, 4)
    torch.save({"a": table, "b": table, "c": table.T}, tmp_path / "pytorch_model.bin")
    for name in ("one", "two"):
        convert_weights(tmp_path / "pytorch_model.bin", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert torch.equal(load_file(tmp_path / "one")["c"], table.T)


def test_a_model_that_does_not_exist_is_named(hub: FakeHub, tmp_path: Path):
    with pytest.raises(EncoderError, match="owner/nothing cannot be downloaded"):
        fetch_model("owner/nothing", tmp_path / "models")


def test_names_are_of_the_registry_or_of_the_hub():
    assert models_of("medcpt") == [ARTICLE, QUERY]
    assert models_of("medcpt-cross-encoder") == [CROSS]
    with pytest.raises(EncoderError, match="neither"):
        models_of("../somewhere")


def test_vectors_are_those_of_the_model_cards_recipe(tiny_medcpt: Path):
    """[CLS] of the last hidden state; [title, text] pairs to 512 tokens, questions to 64."""
    from transformers import AutoModel, AutoTokenizer

    articles = [
        ["Isoniazid › Dosage", "300 mg once daily for six months"],
        ["Rifampin", "tuberculosis " * 700],
        ["a long title " * 300, "tuberculosis " * 300],
        ["", "pneumonia in children"],
    ]
    questions = ["dose of isoniazid in adults", "tuberculosis " * 90]
    settings = {"name": "medcpt", "model": str(tiny_medcpt), "similarity": "dot"}
    encoder = load_encoder(EncoderSettings.model_validate(settings))

    def recipe(part: str, texts: list, limit: int) -> np.ndarray:
        tokenizer = AutoTokenizer.from_pretrained(tiny_medcpt / part)
        tokenizer.pad_token = tokenizer.pad_token or "[PAD]"
        model = AutoModel.from_pretrained(tiny_medcpt / part).eval()
        with torch.no_grad():
            encoded = tokenizer(
                texts, truncation=True, padding=True, return_tensors="pt", max_length=limit
            )
            return model(**encoded).last_hidden_state[:, 0, :].numpy()

    expected = recipe("article-encoder", articles, 512)
    found = encoder.encode_passages([Passage(*article) for article in articles])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    expected = recipe("query-encoder", questions, 64)
    found = np.stack([encoder.encode_query(question) for question in questions])
    np.testing.assert_allclose(found, expected, atol=1e-5)
