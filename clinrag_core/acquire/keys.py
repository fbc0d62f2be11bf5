"""Partition keys of drugs: short slugs that stay the same in any process and any run."""

from __future__ import annotations

import hashlib
import re
import unicodedata

MAX_KEY = 63
_HASH_DIGITS = 10


def drug_key(drug: str) -> str:
    """Partition key of a drug name: `a-z0-9` and single hyphens, 1 to 63 characters.

    'Rifampin/Isoniazid' and 'rifampin isoniazid' share a key. A name that loses letters (Greek,
    Cyrillic, ...) or is too long ends in a hash of the whole name, so that two drugs never share
    a key by truncation.

    Raises:
        ValueError: the name holds no letter or digit.
    """
    folded = unicodedata.normalize("NFKD", drug).casefold()
    if not any(c.isalnum() for c in folded):
        raise ValueError(f"drug name {drug!r} holds no letter or digit")
    slug = "-".join(re.findall(r"[a-z0-9]+", folded))
    lossy = any(c.isalnum() and not c.isascii() for c in folded)
    if not lossy and len(slug) <= MAX_KEY:
        return slug
    canonical = " ".join(re.findall(r"\w+", folded))
    digest = hashlib.sha256(canonical.encode()).hexdigest()[:_HASH_DIGITS]
    head = slug[: MAX_KEY - _HASH_DIGITS - 1].strip("-")
    return f"{head}-{digest}" if head else f"drug-{digest}"
