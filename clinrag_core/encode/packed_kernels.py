"""Two kernels of a GPU for packed passages: attention within each, and the norm of each token.

Attention is FlashAttention's (Dao et al. 2022, arXiv 2205.14135): scores of a block of keys at a
time, with a running maximum and sum. Torch's kernel for it takes twice as long on passages of 240
tokens, and its norm three times as long as memory does. Imported on GPUs only: torch brings triton
there.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

QUERIES, KEYS = 64, 64
"""Tokens of a block in attention."""
WARPS, STAGES = 4, 3
ROWS = 4
"""Tokens that a program norms."""


@triton.jit
def _attend(
    states,
    out,
    boundaries,
    scale,
    heads: tl.constexpr,
    size: tl.constexpr,
    queries: tl.constexpr,
    keys: tl.constexpr,
) -> None:
    """Attention of some queries of one head to all tokens of their passage."""
    head, passage = tl.program_id(1), tl.program_id(2)
    begin = tl.load(boundaries + passage).to(tl.int64)
    length = (tl.load(boundaries + passage + 1) - begin).to(tl.int32)
    first = tl.program_id(0) * queries
    if first >= length:
        return
    width: tl.constexpr = heads * size
    parts = tl.arange(0, size)[None, :]
    rows = first + tl.arange(0, queries)
    here = states + begin * 3 * width + head * size + parts
    query = tl.load(here + rows[:, None] * 3 * width, mask=rows[:, None] < length, other=0.0)
    highest = tl.full([queries], float("-inf"), tl.float32)
    total = tl.zeros([queries], tl.float32)
    sums = tl.zeros([queries, size], tl.float32)
    for start in range(0, length, keys):
        columns = start + tl.arange(0, keys)
        inside = columns < length
        key = tl.load(here + width + columns[:, None] * 3 * width, mask=inside[:, None], other=0.0)
        scores = tl.dot(query, tl.trans(key)) * scale
        scores = tl.where(inside[None, :], scores, float("-inf"))
        higher = tl.maximum(highest, tl.max(scores, 1))
        shares = tl.exp2(scores - higher[:, None])
        before = tl.exp2(highest - higher)
        total = total * before + tl.sum(shares, 1)
        value = tl.load(
            here + 2 * width + columns[:, None] * 3 * width, mask=inside[:, None], other=0.0
        )
        sums = sums * before[:, None] + tl.dot(shares.to(value.dtype), value)
        highest = higher
    there = out + (begin + rows[:, None]) * width + head * size + parts
    tl.store(there, (sums / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < length)


def attend(states: Any, boundaries: Any, longest: int, heads: int) -> Any:
    """Attention of each token to those of its passage.

    Args:
        states: query, key and value of each token, `(tokens, 3 * dim)`.
        boundaries: where passages begin, and the number of tokens, `(passages + 1,)`.
        longest: at least the tokens of each passage.
        heads: attention heads; `dim / heads` is a power of two from 16.

    Returns:
        `(tokens, dim)`.
    """
    tokens, dim = states.shape[0], states.shape[1] // 3
    out = torch.empty((tokens, dim), dtype=states.dtype, device=states.device)
    size = dim // heads
    grid = triton.cdiv(longest, QUERIES), heads, len(boundaries) - 1
    scale = size**-0.5 * 1.4426950408889634  # exp2 instead of exp
    _attend[grid](
        states, out, boundaries, scale, heads, size, QUERIES, KEYS, num_warps=WARPS, num_stages=STAGES
    )
    return out


@triton.jit
def _norm(
    hidden,
    scale,
    shift,
    out,
    tokens,
    epsilon,
    dim: tl.constexpr,
    width: tl.constexpr,
    rows: tl.constexpr,
) -> None:
    """Norm of some tokens."""
    row = tl.program_id(0) * rows + tl.arange(0, rows)[:, None]
    column = tl.arange(0, width)[None, :]
    inside = (row < tokens) & (column < dim)
    place = row.to(tl.int64) * dim + column
    values = tl.load(hidden + place, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, 1)[:, None] / dim
    around = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(around * around, 1)[:, None] / dim
    factor = tl.load(scale + column, mask=column < dim, other=0.0).to(tl.float32)
    added = tl.load(shift + column, mask=column < dim, other=0.0).to(tl.float32)
    normed = around * tl.rsqrt(variance + epsilon) * factor + added
    tl.store(out + place, normed.to(out.dtype.element_ty), mask=inside)


def norm(hidden: Any, scale: Any, shift: Any, epsilon: float) -> Any:
    """Layer norm of each token, `(tokens, dim)`; `scale` and `shift` are `(dim,)`."""
    tokens, dim = hidden.shape
    out = torch.empty_like(hidden)
    width = triton.next_power_of_2(dim)
    _norm[(triton.cdiv(tokens, ROWS),)](
        hidden, scale, shift, out, tokens, epsilon, dim, width, ROWS
    )
    return out
