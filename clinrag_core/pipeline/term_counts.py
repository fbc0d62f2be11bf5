"""Term counts of a corpus for BM25, kept by partition: only new passages are tokenised.

Addressed by content, as the vector cache is; a file that is damaged, of other passages or by
another tokeniser is made again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from clinrag_core.index.bm25_counts import (
    TermCounts,
    count_terms,
    counts_bytes,
    join_counts,
    read_counts,
)
from clinrag_core.index.knowledge_base import search_texts
from clinrag_core.workspace import sha256_hex, write_atomic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.pipeline.corpus import Share

logger = logging.getLogger(__name__)
FILE = "terms.counts"


def corpus_counts(shares: Sequence[Share], passage_keys: Sequence[bytes]) -> TermCounts:
    """Term counts of all passages of a corpus; `passage_keys` are their content keys, in order."""
    parts: list[TermCounts] = []
    at = 0
    for share in shares:
        end = at + share.table.num_rows
        parts.append(_counts(share, sha256_hex(b"".join(passage_keys[at:end]))))
        at = end
    return join_counts(parts)


def _counts(share: Share, key: str) -> TermCounts:
    path = share.partition.folder / FILE
    if path.is_file():
        kept = read_counts(path.read_bytes(), key)
        if kept is not None:
            return kept
        logger.info("term counts of %s are made again", share.partition.key)
    counts = count_terms(search_texts(share.table))
    write_atomic(path, counts_bytes(counts, key))
    return counts
