"""Packing units into overlapping windows; pure arithmetic on token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def pack(tokens: Sequence[int], limit: int, overlap: int) -> list[tuple[int, int]]:
    """Return windows `[first, last)` over units of 1 to `limit` tokens, greedy from the left.

    Every unit is in a window of at most `limit` tokens. The next window starts with as many of the
    last units as have at most `overlap` tokens and leave room for a new one, so that a window
    always ends later than the one before.

    Raises:
        ValueError: a unit is over the limit.
    """
    if any(n > limit for n in tokens):
        raise ValueError("a unit is larger than a window")
    windows: list[tuple[int, int]] = []
    first = 0
    while first < len(tokens):
        last = first
        total = 0
        while last < len(tokens) and total + tokens[last] <= limit:
            total += tokens[last]
            last += 1
        windows.append((first, last))
        if last == len(tokens):
            break
        first = last
        shared = 0
        while (
            first - 1 > windows[-1][0]
            and shared + tokens[first - 1] <= overlap
            and shared + tokens[first - 1] + tokens[last] <= limit
        ):
            first -= 1
            shared += tokens[first]
    return windows
