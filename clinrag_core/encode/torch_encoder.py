"""Bulk encoding with torch, on CPU or GPU; also the reference the ONNX query encoder must equal."""

from __future__ import annotations

import inspect
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinrag_core.encode.bulk import (
    CPU_TOKENS,
    FIRST_GPU_TOKENS,
    MOST_GPU_TOKENS,
    TokenBudget,
    padded,
    prepared_batches,
    run_batches,
    run_on_cores,
)
from clinrag_core.encode.cpu_bf16 import WIDTH, bf16_model, fits_bf16
from clinrag_core.encode.device import physical_cores, resolve_device, resolve_precision
from clinrag_core.encode.layout import refuse_custom_code
from clinrag_core.encode.ledger import check_ledger
from clinrag_core.encode.packed import (
    BOUNDARIES,
    PACKED,
    PackedBert,
    fits_packing,
    packed,
)
from clinrag_core.encode.passage_tokens import PassageTokenizer, tokens_of
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.weights import encoder_fingerprint
from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tokenizers import Encoding

    from clinrag_core.encode.bulk import Layout, TokenBatch
    from clinrag_core.encode.device import Precision
    from clinrag_core.encode.passage_tokens import Tokens
    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.encode.registry import EncoderSpec
    from clinrag_core.settings import EncoderSettings


