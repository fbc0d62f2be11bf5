"""Packing units into overlapping windows; pure arithmetic on token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def pack(
    tokens: Sequence[int], limit: int, overlap: int, bonds: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """Return windows `[first, last)` over units of 1 to `limit` tokens, greedy from the left.

    Every unit is in a window of at most `limit` tokens. `bonds[i]` is how firmly unit `i` belongs
    with the one before: a window ends before the loosest of the units it could end before, the last
    such. The next window starts with as many of the last units as have at most `overlap` tokens,
    leave room for what belongs together next and begin as loosely; it always ends later than the
    one before.

    Raises:
        ValueError: a unit is over the limit.
    """
    if any(n > limit for n in tokens):
        raise ValueError("a unit is larger than a window")
    bound = bonds or [0] * len(tokens)
    windows: list[tuple[int, int]] = []
    first = done = 0
    while done < len(tokens):
        last = first
        total = 0
        while last < len(tokens) and total + tokens[last] <= limit:
            total += tokens[last]
            last += 1
        if last < len(tokens):
            last = max(range(done + 1, last + 1), key=lambda cut: (-bound[cut], cut))
        windows.append((first, last))
        room = limit - _together(tokens, bound, last, limit)
        start, shared = last, 0
        begun = first
        first = done = last
        while start - 1 > begun and shared + tokens[start - 1] <= min(overlap, room):
            start -= 1
            shared += tokens[start]
            if last < len(tokens) and bound[start] <= bound[last]:
                first = start
    return windows


def _together(tokens: Sequence[int], bound: Sequence[int], start: int, limit: int) -> int:
    """Return the tokens of the unit `start` and of those bound to it, as far as a window has."""
    for loosest in sorted(set(bound[start + 1 :])):
        total, at = 0, start
        while at < len(tokens) and (at == start or bound[at] > loosest):
            total += tokens[at]
            at += 1
        if total <= limit:
            return total
    return tokens[start] if start < len(tokens) else 0
