"""BERT at the speed of a GPU: passages end to end in one row, without padding and without a mask.

With a mask torch cannot use its flash kernel, which costs a fifth of the time on an H200. What is
no product of matrices waits for memory, so as little as possible is left of it: query, key and
value are one product, GELU is computed in the kernel of its product, and the sum of a layer's input
and output in the product that gives the output, whose bias the norm before has added already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.encode.passage_tokens import Tokens
    from clinrag_core.settings import Pooling

PACKED = "packed"
"""Name of this way of attention in the record of a run."""
LEAST_HEAD = 16
"""Numbers of an attention head that a GPU multiplies at once; sizes are powers of two from here."""
SEGMENTS = 2
"""Segments of a passage: title and text."""
BOUNDARIES = "boundaries"
"""The input that a packed batch has and a padded one has not."""


def fits_packing(model: Any) -> bool:
    """Return True if `PackedBert` knows the architecture and its kernels the size of a head."""
    config = model.config
    size = config.hidden_size // config.num_attention_heads
    known = config.model_type == "bert" and config.hidden_act == "gelu"
    known = known and config.type_vocab_size == SEGMENTS
    return known and size >= LEAST_HEAD and size.bit_count() == 1


def packed(passages: Sequence[Tokens]) -> dict[str, Any]:
    """Token ids and their places, `(tokens,)` each, and where passages begin.

    A place is a position and a segment as one number. Boundaries are `(passages + 1,)`, the last
    one the number of tokens. In pinned memory, which a GPU copies from by itself.
    """
    import torch

    lengths = np.array([len(tokens.ids) for tokens in passages])
    boundaries = np.cumsum([0, *lengths])
    positions = np.arange(boundaries[-1]) - np.repeat(boundaries[:-1], lengths)
    first = np.repeat([len(tokens.ids) - tokens.second for tokens in passages], lengths)
    rows = {
        "input_ids": np.concatenate([tokens.ids for tokens in passages]),
        "place_ids": SEGMENTS * positions + (positions >= first),
        BOUNDARIES: boundaries,
    }
    inputs = {name: torch.from_numpy(row.astype(np.int32)) for name, row in rows.items()}
    if not torch.cuda.is_available():
        return inputs
    return {name: values.pin_memory() for name, values in inputs.items()}


class Norm(NamedTuple):
    """A layer norm whose shift holds the bias that the next sum would add, `(dim,)` each."""

    scale: Any
    shift: Any
    added: Any
    epsilon: float


class DenseLayer(NamedTuple):
    """A dense layer: weights `(dim, outputs)` and bias `(outputs,)`."""

    weights: Any
    bias: Any


class PackedLayer(NamedTuple):
    """A layer of BERT as six kernels and its attention."""

    states: DenseLayer
    """Query, key and value."""
    attended: Any
    """Weights of the product after attention; its bias is in the norm before."""
    middle: Norm
    wide: DenseLayer
    narrow: Any
    """Weights of the product back to the width of a token; its bias is in the norm before."""
    end: Norm


class Kernels(Protocol):
    """What `packed_kernels` computes on a GPU."""

    def attend(self, states: Any, boundaries: Any, longest: int, heads: int) -> Any:
        """Attention of each token to those of its passage."""
        ...

    def norm(self, hidden: Any, scale: Any, shift: Any, epsilon: float) -> Any:
        """Layer norm of each token."""
        ...


class PackedBert:
    """A BERT of transformers, in any precision, that takes packed inputs and gives vectors.

    GELU has the tanh form, which differs by less than half precision rounds.
    """

    def __init__(self, model: Any, pooling: Pooling, kernels: Kernels | None = None) -> None:
        import torch

        if kernels is None:
            from clinrag_core.encode import packed_kernels as kernels
        self._kernels = kernels
        self._pooling = pooling
        self.config = model.config
        tables = model.embeddings
        of_segment = tables.token_type_embeddings.weight.float()
        of_position = tables.position_embeddings.weight.float()[:, None]
        self._words = tables.word_embeddings.weight.detach()
        self._places = (of_position + of_segment).flatten(0, 1).to(self._words.dtype).detach()
        layers = list(model.encoder.layer)
        none = torch.zeros_like(model.embeddings.LayerNorm.bias)
        outputs = [layer.attention.output.dense.bias for layer in layers] + [none]
        self._begin = _norm(model.embeddings.LayerNorm, outputs[0])
        added, self._layers = self._begin.added, []
        for layer, output in zip(layers, outputs[1:], strict=True):
            attention = layer.attention
            heads = attention.self.query, attention.self.key, attention.self.value
            middle = _norm(attention.output.LayerNorm, layer.output.dense.bias)
            end = _norm(layer.output.LayerNorm, output)
            packed_layer = PackedLayer(
                _product(heads, added),
                attention.output.dense.weight.t(),
                middle,
                _product([layer.intermediate.dense], middle.added),
                layer.output.dense.weight.t(),
                end,
            )
            self._layers.append(packed_layer)
            added = end.added

    def __call__(
        self,
        input_ids: Any,
        place_ids: Any,
        boundaries: Any,
        longest: int,
    ) -> Any:
        """Vectors `(passages, dim)`, float32; `longest` is at least the tokens of each passage."""
        import torch

        hidden = self._words.index_select(0, input_ids)
        hidden += self._places.index_select(0, place_ids)
        hidden = self._norm(self._begin, hidden)
        gelu_product = torch.ops.aten._addmm_activation  # noqa: SLF001 - it has no public name
        heads = self.config.num_attention_heads
        for layer in self._layers:
            states = torch.addmm(layer.states.bias, hidden, layer.states.weights)
            attended = self._kernels.attend(states, boundaries, longest, heads)
            if layer is self._layers[-1] and self._pooling == "cls":  # no other token is read
                hidden, attended = (x.index_select(0, boundaries[:-1]) for x in (hidden, attended))
            hidden = self._norm(layer.middle, hidden.addmm_(attended, layer.attended))
            wide = gelu_product(layer.wide.bias, hidden, layer.wide.weights, use_gelu=True)
            hidden = self._norm(layer.end, hidden.addmm_(wide, layer.narrow))
        if self._pooling == "cls":
            return hidden.float()
        return torch.segment_reduce(hidden.float(), "mean", offsets=boundaries.long(), axis=0)

    def _norm(self, norm: Norm, hidden: Any) -> Any:
        return self._kernels.norm(hidden, norm.scale, norm.shift, norm.epsilon)


def _norm(norm: Any, added: Any) -> Norm:
    """Return a layer norm that adds a bias as well."""
    shift = (norm.bias.float() + added.float()).to(norm.bias.dtype)
    return Norm(norm.weight.detach(), shift.detach(), added.detach(), norm.eps)


def _product(dense: Sequence[Any], added: Any) -> DenseLayer:
    """Return dense layers of the same input as one, whose input has a bias added to it."""
    import torch

    weights = torch.cat([each.weight for each in dense]).detach()
    bias = torch.cat([each.bias for each in dense]).float() - weights.float() @ added.float()
    return DenseLayer(weights.t(), bias.to(weights.dtype).detach())
