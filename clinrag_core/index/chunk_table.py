"""Chunks as an Arrow table on disk: one row a chunk, memory-mapped when read.

Chunks of a partition, of a corpus and of a knowledge base all have this form.
"""

from __future__ import annotations

import datetime as dt
import io
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import pyarrow as pa

from clinrag_core.errors import WorkspaceError
from clinrag_core.model.chunk import Chunk
from clinrag_core.workspace import sha256_hex, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_ARROW: dict[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int32(),
    bool: pa.bool_(),
    dt.date: pa.date32(),
    tuple[str, ...]: pa.list_(pa.string()),
    tuple[tuple[int, float, float, float, float], ...]: pa.list_(pa.list_(pa.float64())),
}


def _arrow(annotation: Any) -> pa.DataType:
    """Arrow type of a field of `Chunk`; None does not count, a Literal is a string."""
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return _ARROW.get(kinds[0], pa.string())


SCHEMA = pa.schema([(name, _arrow(f.annotation)) for name, f in Chunk.model_fields.items()])
ADDED = SCHEMA.get_field_index("table_html")
"""First field that older tables lack: a release made before an upgrade is served until the next."""


def to_table(chunks: Iterable[Chunk]) -> pa.Table:
    """Chunks as a table of `SCHEMA`, in their order."""
    return pa.Table.from_pylist([chunk.model_dump() for chunk in chunks], schema=SCHEMA)


def to_chunk(row: dict[str, Any]) -> Chunk:
    """One row, as `pa.Table.to_pylist` gives it, as a chunk."""
    boxes = [(int(page), *rest) for page, *rest in row["boxes"] or ()]
    return Chunk.model_validate(row | {"boxes": boxes})


def write_table(path: Path, table: pa.Table) -> str:
    """Write a table atomically as an uncompressed Arrow file; returns its sha256.

    Equal tables give equal bytes.
    """
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, SCHEMA) as writer:
        writer.write_table(table.combine_chunks(), max_chunksize=65_536)
    data = buffer.getvalue()
    write_atomic(path, data)
    return sha256_hex(data)


def read_table(path: Path) -> pa.Table:
    """Memory-map a table.

    Raises:
        WorkspaceError: the file is missing, damaged or of another schema.
    """
    try:
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowInvalid) as error:
        raise WorkspaceError(f"chunk table {path} cannot be read: {error}") from error
    for field in list(SCHEMA)[max(ADDED, table.num_columns) :]:
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    if not table.schema.equals(SCHEMA):
        raise WorkspaceError(f"chunk table {path} is of another version: build it again")
    return table


def concatenate(tables: Sequence[pa.Table]) -> pa.Table:
    """Several tables as one, in order."""
    return pa.concat_tables(tables) if tables else SCHEMA.empty_table()
