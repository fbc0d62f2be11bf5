"""When Python searches for garbage: rarely where what is made is kept, or holds no cycles.

What answers read stays in caches and hardly ever refers to itself; each search through all that is
kept took the question it fell on a quarter of a second.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

SELDOM = (50_000, 20, 100)
"""Thresholds of the three generations: 580 questions made 19 searches, none of them through
everything; by default 2,795, of which 16 through everything."""


def search_seldom() -> None:
    """Let this process search for garbage seldom from now on; one that does so less often stays."""
    if 0 < gc.get_threshold()[0] < SELDOM[0]:
        gc.set_threshold(*SELDOM)


@contextmanager
def many_objects() -> Generator[None]:
    """Make hundreds of thousands of objects without searching all for garbage meanwhile.

    That search doubles the time (Mercurial's `nogc`).
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
