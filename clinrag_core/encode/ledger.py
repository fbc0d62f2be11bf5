"""Model folders that were fetched: what they are of, and the hash of every file.

A folder without a ledger was put there by hand and is taken as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from clinrag_core.errors import EncoderError
from clinrag_core.model.base import Record
from clinrag_core.workspace import file_digest, read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

LEDGER = "clinrag-ledger.json"


class ModelLedger(Record):
    """Where the files of a model folder come from."""

    model: str = Field(description="owner/name on the hub")
    commit: str
    files: dict[str, str] = Field(description="path to sha256")
    converted: str | None = Field(None, description="sha256 of the pickled weights it is made from")


def write_ledger(folder: Path, model: str, commit: str, converted: str | None) -> ModelLedger:
    """Record the files of a folder as they are now."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != LEDGER)
    files = {path.relative_to(folder).as_posix(): file_digest(path) for path in paths}
    ledger = ModelLedger(model=model, commit=commit, files=files, converted=converted)
    write_json(folder / LEDGER, ledger.model_dump(mode="json"))
    return ledger


def check_ledger(folder: Path) -> ModelLedger | None:
    """Compare a folder with its ledger, and return it; None if it has none.

    Raises:
        EncoderError: a file is missing or another one, or the ledger cannot be read.
    """
    if not (folder / LEDGER).is_file():
        return None
    try:
        ledger = ModelLedger.model_validate(read_json(folder / LEDGER))
    except ValidationError as error:
        raise EncoderError(f"{folder.name}/{LEDGER} cannot be read: {error}") from error
    for name, stated in ledger.files.items():
        path = folder / name
        if not path.is_file() or file_digest(path) != stated:
            raise EncoderError(
                f"{name} in {folder} is missing or not the file that was fetched: remove the "
                f"folder and run `clinrag models fetch {ledger.model}@{ledger.commit}`"
            )
    return ledger
