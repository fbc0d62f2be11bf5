"""Chunks and statements as Arrow tables on disk: one row each, memory-mapped when read.

Those of a partition, of a corpus and of a knowledge base all have this form.
"""

from __future__ import annotations

import datetime as dt
import io
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import pyarrow as pa

from clinrag_core.errors import WorkspaceError
from clinrag_core.model.chunk import Chunk
from clinrag_core.model.section import TextPlace
from clinrag_core.model.statement import IndexedStatement, Quote
from clinrag_core.workspace import sha256_hex, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from clinrag_core.model.base import Record

_ARROW: dict[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int32(),
    bool: pa.bool_(),
    dt.date: pa.date32(),
    tuple[str, ...]: pa.list_(pa.string()),
    tuple[tuple[int, float, float, float, float], ...]: pa.list_(pa.list_(pa.float64())),
    tuple[TextPlace, ...]: pa.list_(
        pa.struct(
            [
                ("start", pa.int32()),
                ("page", pa.int32()),
                ("page_label", pa.string()),
                ("box", pa.list_(pa.float64())),
            ]
        )
    ),
    tuple[Quote, ...]: pa.list_(
        pa.struct([("chunk_id", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
    ),
}


def _arrow(annotation: Any) -> pa.DataType:
    """Arrow type of a record's field; None does not count, a Literal is a string."""
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    plain = pa.list_(pa.string()) if get_origin(kinds[0]) is tuple else pa.string()
    return _ARROW.get(kinds[0], plain)


def _schema(record: type[Record]) -> pa.Schema:
    return pa.schema([(name, _arrow(f.annotation)) for name, f in record.model_fields.items()])


SCHEMA = _schema(Chunk)
STATEMENT_SCHEMA = _schema(IndexedStatement)
ADDED = SCHEMA.get_field_index("table_html")
"""First field that older tables lack: a release made before an upgrade is served until the next."""


def to_table(chunks: Iterable[Chunk]) -> pa.Table:
    """Chunks as a table of `SCHEMA`, in their order."""
    return pa.Table.from_pylist([chunk.model_dump() for chunk in chunks], schema=SCHEMA)


def to_statement_table(statements: Iterable[IndexedStatement]) -> pa.Table:
    """Statements as a table of `STATEMENT_SCHEMA`, in their order."""
    rows = [statement.model_dump() for statement in statements]
    return pa.Table.from_pylist(rows, schema=STATEMENT_SCHEMA)


def to_chunk(row: dict[str, Any]) -> Chunk:
    """One row, as `pa.Table.to_pylist` gives it, as a chunk."""
    boxes = [(int(page), *rest) for page, *rest in row["boxes"] or ()]
    return Chunk.model_validate(row | {"boxes": boxes, "places": row["places"] or ()})


def write_table(path: Path, table: pa.Table) -> str:
    """Write a table atomically as an uncompressed Arrow file; returns its sha256.

    Equal tables give equal bytes.
    """
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table.combine_chunks(), max_chunksize=65_536)
    data = buffer.getvalue()
    write_atomic(path, data)
    return sha256_hex(data)


def read_table(path: Path) -> pa.Table:
    """Memory-map a table of chunks.

    Raises:
        WorkspaceError: the file is missing, damaged or of another schema.
    """
    table = _mapped(path)
    for field in list(SCHEMA)[max(ADDED, table.num_columns) :]:
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    if not table.schema.equals(SCHEMA):
        raise WorkspaceError(f"chunk table {path} is of another version: build it again")
    return table


def read_statement_table(path: Path) -> pa.Table:
    """Memory-map a table of statements.

    Raises:
        WorkspaceError: the file is missing, damaged or of another schema.
    """
    table = _mapped(path)
    if not table.schema.equals(STATEMENT_SCHEMA):
        raise WorkspaceError(f"statement table {path} is of another version: build it again")
    return table


def _mapped(path: Path) -> pa.Table:
    try:
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowInvalid) as error:
        raise WorkspaceError(f"table {path} cannot be read: {error}") from error


def concatenate(tables: Sequence[pa.Table], schema: pa.Schema = SCHEMA) -> pa.Table:
    """Several tables of a schema as one, in order."""
    return pa.concat_tables(tables) if tables else schema.empty_table()
