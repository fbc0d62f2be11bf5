"""SPLADE: passages and questions as weights of vocabulary terms, from a masked language model.

Weight of a term: max over the tokens of log(1 + ReLU(logit)) (Formal et al. 2021, SPLADE v2,
arXiv:2109.10086, eq. 6). Inference-free models encode a question by a table of token weights
instead (Geng et al. 2024, arXiv:2411.04403), without running the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.encode.bulk import batches_by_length
from clinrag_core.encode.device import resolve_device
from clinrag_core.encode.layout import token_limit
from clinrag_core.encode.protocol import Passage, SparseVectors
from clinrag_core.encode.registry import model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import accepted_inputs, load_model, model_inputs
from clinrag_core.encode.weights import weights_sha256
from clinrag_core.errors import EncoderError
from clinrag_core.workspace import fingerprint, read_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Encoding

    from clinrag_core.settings import SparseSettings

SPLADE_CODE = "splade/1"
IDF_FILE = "idf.json"


MODELS = {
    "splade": ("naver/splade-cocondenser-ensembledistil", False),
    "opensearch-doc": (
        "opensearch-project/opensearch-neural-sparse-encoding-doc-v2-distill",
        True,
    ),
}
"""Hub id by name, and if the model is inference-free."""


def _chosen_model(settings: SparseSettings) -> tuple[Path, bool]:
    """Return the model folder of a profile, and if the model is inference-free.

    Raises:
        EncoderError: unknown name without a model folder, or no name at all.
    """
    model, inference_free = MODELS.get(settings.name or "", (None, False))
    if settings.model is not None:
        folder = model_folder(settings.model)
        check_sparse_modules(folder)
        return folder, inference_free or settings.inference_free
    if model is None:
        raise EncoderError(
            f"unknown sparse encoder {settings.name!r}; there are: {', '.join(sorted(MODELS))}, or "
            "any name with sparse.model set to a local folder"
        )
    return model_folder(model), inference_free


def check_sparse_modules(folder: Path) -> None:
    """Refuse a sentence-transformers sparse model that is not SPLADE with max pooling.

    Raises:
        EncoderError: other modules, another pooling or activation.
    """
    if not (folder / "modules.json").is_file():
        return
    modules: Any = read_json(folder / "modules.json")
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if kinds in (["MLMTransformer", "SpladePooling"], ["Transformer", "SpladePooling"]):
        config: Any = read_json(folder / modules[1]["path"] / "config.json")
        pooling = (config.get("pooling_strategy", "max"), config.get("activation_function", "relu"))
        if pooling == ("max", "relu") and not modules[0]["path"]:
            return
        kinds = [f"SpladePooling {pooling[0]}/{pooling[1]}"]
    raise EncoderError(
        f"the sparse model in {folder} is refused: {', '.join(kinds)} is not implemented, only "
        "MLMTransformer with SpladePooling max/relu"
    )


class SpladeEncoder:
    """A sparse encoder run by torch; see `SparseEncoder` for the contract.

    Raises:
        EncoderError: weights missing, or of another architecture; no token weights in an
            inference-free model.
    """

    def __init__(self, settings: SparseSettings) -> None:
        folder, inference_free = _chosen_model(settings)
        limit = token_limit(folder)
        if limit is not None and settings.max_tokens > limit:
            raise EncoderError(f"sparse.max_tokens is {settings.max_tokens}, over {limit}")
        self.name = settings.name or folder.name
        self.fingerprint = fingerprint(
            SPLADE_CODE,
            weights_sha256(folder),
            inference_free,
            [settings.max_tokens, settings.top_terms],
        )
        self._settings = settings
        self._device = resolve_device("auto")
        self._model = load_model(folder, self._device, "AutoModelForMaskedLM")
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.enable_truncation(settings.max_tokens)
        self._inputs = accepted_inputs(self._model)
        self.vocabulary_size = int(self._model.config.vocab_size)
        self._special = sorted(
            i for i, token in self._tokenizer.get_added_tokens_decoder().items() if token.special
        )
        self._idf = _token_weights(folder, self._tokenizer) if inference_free else None

    def encode_documents(self, passages: Sequence[Passage]) -> SparseVectors:
        """See `SparseEncoder.encode_documents`; at most `top_terms` terms of each passage."""
        return self._encode([p.joined for p in passages])

    def encode_query(self, text: str) -> SparseVectors:
        """See `SparseEncoder.encode_query`."""
        if self._idf is None:
            return self._encode([text])
        ids = sorted(set(self._tokenizer.encode(text).ids) - set(self._special))
        terms = np.array([i for i in ids if self._idf[i] > 0], dtype=np.int32)
        return rows_to_csr([(terms, self._idf[terms])])

    def _encode(self, texts: Sequence[str]) -> SparseVectors:
        encodings = self._tokenizer.encode_batch(list(texts))
        rows: dict[int, tuple[NDArray[np.int32], NDArray[np.float32]]] = {}
        lengths = [len(encoding) for encoding in encodings]
        for batch in batches_by_length(lengths, self._settings.batch_tokens):
            weights = self._weights([encodings[i] for i in batch])
            for position, row in zip(batch, weights, strict=True):
                rows[position] = prune(row, self._settings.top_terms)
        return rows_to_csr([rows[i] for i in range(len(texts))])

    def _weights(self, encodings: Sequence[Encoding]) -> NDArray[np.float32]:
        """Dense term weights, shape `(len(encodings), vocabulary)`."""
        import torch

        inputs = model_inputs(encodings, self._device)
        with torch.inference_mode():
            logits = self._model(**{name: inputs[name] for name in self._inputs}).logits
            weights = splade_pool(logits, inputs["attention_mask"])
            if self._special:
                weights[:, self._special] = 0
        array = weights.cpu().numpy().astype(np.float32, copy=False)
        if not np.isfinite(array).all():
            raise EncoderError(f"sparse encoder {self.name!r} gives weights that are not finite")
        return array


def splade_pool(logits: Any, mask: Any) -> Any:
    """Logits `(batch, tokens, vocabulary)` to weights `(batch, vocabulary)`: masked max."""
    import torch

    # The maximum first: log1p and ReLU are monotone, so they may follow, on one row of a text.
    highest = torch.relu(logits.masked_fill(mask.unsqueeze(-1) == 0, 0)).amax(dim=1)
    return torch.log1p(highest)


def prune(weights: NDArray[np.float32], top: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the `top` heaviest terms of a row, ascending by id; of equal ones the lower ids."""
    terms = np.flatnonzero(weights > 0)
    order = np.lexsort((terms, -weights[terms]))[:top]
    kept = np.sort(terms[order]).astype(np.int32)
    return kept, weights[kept]


def rows_to_csr(
    rows: Sequence[tuple[NDArray[np.int32], NDArray[np.float32]]],
) -> SparseVectors:
    """Return rows of (term ids, weights) as one CSR matrix."""
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(ids) for ids, _ in rows], out=indptr[1:])
    indices = np.concatenate([np.empty(0, np.int32), *(ids for ids, _ in rows)])
    values = np.concatenate([np.empty(0, np.float32), *(weights for _, weights in rows)])
    return SparseVectors(indptr, indices, values)


def _token_weights(folder: Path, tokenizer: Any) -> NDArray[np.float32]:
    """Return the weight of each token of the vocabulary, from the model's table."""
    table: Any = read_json(folder / IDF_FILE)
    weights = np.zeros(tokenizer.get_vocab_size(), dtype=np.float32)
    if not isinstance(table, dict):
        raise EncoderError(f"{folder.name}/{IDF_FILE} is not a table of token weights")
    for token, weight in table.items():
        position = tokenizer.token_to_id(str(token))
        if position is not None:
            weights[position] = float(weight)
    return weights
