"""BERT in bf16 on a CPU: weights cast once, one product for query, key and value, GELU in another.

Sums and norms stay in fp32, as under autocast. Products are oneDNN's, for processors with bf16.
"""

from __future__ import annotations

import copy
from typing import Any

from clinrag_core.encode.device import cpu_has_bf16

WIDTH = 16
"""Batches are as wide as a multiple of this. Torch's attention computes 16 numbers at once and the
rest of a row one by one: passages of 254 tokens took it twice as long as passages of 256."""


def fits_bf16(model: Any) -> bool:
    """Return True if `bf16_model` knows the architecture and this processor has its kernels."""
    config = model.config
    known = config.model_type == "bert" and config.hidden_act == "gelu"
    return known and config.max_position_embeddings % WIDTH == 0 and cpu_has_bf16()


def bf16_model(model: Any) -> Any:
    """Return a copy with layers in bf16 that shares all other weights; the model is unchanged."""
    import torch

    multiply = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001 - it has no public name

    class HalfProduct(torch.nn.Module):
        """Dense layers of the same input as one, then a function, in bf16."""

        def __init__(self, *dense: Any, function: str = "none") -> None:
            super().__init__()
            parts = [each.weight for each in dense], [each.bias for each in dense]
            self.dense = [torch.cat(part).detach().bfloat16() for part in parts]
            self.function = function

        def forward(self, hidden: Any) -> Any:
            return multiply(hidden.bfloat16(), *self.dense, self.function, [], "none")

    class SelfAttention(torch.nn.Module):
        """Attention whose query, key and value are one product."""

        def __init__(self, attention: Any) -> None:
            super().__init__()
            self.heads = attention.num_attention_heads
            self.product = HalfProduct(attention.query, attention.key, attention.value)

        def forward(self, hidden: Any, attention_mask: Any, **_: Any) -> tuple[Any, None]:
            states = self.product(hidden).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            attend = torch.nn.functional.scaled_dot_product_attention
            return attend(*states, attn_mask=attention_mask).transpose(1, 2).flatten(2), None

    copied = copy.deepcopy(model, {id(weights): weights for weights in model.parameters()})
    for layer in copied.encoder.layer:
        layer.attention.self = SelfAttention(layer.attention.self)
        layer.attention.output.dense = HalfProduct(layer.attention.output.dense)
        layer.intermediate = HalfProduct(layer.intermediate.dense, function="gelu")
        layer.output.dense = HalfProduct(layer.output.dense)
    return copied
