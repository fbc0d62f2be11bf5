"""Similarity of texts that are given as words, weights or spellings: each measure once. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return |A n B| / |A u B| (Jaccard 1901), in [0, 1]; 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def containment(part: AbstractSet[str], whole: AbstractSet[str]) -> float:
    """Return |P n W| / |P|, the share of `part` that is in `whole` (Broder 1997); 0 for no part."""
    return len(part & whole) / len(part) if part else 0.0


def weighted_containment(weights: Mapping[str, float], whole: AbstractSet[str]) -> float:
    """Return the share of the weight (usually idf) that is in `whole`, in [0, 1]; 0 for none."""
    total = math.fsum(weights.values())
    contained = math.fsum(weight for key, weight in weights.items() if key in whole)
    return contained / total if total > 0 else 0.0


def bag_containment(a: Counter[str], b: Counter[str]) -> float:
    """Return the share of the longer bag of words that is in the other one; 0 for empty bags."""
    longest = max(a.total(), b.total())
    return (a & b).total() / longest if longest else 0.0


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return the cosine of two sparse vectors of weights >= 0, in [0, 1]; 0 where one is empty."""
    product = sum(weight * b.get(key, 0.0) for key, weight in a.items())
    norms = math.hypot(*a.values()) * math.hypot(*b.values())
    return product / norms if norms else 0.0


_SOUNDS = (
    (lazy_re(r"ph"), "f"),
    (lazy_re(r"th"), "t"),
    (lazy_re(r"(?<=[aeiou])[yi]+(?=[^aeiouy]|$)"), ""),
    (lazy_re(r"y"), "i"),
    (lazy_re(r"c(?=[eiy])|z"), "s"),
    (lazy_re(r"ck|[cq]"), "k"),
    (lazy_re(r"x"), "ks"),
    (lazy_re(r"[ao]e"), "e"),
    (lazy_re(r"([a-z])\1+"), r"\1"),
    (lazy_re(r"(?<=[bdfgklmnprstv])e$"), ""),
)
"""English spellings of one sound, in the order they are replaced."""


def english_sound(word: str) -> str:
    """Return how a folded word is pronounced, roughly: "arikayce" and "arikase" are alike."""
    for spelling, sound in _SOUNDS:
        word = spelling.sub(sound, word)
    return word


def close_words(word: str, words: Sequence[str], most: int) -> list[tuple[int, str]]:
    """Return the words within `most` edits of a word, with their distance, nearest first.

    An edit adds, drops or changes a letter, or swaps two neighbours (Damerau 1964, Levenshtein
    1966).
    """
    from rapidfuzz import process
    from rapidfuzz.distance import DamerauLevenshtein

    close = process.extract(
        word, words, scorer=DamerauLevenshtein.distance, score_cutoff=most, limit=None
    )
    return sorted((int(distance), name) for name, distance, _ in close)
