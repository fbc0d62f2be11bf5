"""Takes over documents that an earlier version stored as a folder each, with a record of its own.

Their vectors are taken as they are; `repair` builds the index. To be deleted with version 0.3.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.index.chunk_table import (
    STATEMENT_SCHEMA,
    read_statement_table,
    read_table,
)
from clinrag_core.users.store import DocumentParts, UserDocument
from clinrag_core.workspace import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from clinrag_core.users.store import TenantStore

FOLDER = "documents"


def take_over(store: TenantStore) -> None:
    """Move the documents of an earlier version into the store; the caller has the lock.

    Raises:
        ClinragError: a document is damaged; then nothing is removed.
    """
    folder = store.folder / FOLDER
    for path in sorted(folder.glob("*/record.json")):
        document = UserDocument.model_validate(read_json(path))
        store.put(document, _parts(path.parent), "")
    shutil.rmtree(folder, ignore_errors=True)
    (store.folder / "current").unlink(missing_ok=True)


def _parts(folder: Path) -> DocumentParts:
    """Return what a document of an earlier version is searched by."""
    chunks, vectors = read_table(folder / "chunks.arrow"), np.load(folder / "vectors.npy")
    said, table = folder / "statement_vectors.npy", folder / "statements.arrow"
    if said.is_file() and table.is_file():
        return DocumentParts(chunks, read_statement_table(table), vectors, np.load(said))
    none = np.zeros((0, vectors.shape[1]), dtype=np.float32)
    return DocumentParts(chunks, STATEMENT_SCHEMA.empty_table(), vectors, none)
