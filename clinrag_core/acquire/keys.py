"""Partition keys: short slugs of names that are equal in every process and run."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

MAX_KEY = 63
"""Longest key: a DNS label (RFC 1035), so that a key can name a folder, a container or a volume."""
_HASH_DIGITS = 10
"""40 bits: among 10,000 drugs, two share a hash with a probability of 5e-5."""


@lru_cache(maxsize=2**18)
def partition_key(name: str) -> str:
    """Return the partition key of a drug or title: `a-z0-9`, single hyphens, 1 to 63 characters.

    'Rifampin/Isoniazid' and 'rifampin isoniazid' have the same key. The key of a name that loses
    letters (Greek, Cyrillic, ...) or is too long ends in a hash of the whole name, so that
    truncation gives no two drugs the same key.

    Raises:
        ValueError: the name has no letter or digit.
    """
    folded = unicodedata.normalize("NFKD", name).casefold()
    if not any(c.isalnum() for c in folded):
        raise ValueError(f"{name!r} has no letter or digit")
    slug = "-".join(re.findall(r"[a-z0-9]+", folded))
    lossy = any(c.isalnum() and not c.isascii() for c in folded)
    if not lossy and len(slug) <= MAX_KEY:
        return slug
    canonical = " ".join(re.findall(r"\w+", folded))
    digest = hashlib.sha256(canonical.encode()).hexdigest()[:_HASH_DIGITS]
    head = slug[: MAX_KEY - _HASH_DIGITS - 1].strip("-")
    return f"{head}-{digest}" if head else f"name-{digest}"
