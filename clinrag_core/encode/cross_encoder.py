"""Cross-encoders: a question and a passage read together, one score each.

Scores are the model's logits: the order means something, the scale does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.encode.device import resolve_device
from clinrag_core.encode.layout import token_limit
from clinrag_core.encode.registry import model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import accepted_inputs, load_model, model_inputs
from clinrag_core.errors import EncoderError, GpuNotAvailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Passage

MODELS = {
    "medcpt-cross-encoder": "ncbi/MedCPT-Cross-Encoder",
    "bge-reranker-base": "BAAI/bge-reranker-base",
    "ms-marco-minilm": "cross-encoder/ms-marco-MiniLM-L6-v2",
}
BATCH = 32
MAX_TOKENS = 512
"""Pairs that are scored at once, and the positions that the encoders of `MODELS` have."""


class CrossEncoder:
    """A reranker run by torch; see `Reranker` for the contract.

    `name` is one of `MODELS`, a hub id or a local folder; `require_gpu` refuses to run on a CPU,
    which takes seconds for a hundred pairs.

    Raises:
        GpuNotAvailableError: a GPU is required and there is none.
        EncoderError: weights missing, or a head with neither one nor two outputs.
    """

    def __init__(self, name: str, *, require_gpu: bool = False) -> None:
        self.name = name
        self._device = resolve_device("auto")
        if require_gpu and self._device != "cuda":
            raise GpuNotAvailableError("Reranker requires GPU")
        folder = model_folder(MODELS.get(name, name))
        self._model = load_model(folder, self._device, "AutoModelForSequenceClassification")
        self._tokenizer = load_tokenizer(folder)
        limit = token_limit(folder)
        self._tokenizer.enable_truncation(MAX_TOKENS if limit is None else min(limit, MAX_TOKENS))
        self._inputs = accepted_inputs(self._model)
        if self._model.config.num_labels not in (1, 2):
            raise EncoderError(f"{name} has {self._model.config.num_labels} outputs, not 1 or 2")

    def score(
        self, query: str, passages: Sequence[Passage], *, should_stop: Callable[[], bool]
    ) -> NDArray[np.float32]:
        """See `Reranker.score`; a head with two outputs scores by their difference."""
        import torch

        pairs = [(query, p.joined) for p in passages]
        encodings = self._tokenizer.encode_batch(pairs)
        order = sorted(range(len(pairs)), key=lambda i: (-len(encodings[i]), i))
        scores = np.zeros(len(pairs), dtype=np.float32)
        for start in range(0, len(order), BATCH):
            if should_stop():
                raise EncoderError(f"reranking with {self.name} was stopped")
            batch = order[start : start + BATCH]
            given = model_inputs([encodings[i] for i in batch], self._device)
            inputs = {name: given[name] for name in self._inputs}
            with torch.inference_mode():
                logits = self._model(**inputs).logits.float()
            column = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
            scores[batch] = column.cpu().numpy()
        if not np.isfinite(scores).all():
            raise EncoderError(f"reranker {self.name} gives scores that are not finite")
        return scores