def load_model(
    folder: Path, device: str, kind: str = "AutoModel", precision: Precision = "fp32"
) -> Any:
    """Return a transformers model, ready to run; `kind` is the name of its auto class.

    Raises:
        EncoderError: no safetensors, another architecture, custom code, a file that is not the
            one that was fetched, or weights that lack a part the model needs, which transformers
            would fill with random numbers.
    """
    refuse_custom_code(folder)
    check_ledger(folder)
    import transformers
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    try:
        # By name: newer transformers load checkpoints in the precision they are stored in, and
        # half precision is a different fingerprint (and a hundred times slower on CPU).
        model, loading = getattr(transformers, kind).from_pretrained(
            str(folder),
            local_files_only=True,
            use_safetensors=True,
            dtype=DTYPES[precision],
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
    """Return the outputs of the tokenizer that a model takes; DistilBERT takes no segment ids."""
    parameters = inspect.signature(model.forward).parameters
    return [n for n in ("input_ids", "attention_mask", "token_type_ids") if n in parameters]


DTYPES: dict[Precision, str] = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
"""The names that torch has for precisions."""


class EncodingRun(NamedTuple):
    """How some passages were encoded, for the record."""

    device: str
    precision: Precision
    attention: str
    """The attention kernel: sdpa is torch's fused one, packed the one without padding."""
    passages: int
    seconds: float

    @property
    def passages_per_s(self) -> float:
        """Passages by second, tokenising included."""
        return self.passages / self.seconds if self.seconds else 0.0


class TorchEncoder:
    """A dense encoder run by torch; see `DenseEncoder` for the contract.

    Attributes:
        last_run: how the last call of `encode_passages` went; None before the first.
    """

    def __init__(self, spec: EncoderSpec, settings: EncoderSettings) -> None:
        passage_folder = model_folder(spec.passage_model, spec.package)
        query_folder = model_folder(spec.query_model, spec.package)
        self.spec = spec
        self.name = spec.name
        self.similarity = settings.similarity
        self.fingerprint = encoder_fingerprint(spec, settings)
        self.normalise = spec.normalise or settings.similarity == "cosine"
        self.device = resolve_device(settings.device)
        self.precision: Precision = resolve_precision(settings)
        self.last_run: EncodingRun | None = None
        self.passages_truncated = 0
        self.queries_truncated = 0
        self._budget = _budget(settings.batch_tokens, self.device)
        # A CPU computes in bf16 with weights in fp32; the kernels of a GPU want all in half.
        weights = self.precision if self.device == "cuda" else "fp32"
        self.passage_model = load_model(passage_folder, self.device, precision=weights)
        self.query_model = (
            self.passage_model
            if query_folder == passage_folder and weights == "fp32"
            else load_model(query_folder, self.device)
        )
        self._layout = self._choose_layout(weights)
        self._passage_tokenizer = PassageTokenizer(load_tokenizer(passage_folder), spec)
        self.query_tokenizer = load_tokenizer(query_folder)
        self.query_tokenizer.enable_truncation(spec.query_max_tokens)
        self.dimension = int(self.passage_model.config.hidden_size)

    def _choose_layout(self, weights: Precision) -> Layout:
        """Pack passages where there is a kernel for it, else pad them; prepare the model for it."""
        if self.device == "cpu":
            if self.precision != "bf16" or not fits_bf16(self.passage_model):
                return padded
            self.passage_model = bf16_model(self.passage_model)
            return partial(padded, multiple=WIDTH)
        if weights == "fp32" or not fits_packing(self.passage_model):
            return partial(padded, pinned=True)
        self.passage_model = PackedBert(self.passage_model, self.spec.pooling)
        return packed

    def tokens(self, passages: Sequence[Passage]) -> list[Tokens]:
        """Token ids of passages, cut at the limit; counts those that were cut."""
        found = self._passage_tokenizer(passages)
        self.passages_truncated = self._passage_tokenizer.truncated
        return found

    def _run_on_cpu(
        self, batches: Iterable[TokenBatch], on_batch: Callable[[Sequence[int], Vectors], None]
    ) -> None:
        """Encode batches, one on each physical core, with one thread of torch for each."""
        import torch

        def enter() -> None:
            """Set autocast for a thread: as a context it would cast weights once a batch."""
            torch.set_autocast_enabled("cpu", self.precision == "bf16")
            torch.set_autocast_dtype("cpu", torch.bfloat16)

        def encode(batch: TokenBatch) -> Vectors:
            with torch.inference_mode():
                return self._pooled(self.passage_model, batch.inputs, batch.longest).numpy()

        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            run_on_cores(batches, encode, physical_cores(), on_batch, enter)
        finally:
            torch.set_num_threads(before)
            torch.clear_autocast_cache()

    def _start(self, batch: TokenBatch) -> Callable[[], Vectors]:
        """Start a batch on the GPU and return a function that waits for its vectors.

        The first batches find what fits.
        """
        import torch

        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        inputs = {n: t.to(self.device, non_blocking=True) for n, t in batch.inputs.items()}
        pooled = self._pooled(self.passage_model, inputs, batch.longest)
        if self._budget.may_grow_after(batch.tokens):
            cached = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
            free = torch.cuda.mem_get_info()[0] + cached
            self._budget.grow(torch.cuda.max_memory_allocated() - before, free)
        copied = pooled.to("cpu", non_blocking=True)
        done = torch.cuda.Event()
        done.record()

        def read() -> Vectors:
            done.synchronize()
            return copied.numpy()

        return read

    def _pooled(self, model: Any, inputs: Mapping[str, Any], longest: int) -> Any:
        """Return the vectors of a batch, float32, on the device; `longest` passage in tokens."""
        if BOUNDARIES in inputs:
            pooled = model(**inputs, longest=longest)
            return normalised(pooled) if self.normalise else pooled
        hidden = model(**{n: inputs[n] for n in accepted_inputs(model)}).last_hidden_state
        mask = inputs["attention_mask"]
        return pool(hidden.float(), mask, self.spec.pooling, normalise=self.normalise)

    def encode_passages(
        self,
        passages: Sequence[Passage],
        on_batch: Callable[[Sequence[int], Vectors], None] | None = None,
    ) -> Vectors:
        """See `DenseEncoder.encode_passages`; in the precision of the settings.

        Raises:
            EncoderError: a vector is not finite, as when a number is too large for fp16.
        """
        import torch

        vectors = np.zeros((len(passages), self.dimension), dtype=np.float32)

        def store(positions: Sequence[int], encoded: Vectors) -> None:
            if not np.isfinite(encoded).all():
                raise EncoderError(
                    f"encoder {self.name!r} gives vectors that are not finite in {self.precision}: "
                    "name another encoder.precision"
                )
            vectors[positions] = encoded
            if on_batch is not None:
                on_batch(positions, encoded)

        batches = prepared_batches(
            len(passages),
            lambda start, end: self.tokens(passages[start:end]),
            self._budget,
            self._layout,
        )
        started = time.perf_counter()
        if self.device == "cpu":
            self._run_on_cpu(batches, store)
        else:
            with torch.inference_mode():
                run_batches(batches, self._start, self._budget, store, torch.cuda.empty_cache)
        self.last_run = EncodingRun(
            self.device,
            self.precision,
            self._attention,
            len(passages),
            time.perf_counter() - started,
        )
        return vectors

    @property
    def _attention(self) -> str:
        """Name of the attention kernel."""
        if self._layout is packed:
            return PACKED
        return str(getattr(self.passage_model.config, "_attn_implementation", "unknown"))

    def encode_query(self, text: str) -> Vectors:
        """See `QueryEncoder.encode_query`; in fp32, as ONNX Runtime does."""
        import torch

        encoding = self.query_tokenizer.encode(self.spec.query_prompt + text)
        self.queries_truncated += bool(encoding.overflowing)
        with torch.inference_mode():
            inputs = model_inputs([encoding], self.device)
            pooled = self._pooled(self.query_model, inputs, len(encoding))
        return pooled.cpu().numpy()[0]


def _budget(tokens: int | None, device: str) -> TokenBudget:
    """Return the padded tokens of a batch: those of the settings, else what suits the device."""
    if tokens is not None:
        return TokenBudget(tokens)
    if device == "cuda":
        return TokenBudget(FIRST_GPU_TOKENS, MOST_GPU_TOKENS)
    return TokenBudget(CPU_TOKENS)


def model_inputs(encodings: Sequence[Encoding], device: str) -> dict[str, Any]:
    """Padded input ids, attention mask and segment ids of a batch, `(batch, widest)` each."""
    return {
        name: values.to(device)
        for name, values in padded([tokens_of(e) for e in encodings]).items()
    }


def pool(hidden: Any, mask: Any, pooling: str, *, normalise: bool) -> Any:
    """Pool token states `(batch, tokens, dim)` to `(batch, dim)` by CLS or the masked mean."""
    if pooling == "cls":
        pooled = hidden[:, 0]
    else:
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
    return normalised(pooled) if normalise else pooled


def normalised(vectors: Any) -> Any:
    """Vectors of length 1, `(batch, dim)`."""
    import torch

    return torch.nn.functional.normalize(vectors, p=2, dim=1)


def load_encoder(settings: EncoderSettings) -> TorchEncoder:
    """Load the profile's dense encoder.

    Raises:
        EncoderError: unknown name, weights missing or altered, no such device.
    """
    return TorchEncoder(encoder_spec(settings), settings)
