"""Two kernels of a GPU for packed passages: attention within each, and the norm of each token.

Attention is FlashAttention's (Dao et al. 2022, arXiv 2205.14135): scores of a block of keys at a
time, with a running maximum and sum. Torch's kernel for it takes twice as long on passages of 240
tokens, and its norm three times as long as memory does. Imported on GPUs only: torch brings triton
there.
"""

# pyright: basic, reportMissingImports=false, reportIndexIssue=false
# ruff: noqa: PLR0913, PLR0917, TID253
# Triton compiles the text of a kernel, which knows neither Any nor keyword-only arguments, and is
# there only with a torch for GPUs.
from __future__ import annotations

import math
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
def _seen(
    query,
    here,
    columns,
    length,
    highest,
    total,
    sums,
    scale,
    width: tl.constexpr,
    end: tl.constexpr,
):
    """Return the highest score, the total and the sums once a block of keys is seen as well."""
    places = here + columns[:, None] * 3 * width
    if end:  # some keys of the block are of the next passage
        key = tl.load(places + width, mask=columns[:, None] < length, other=0.0)
        value = tl.load(places + 2 * width, mask=columns[:, None] < length, other=0.0)
        scores = tl.dot(query, tl.trans(key))
        scores = tl.where(columns[None, :] < length, scores, float("-inf"))
    else:
        key = tl.load(places + width)
        value = tl.load(places + 2 * width)
        scores = tl.dot(query, tl.trans(key))
    higher = tl.maximum(highest, tl.max(scores, 1) * scale)
    shares = tl.exp2(scores * scale - higher[:, None])
    before = tl.exp2(highest - higher)
    sums = tl.dot(shares.to(value.dtype), value, sums * before[:, None])
    return higher, total * before + tl.sum(shares, 1), sums


@triton.jit
def _attend(
    states,
    out,
    boundaries,
    scale,
    blocks,
    heads: tl.constexpr,
    size: tl.constexpr,
    queries: tl.constexpr,
    keys: tl.constexpr,
):
    """Attention of some queries of one head to all tokens of their passage."""
    part = tl.program_id(0)
    passage, head, block = part // blocks // heads, part // blocks % heads, part % blocks
    begin = tl.load(boundaries + passage).to(tl.int64)
    length = (tl.load(boundaries + passage + 1) - begin).to(tl.int32)
    first = block * queries
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
    whole = length // keys * keys
    columns = tl.arange(0, keys)
    for start in range(0, whole, keys):
        highest, total, sums = _seen(
            query, here, start + columns, length, highest, total, sums, scale, width, False
        )
    if whole < length:
        highest, total, sums = _seen(
            query, here, whole + columns, length, highest, total, sums, scale, width, True
        )
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
    scale = size**-0.5 / math.log(2)  # for powers of two instead of e
    blocks = triton.cdiv(longest, QUERIES)
    parts = (len(boundaries) - 1) * heads * blocks
    given = states, out, boundaries, scale, blocks, heads, size, QUERIES, KEYS
    _attend[parts,](*given, num_warps=WARPS, num_stages=STAGES)
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
):
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
    _norm[triton.cdiv(tokens, ROWS),](hidden, scale, shift, out, tokens, epsilon, dim, width, ROWS)
    return out
