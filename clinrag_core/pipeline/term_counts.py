"""Term counts of a shard for BM25, kept by partition: only new passages are tokenised.

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
from clinrag_core.index.shard_files import search_texts
from clinrag_core.index.statements import statement_texts
from clinrag_core.pipeline.cut import COUNTS
from clinrag_core.workspace import sha256_hex, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from clinrag_core.pipeline.corpus import Share

logger = logging.getLogger(__name__)
PASSAGES = f"{COUNTS}/passages"
STATEMENTS = f"{COUNTS}/statements"


def passage_counts(shares: Sequence[Share], keys: Sequence[bytes]) -> TermCounts:
    """Term counts of all passages of a shard; `keys` are their content keys, in order."""
    tables = [share.table for share in shares]
    return _joined(shares, tables, keys, PASSAGES, search_texts)


def statement_counts(shares: Sequence[Share], keys: Sequence[bytes]) -> TermCounts:
    """Term counts of all statements of a shard; `keys` are their content keys, in order."""
    tables = [share.statements for share in shares]
    return _joined(shares, tables, keys, STATEMENTS, _statement_texts)


def _statement_texts(table: pa.Table) -> list[str]:
    return [f"{title}\n{text}" for title, text in statement_texts(table)]


def _joined(
    shares: Sequence[Share],
    tables: Sequence[pa.Table],
    keys: Sequence[bytes],
    file: str,
    texts: Callable[[pa.Table], list[str]],
) -> TermCounts:
    """Return the counts of all tables, each kept in a file of its partition."""
    parts: list[TermCounts] = []
    at = 0
    for share, table in zip(shares, tables, strict=True):
        end = at + table.num_rows
        path = share.partition.folder / file
        key = sha256_hex(b"".join(keys[at:end]))
        counts = read_counts(path.read_bytes(), key) if path.is_file() else None
        if counts is None:
            if path.is_file():
                logger.info("%s: %s is counted again", share.partition.key, file)
            counts = count_terms(texts(table))
            write_atomic(path, counts_bytes(counts, key))
        parts.append(counts)
        at = end
    return join_counts(parts)
