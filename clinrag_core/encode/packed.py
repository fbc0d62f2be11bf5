"""BERT at the speed of a GPU: passages end to end in one row, without padding and without a mask.

With a mask torch cannot use its flash kernel, which costs a fifth of the time on an H200.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Encoding

    from clinrag_core.settings import Pooling

PACKED = "packed"
"""Name of the attention kernel, as transformers and the record of a run know it."""
ARCHITECTURES = frozenset({"bert"})
"""Model types that take positions, from 0, have the second segment last, and any attention."""
BOUNDARIES = "boundaries"
"""The input that a packed batch has and a padded one has not."""


def packed(encodings: Sequence[Encoding]) -> dict[str, Any]:
    """Token ids, segment ids and positions, `(1, tokens)` each, and where passages begin.

    Boundaries are `(passages + 1,)`, the last one the number of tokens. In pinned memory, which a
    GPU copies from by itself.
    """
    import torch

    lengths = np.array([len(encoding) for encoding in encodings])
    boundaries = np.cumsum([0, *lengths])
    positions = np.arange(boundaries[-1]) - np.repeat(boundaries[:-1], lengths)
    # Python makes a list of every property of an encoding: segments are counted instead.
    second = np.array([e.type_ids.count(1) if e.n_sequences > 1 else 0 for e in encodings])
    ids = chain.from_iterable(encoding.ids for encoding in encodings)
    rows = {
        "input_ids": np.fromiter(ids, np.int64, boundaries[-1]),
        "token_type_ids": (positions >= np.repeat(lengths - second, lengths)).astype(np.int64),
        "position_ids": positions,
    }
    inputs = {name: torch.from_numpy(row)[None] for name, row in rows.items()}
    inputs[BOUNDARIES] = torch.from_numpy(boundaries.astype(np.int32))
    if not torch.cuda.is_available():
        return inputs
    return {name: values.pin_memory() for name, values in inputs.items()}


def pack_model(model: Any) -> None:
    """Let a model of `ARCHITECTURES`, in half precision, take packed inputs and no others."""
    import torch
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface

    AttentionInterface.register(PACKED, _attention)
    AttentionMaskInterface.register(PACKED, _no_mask)

    class DenseGelu(torch.nn.Module):
        """Product, bias and GELU in one kernel, so that GELU reads nothing from memory.

        The kernel has the tanh form of GELU, which differs by less than half precision rounds.
        """

        def __init__(self, dense: Any) -> None:
            super().__init__()
            self.dense = dense

        def forward(self, hidden: Any) -> Any:
            multiply = torch.ops.aten._addmm_activation  # noqa: SLF001 - it has no public name
            weights = self.dense.weight.t()
            return multiply(self.dense.bias, hidden[0], weights, use_gelu=True)[None]

    model.set_attn_implementation(PACKED)
    for layer in model.encoder.layer:
        if model.config.hidden_act == "gelu":
            layer.intermediate = DenseGelu(layer.intermediate.dense)


def _attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: None,
    *,
    boundaries: Any,
    longest: int,
    **_: Any,
) -> tuple[Any, None]:
    """Flash attention from each token to those of its passage; `(1, heads, tokens, size)` each."""
    from torch.nn.attention.varlen import varlen_attn

    q, k, v = (states[0].transpose(0, 1) for states in (query, key, value))
    attended: Any = varlen_attn(q, k, v, boundaries, boundaries, longest, longest)
    return attended[None], None


def _no_mask(*_: Any, **__: Any) -> None:
    """Boundaries say what belongs together."""


def pool_packed(hidden: Any, boundaries: Any, pooling: Pooling) -> Any:
    """Pool token states `(1, tokens, dim)` to `(passages, dim)` by CLS or the mean."""
    import torch

    if pooling == "cls":
        return hidden[0, boundaries[:-1]].float()
    return torch.segment_reduce(hidden[0].float(), "mean", offsets=boundaries.long(), axis=0)
