"""File format of BM25 postings: plain numpy arrays, two JSON lists and a record of their hashes.

Nothing is pickled. Arrays are memory-mapped on load; a file that is missing, altered or does not
fit the others is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinrag_core.errors import IndexBuildError, WorkspaceError
from clinrag_core.index.bm25_impacts import Postings
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import TOKENIZER
from clinrag_core.workspace import file_digest, read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

RECORD = "bm25.json"
VOCABULARY = "vocabulary.json"
CHUNK_IDS = "chunk_ids.json"


class BM25Record(BaseModel):
    """The record of an index directory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[2] = 2
    tokenizer: str
    passages: int = Field(ge=0)
    terms: int = Field(ge=0)
    entries: int = Field(ge=0, description="(term, passage) pairs")
    k1: float
    b: float
    background_idf: bool
    sha256: dict[str, str] = Field(description="by file name, this record excepted")


class SavedPostings(NamedTuple):
    """What a directory holds."""

    postings: Postings
    chunk_ids: tuple[str, ...]
    settings: BM25Settings


def write_postings(directory: Path, saved: SavedPostings) -> None:
    """Write all files; the record comes last, so a directory without one is incomplete."""
    directory.mkdir(parents=True, exist_ok=True)
    postings, settings = saved.postings, saved.settings
    arrays: dict[str, NDArray[Any]] = {
        "starts": postings.starts,
        "rows": postings.rows,
        "frequencies": postings.frequencies,
        "lengths": postings.lengths,
    }
    if postings.idf is not None:
        arrays["idf"] = postings.idf
    for name, values in arrays.items():
        np.save(directory / f"{name}.npy", values, allow_pickle=False)
    for name, strings in ((VOCABULARY, postings.terms), (CHUNK_IDS, saved.chunk_ids)):
        text = json.dumps(strings, ensure_ascii=False, separators=(",", ":"))
        (directory / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    names = [*(f"{name}.npy" for name in arrays), VOCABULARY, CHUNK_IDS]
    record = BM25Record(
        tokenizer=TOKENIZER,
        passages=len(saved.chunk_ids),
        terms=len(postings.terms),
        entries=len(postings.rows),
        k1=settings.k1,
        b=settings.b,
        background_idf=postings.idf is not None,
        sha256={name: file_digest(directory / name) for name in names},
    )
    write_json(directory / RECORD, record.model_dump())


def read_postings(directory: Path, *, checked: bool = False) -> SavedPostings:
    """Return the postings of a directory; arrays are memory-mapped.

    Args:
        directory: as `write_postings` left it.
        checked: whether the caller has compared every file with its digest already.

    Raises:
        IndexBuildError: no record, another format, another tokeniser than this code's, or a file
            that is missing or altered or does not fit the record.
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
    lengths = {
        "starts": record.terms + 1,
        "rows": record.entries,
        "frequencies": record.entries,
        "lengths": record.passages,
    }
    if record.background_idf:
        lengths["idf"] = record.terms
    for name in (*(f"{name}.npy" for name in lengths), VOCABULARY, CHUNK_IDS):
        path = directory / name
        if not path.is_file():
            raise IndexBuildError(f"{path}: missing: build the index again")
        if not checked and file_digest(path) != record.sha256.get(name):
            raise IndexBuildError(f"{path}: not the file that was written: build the index again")
    arrays: dict[str, Any] = {n: _mapped(directory, n, length) for n, length in lengths.items()}
    terms = _strings(directory / VOCABULARY, record.terms)
    ids = _strings(directory / CHUNK_IDS, record.passages)
    return SavedPostings(Postings(terms, **arrays), ids, BM25Settings(k1=record.k1, b=record.b))


def _mapped(directory: Path, name: str, length: int) -> NDArray[Any]:
    """Memory-map one array."""
    path = directory / f"{name}.npy"
    # an empty array cannot be memory-mapped
    values = np.load(path, mmap_mode="r" if length else None, allow_pickle=False)
    if values.shape != (length,):
        raise IndexBuildError(f"{path}: {values.shape}, not {length} as {RECORD} says")
    return np.asarray(values)  # a plain view of the map: memmap itself slices slowly


def _strings(path: Path, length: int) -> tuple[str, ...]:
    """Read a list of strings."""
    strings = tuple(json.loads(path.read_bytes().decode("utf-8", "surrogatepass")))
    if len(strings) != length:
        raise IndexBuildError(f"{path}: {len(strings)} entries, not {length} as {RECORD} says")
    return strings
