"""Which shard of a knowledge base a partition belongs to.

A knowledge base is cut into shards by the hash of the partition key, and a shard is named by what
it is made from. A changed label costs the shard that it is in, whatever the size of the rest, and
an index made again is the index made from nothing, file by file: nothing depends on the order in
which changes came. Shards by hash with statistics added up over all of them are Elasticsearch's
(`dfs_query_then_fetch`); their number grows by linear hashing (Litwin, VLDB 1980), so that one
more shard moves the partitions of one other only.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PARTITIONS_PER_SHARD = 128
"""Mean number. Half of it halves the cost of a change and doubles the files to open and to search;
see docs/scale.md."""


def shard_count(partitions: int) -> int:
    """Return the number of shards of a knowledge base: at least one."""
    return max(-(-partitions // PARTITIONS_PER_SHARD), 1)


def shard_of(key: str, shards: int) -> int:
    """Return the number of the shard of a partition, by linear hashing."""
    place = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
    doubled = 1 << shards.bit_length()
    found = place % doubled
    while found >= shards:
        doubled >>= 1
        found = place % doubled
    return found


def in_shards(keys: Iterable[str], shards: int) -> list[list[str]]:
    """Return the keys of each shard, in the order given."""
    found: list[list[str]] = [[] for _ in range(shards)]
    for key in keys:
        found[shard_of(key, shards)].append(key)
    return found
