"""What identifies an encoder: the bytes of its weights and everything that changes its vectors."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from clinrag_core.encode.device import resolve_precision
from clinrag_core.encode.registry import model_folder
from clinrag_core.errors import EncoderError
from clinrag_core.workspace import file_digest, fingerprint, read_json

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.encode.registry import EncoderSpec
    from clinrag_core.settings import EncoderSettings

ENCODER_CODE = "encode/1"


@lru_cache(maxsize=8)
def _sha256_file(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_digest(path)


def weights_sha256(folder: Path) -> str:
    """SHA-256 of a model's weights.

    Only safetensors are read: a pickled `.bin` can run code when it is loaded.

    Raises:
        EncoderError: there is no `model.safetensors`.
    """
    file = folder / "model.safetensors"
    if not file.is_file():
        raise EncoderError(
            f"{folder.name} holds no model.safetensors: `clinrag models fetch` converts weights "
            "(pickled ones are never loaded)"
        )
    stat = file.stat()
    return _sha256_file(file, stat.st_size, stat.st_mtime_ns)


def check_weights(spec: EncoderSpec, folder: Path) -> str:
    """Return the sha256 of the weights in a folder, checked against the registry's if it names one.

    Raises:
        EncoderError: the weights are not the ones the registry names.
    """
    sha256 = weights_sha256(folder)
    if spec.weights_sha256 is not None and sha256 != spec.weights_sha256:
        raise EncoderError(
            f"the weights of encoder {spec.name!r} are not the expected ones: sha256 {sha256}, "
            f"expected {spec.weights_sha256}"
        )
    return sha256


def model_dimension(folder: Path) -> int:
    """Length of a model's vectors, without loading it.

    Raises:
        EncoderError: its config names no size.
    """
    config: Any = read_json(folder / "config.json")
    size = config.get("hidden_size", config.get("dim"))  # DistilBERT's name for it
    if not isinstance(size, int):
        raise EncoderError(f"{folder.name}/config.json names no hidden_size")
    return size


def encoder_fingerprint(spec: EncoderSpec, settings: EncoderSettings) -> str:
    """Return the fingerprint of all that decides an encoder's vectors, without loading it.

    Similarity and precision come from the settings.

    Raises:
        EncoderError: weights missing or not the expected ones.
    """
    hashes = [
        check_weights(spec, model_folder(model, spec.package))
        for model in dict.fromkeys((spec.passage_model, spec.query_model))
    ]
    similarity = settings.similarity
    # Omitted if a model has none of them, so that older cached vectors stay valid.
    options = [spec.query_prompt, spec.passage_prompt, spec.normalise and similarity == "dot"]
    return fingerprint(
        ENCODER_CODE,
        spec.name,
        hashes,
        spec.pooling,
        spec.pair,
        [spec.max_tokens, spec.query_max_tokens],
        similarity,
        resolve_precision(settings),
        *(options if any(options) else ()),
    )
