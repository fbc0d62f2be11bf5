"""Bulk encoding with torch, on CPU or GPU; also the reference the ONNX query encoder must equal."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.encode.layout import refuse_custom_code
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.weights import encoder_fingerprint
from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tokenizers import Encoding

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.encode.registry import EncoderSpec
    from clinrag_core.settings import EncoderSettings


def batches_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Positions in batches of similar length whose padded size stays within a token budget.

    Longest first, so that memory peaks at once. Sorting makes padding, and so time, almost vanish
    on mixed lengths. A single text over the budget is a batch of its own.
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        widest = lengths[batch[0]] if batch else lengths[position]
        if batch and widest * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def load_model(folder: Path, device: str, kind: str = "AutoModel") -> Any:
    """A transformers model in fp32, ready to run; `kind` is the name of its auto class.

    Raises:
        EncoderError: no safetensors, another architecture, custom code, or weights that lack a
            part the model needs, which transformers would fill with random numbers.
    """
    refuse_custom_code(folder)
    import torch
    import transformers
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    try:
        # fp32 by name: newer transformers load half-precision checkpoints as they are stored, and
        # half precision is a different fingerprint (and a hundred times slower on CPU).
        model, loading = getattr(transformers, kind).from_pretrained(
            str(folder),
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (OSError, ValueError, KeyError) as error:
        raise EncoderError(f"{folder.name} cannot be loaded as an encoder: {error}") from error
    # A pooler is never used: `pool` replaces it.
    if absent := sorted(n for n in loading["missing_keys"] if not n.startswith("pooler.")):
        raise EncoderError(
            f"the weights in {folder} lack {absent[0]} ({len(absent)} in all): they are not those "
            f"of a model of this kind ({kind})"
        )
    return model.eval().to(device)


def accepted_inputs(model: Any) -> list[str]:
    """Which of the tokenizer's outputs a model takes; DistilBERT and MPNet take no segment ids."""
    parameters = inspect.signature(model.forward).parameters
    return [n for n in ("input_ids", "attention_mask", "token_type_ids") if n in parameters]


def resolve_device(device: str) -> str:
    """`cuda` or `cpu`; `auto` takes a GPU if there is one.

    Raises:
        EncoderError: the setting is `cuda` and there is no GPU.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise EncoderError("encoder.device is 'cuda' but this machine has no usable CUDA device")
    return device


class TorchEncoder:
    """A dense encoder run by torch; see `DenseEncoder` for the contract."""

    def __init__(self, spec: EncoderSpec, settings: EncoderSettings) -> None:
        passage_folder = model_folder(spec.passage_model, spec.package)
        query_folder = model_folder(spec.query_model, spec.package)
        self.spec = spec
        self.name = spec.name
        self.similarity = settings.similarity
        self.fingerprint = encoder_fingerprint(spec, settings.similarity)
        self.normalise = spec.normalise or settings.similarity == "cosine"
        self.device = resolve_device(settings.device)
        self.passages_truncated = 0
        self.queries_truncated = 0
        self._budget = settings.batch_tokens
        self._passage_model = load_model(passage_folder, self.device)
        self.query_model = (
            self._passage_model
            if query_folder == passage_folder
            else load_model(query_folder, self.device)
        )
        self._passage_tokenizer = load_tokenizer(passage_folder)
        self.query_tokenizer = load_tokenizer(query_folder)
        self.query_tokenizer.enable_truncation(spec.query_max_tokens)
        self.dimension = int(self._passage_model.config.hidden_size)

    def _encodings(self, passages: Sequence[Passage]) -> list[Encoding]:
        """Token ids of passages, cut at the limit; counts those that were cut."""
        if self.spec.pair:
            inputs: list[Any] = [(p.title, p.text) for p in passages]
        else:
            inputs = [self.spec.passage_prompt + p.joined for p in passages]
        self._passage_tokenizer.no_truncation()
        full = self._passage_tokenizer.encode_batch(inputs)
        long = [i for i, encoding in enumerate(full) if len(encoding) > self.spec.max_tokens]
        if long:
            self.passages_truncated += len(long)
            self._passage_tokenizer.enable_truncation(self.spec.max_tokens)
            cut = self._passage_tokenizer.encode_batch([inputs[i] for i in long])
            for i, encoding in zip(long, cut, strict=True):
                full[i] = encoding
        return full

    def _forward(self, model: Any, encodings: Sequence[Encoding]) -> Vectors:
        import torch

        inputs = model_inputs(encodings, self.device)
        with torch.inference_mode():
            hidden = model(**{n: inputs[n] for n in accepted_inputs(model)}).last_hidden_state
            mask = inputs["attention_mask"]
            pooled = pool(hidden, mask, self.spec.pooling, normalise=self.normalise)
        return pooled.cpu().numpy().astype(np.float32, copy=False)

    def encode_passages(
        self,
        passages: Sequence[Passage],
        on_batch: Callable[[Sequence[int], Vectors], None] | None = None,
    ) -> Vectors:
        """See `DenseEncoder.encode_passages`."""
        vectors = np.zeros((len(passages), self.dimension), dtype=np.float32)
        encodings = self._encodings(passages)
        for batch in batches_by_length([len(e) for e in encodings], self._budget):
            encoded = self._forward(self._passage_model, [encodings[i] for i in batch])
            vectors[batch] = encoded
            if on_batch is not None:
                on_batch(batch, encoded)
        return vectors

    def encode_query(self, text: str) -> Vectors:
        """See `QueryEncoder.encode_query`."""
        encoding = self.query_tokenizer.encode(self.spec.query_prompt + text)
        self.queries_truncated += bool(encoding.overflowing)
        return self._forward(self.query_model, [encoding])[0]


def model_inputs(encodings: Sequence[Encoding], device: str) -> dict[str, Any]:
    """Padded input ids, attention mask and segment ids of a batch, `(batch, widest)` each."""
    import torch

    width = max(len(e) for e in encodings)

    def padded(rows: Sequence[Sequence[int]]) -> Any:
        return torch.tensor([[*r, *([0] * (width - len(r)))] for r in rows], device=device)

    return {
        "input_ids": padded([e.ids for e in encodings]),
        "attention_mask": padded([e.attention_mask for e in encodings]),
        "token_type_ids": padded([e.type_ids for e in encodings]),
    }


def pool(hidden: Any, mask: Any, pooling: str, *, normalise: bool) -> Any:
    """Pool token states `(batch, tokens, dim)` to `(batch, dim)` by CLS or the masked mean."""
    import torch

    if pooling == "cls":
        pooled = hidden[:, 0]
    else:
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
    return torch.nn.functional.normalize(pooled, p=2, dim=1) if normalise else pooled


def load_encoder(settings: EncoderSettings) -> TorchEncoder:
    """Load the profile's dense encoder.

    Raises:
        EncoderError: unknown name, weights missing or altered, no such device.
    """
    return TorchEncoder(encoder_spec(settings), settings)
