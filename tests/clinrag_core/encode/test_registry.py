import shutil
from pathlib import Path

import pytest

from clinrag_core.encode.registry import SPECS, encoder_spec, model_folder
from clinrag_core.encode.weights import check_weights, encoder_fingerprint, weights_sha256
from clinrag_core.errors import EncoderError
from clinrag_core.settings import EncoderSettings


def test_the_installed_minilm_has_the_expected_weights():
    spec = SPECS["minilm"]
    folder = model_folder(spec.passage_model, spec.package)
    assert check_weights(spec, folder) == spec.weights_sha256


def test_other_weights_under_minilms_name_are_refused(tiny_encoder: Path):
    """The package that carries them is not published by the model's authors."""
    with pytest.raises(EncoderError, match="not the expected ones"):
        check_weights(SPECS["minilm"], tiny_encoder)


def test_an_unknown_encoder_names_the_known_ones():
    with pytest.raises(EncoderError, match="minilm"):
        encoder_spec(EncoderSettings(name="nonsense"))


def test_missing_weights_name_the_model_and_the_ways_to_provide_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("CLINRAG_MODELS", str(tmp_path))
    with pytest.raises(EncoderError, match=r"ncbi/MedCPT-Article-Encoder.*CLINRAG_MODELS"):
        model_folder("ncbi/MedCPT-Article-Encoder")


def test_a_models_folder_provides_weights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_encoder: Path
):
    monkeypatch.setenv("CLINRAG_MODELS", str(tmp_path))
    shutil.copytree(tiny_encoder, tmp_path / "ncbi--MedCPT-Query-Encoder")
    assert model_folder("ncbi/MedCPT-Query-Encoder").name == "ncbi--MedCPT-Query-Encoder"


def test_pickled_weights_are_never_loaded(tmp_path: Path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"anything")
    with pytest.raises(EncoderError, match="safetensors"):
        weights_sha256(tmp_path)


def test_the_fingerprint_changes_with_limit_similarity_and_precision(tiny_encoder: Path):
    settings = EncoderSettings(name="tiny", model=str(tiny_encoder), pooling="mean")
    short = settings.model_copy(update={"max_tokens": 128})
    prints = {
        encoder_fingerprint(encoder_spec(one), one)
        for one in (
            settings,
            short,
            settings.model_copy(update={"similarity": "dot"}),
            settings.model_copy(update={"precision": "bf16"}),
        )
    }
    assert len(prints) == 4
