"""How a BM25 index lies on disk: plain numpy arrays, two JSON lists and a record of their hashes.

Nothing is pickled. Arrays are memory-mapped on load; a file that is missing, altered or does not
fit the others is refused.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinrag_core.errors import IndexBuildError, WorkspaceError
from clinrag_core.index.bm25_impacts import Impacts
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import TOKENIZER
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

RECORD = "bm25.json"
VOCABULARY = "vocabulary.json"
CHUNK_IDS = "chunk_ids.json"
ARRAYS: dict[str, type[np.generic]] = {
    "starts": np.int64,
    "rows": np.int32,
    "values": np.float64,
    "idf": np.float64,
    "id_ranks": np.int32,
}


class BM25Record(BaseModel):
    """What an index directory says about itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    tokenizer: str
    passages: int = Field(ge=0)
    terms: int = Field(ge=0)
    entries: int = Field(ge=0, description="(term, passage) pairs")
    k1: float
    b: float
    background_idf: bool
    sha256: dict[str, str] = Field(description="by file name, this record excepted")


def write_index(
    directory: Path,
    *,
    impacts: Impacts,
    chunk_ids: tuple[str, ...],
    id_ranks: NDArray[np.int32],
    settings: BM25Settings,
    background_idf: bool,
) -> None:
    """Write all files; the record comes last, so a directory without one is incomplete."""
    directory.mkdir(parents=True, exist_ok=True)
    arrays = {
        "starts": impacts.starts,
        "rows": impacts.rows,
        "values": impacts.values,
        "idf": impacts.idf,
        "id_ranks": id_ranks,
    }
    for name, values in arrays.items():
        np.save(directory / f"{name}.npy", values, allow_pickle=False)
    for name, strings in ((VOCABULARY, impacts.terms), (CHUNK_IDS, chunk_ids)):
        text = json.dumps(strings, ensure_ascii=False, separators=(",", ":"))
        (directory / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    names = [*(f"{name}.npy" for name in arrays), VOCABULARY, CHUNK_IDS]
    record = BM25Record(
        tokenizer=TOKENIZER,
        passages=len(chunk_ids),
        terms=len(impacts.terms),
        entries=len(impacts.rows),
        k1=settings.k1,
        b=settings.b,
        background_idf=background_idf,
        sha256={name: _sha256(directory / name) for name in names},
    )
    write_json(directory / RECORD, record.model_dump())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_record(directory: Path) -> BM25Record:
    """The record of an index directory.

    Raises:
        IndexBuildError: no record, another format, or another tokeniser than this code's.
    """
    try:
        record = BM25Record.model_validate(read_json(directory / RECORD))
    except (WorkspaceError, ValidationError) as error:
        raise IndexBuildError(f"{directory / RECORD}: not a BM25 index: {error}") from error
    if record.tokenizer != TOKENIZER:
        raise IndexBuildError(
            f"{directory / RECORD}: built with tokeniser {record.tokenizer!r}, this code has "
            f"{TOKENIZER!r}: build the index again"
        )
    return record


def verify_files(directory: Path, record: BM25Record) -> None:
    """Compare every file with its recorded sha256.

    Raises:
        IndexBuildError: a file is missing or altered.
    """
    for name in sorted(record.sha256):
        path = directory / name
        if not path.is_file():
            raise IndexBuildError(f"{path}: missing: build the index again")
        if _sha256(path) != record.sha256[name]:
            raise IndexBuildError(f"{path}: not the file that was written: build the index again")


def _read_array(directory: Path, name: str, length: int) -> NDArray[np.generic]:
    """Memory-map one array; IndexBuildError where its type or length is not the expected one."""
    path = directory / f"{name}.npy"
    try:
        # an empty array cannot be memory-mapped
        values = np.load(path, mmap_mode="r" if length else None, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise IndexBuildError(f"{path}: cannot be read: {error}") from error
    if values.dtype != ARRAYS[name] or values.shape != (length,):
        raise IndexBuildError(
            f"{path}: {values.dtype}{list(values.shape)} instead of "
            f"{np.dtype(ARRAYS[name])}[{length}]: build the index again"
        )
    return np.asarray(values)  # a plain view of the map: memmap itself slices slowly


def _read_strings(directory: Path, name: str, length: int) -> tuple[str, ...]:
    """Read a list of different strings; IndexBuildError where it is not that."""
    path = directory / name
    try:
        strings = cast("object", json.loads(path.read_bytes().decode("utf-8", "surrogatepass")))
    except (OSError, ValueError) as error:
        raise IndexBuildError(f"{path}: cannot be read: {error}") from error
    if not isinstance(strings, list):
        raise IndexBuildError(f"{path}: not a list")
    items = tuple(cast("list[object]", strings))
    if len(items) != length or len(set(items)) != length:
        raise IndexBuildError(f"{path}: {len(items)} entries instead of {length} different ones")
    if not all(isinstance(item, str) for item in items):
        raise IndexBuildError(f"{path}: an entry is not a string")
    return cast("tuple[str, ...]", items)


def read_index(
    directory: Path, record: BM25Record
) -> tuple[Impacts, tuple[str, ...], NDArray[np.int32]]:
    """Impacts, chunk ids and their ranks, memory-mapped.

    Raises:
        IndexBuildError: a file is missing, unreadable or does not fit the record.
    """
    lengths = {
        "starts": record.terms + 1,
        "rows": record.entries,
        "values": record.entries,
        "idf": record.terms,
        "id_ranks": record.passages,
    }
    arrays = {name: _read_array(directory, name, length) for name, length in lengths.items()}
    starts = cast("NDArray[np.int64]", arrays["starts"])
    if starts[0] != 0 or starts[-1] != record.entries or np.any(np.diff(starts) < 0):
        raise IndexBuildError(f"{directory / 'starts.npy'}: columns do not tile the matrix")
    impacts = Impacts(
        terms=_read_strings(directory, VOCABULARY, record.terms),
        starts=starts,
        rows=cast("NDArray[np.int32]", arrays["rows"]),
        values=cast("NDArray[np.float64]", arrays["values"]),
        idf=cast("NDArray[np.float64]", arrays["idf"]),
    )
    ids = _read_strings(directory, CHUNK_IDS, record.passages)
    return impacts, ids, cast("NDArray[np.int32]", arrays["id_ranks"])
