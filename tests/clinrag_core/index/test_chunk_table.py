"""Chunk tables on disk."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from clinrag_core.errors import WorkspaceError
from clinrag_core.index.chunk_table import ADDED, SCHEMA, read_table


def write(path: Path, schema: pa.Schema) -> Path:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_table(pa.Table.from_pylist([{"id": "a", "has_table": True}], schema=schema))
    return path


def test_a_table_from_before_a_field_was_added_is_read_without_it(tmp_path: Path):
    """The release made before an upgrade is served until the next one, users' documents stay."""
    older = pa.schema(list(SCHEMA)[:ADDED])
    table = read_table(write(tmp_path / "chunks.arrow", older))
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist()[0]["table_html"] is None
    assert table.to_pylist()[0]["has_table"]


@pytest.mark.parametrize("dropped", [0, ADDED - 1])
def test_a_table_that_lacks_another_field_is_refused(tmp_path: Path, dropped: int):
    fields = [field for n, field in enumerate(SCHEMA) if n != dropped]
    other = pa.schema(fields)
    with pa.OSFile(str(tmp_path / "x"), "wb") as file, pa.ipc.new_file(file, other) as writer:
        writer.write_table(other.empty_table())
    with pytest.raises(WorkspaceError, match="another version"):
        read_table(tmp_path / "x")
