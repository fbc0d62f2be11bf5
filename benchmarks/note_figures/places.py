"""Compares places in a note with items, and prints shares."""

from __future__ import annotations

import hashlib
from collections import Counter

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.records import SummaryItem


def ratio(hits: int, n: int) -> str:
    """Return a share with its counts."""
    return f"{hits / n:.3f} ({hits} of {n})" if n else "not measured: nothing of the kind here"


def hash_of(text: str) -> str:
    """Return the hash of a text as labels have it."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def covers(item: SummaryItem, start: int, end: int) -> bool:
    """Return whether a place and an item are mostly the same characters."""
    place = parse_source(item.source)
    return place is not None and shared(place.start, place.end, start, end)


def shared(a: int, b: int, start: int, end: int) -> bool:
    """Return whether two spans are mostly the same characters."""
    common = min(end, b) - max(start, a)
    return common > 0 and common >= 0.5 * min(end - start, b - a)


def holds(item: SummaryItem, start: int, end: int) -> bool:
    """Return whether an item cites all of a span."""
    place = parse_source(item.source)
    return place is not None and place.start <= start and end <= place.end


def count(counter: Counter[bool], ok: bool, show: bool, what: str, text: str) -> None:
    """Count a hit or a miss, and print a miss if asked to."""
    counter[ok] += 1
    if show and not ok:
        print("   ", what, repr(text[:100]))
