"""What acquiring hands on: files with their source, and what could not be had."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clinrag_core.acquire.label_choice import LabelChoice
from clinrag_core.errors import ClinragError, FetchError
from clinrag_core.model.source import DocumentSource


@dataclass(frozen=True, slots=True)
class AcquiredFile:
    """A file in the workspace, ready to be parsed.

    `path` names the stored bytes by their sha256, `source` says where they come from; both are
    the same from run to run as long as the bytes are.
    """

    source: DocumentSource
    path: Path
    notes: tuple[str, ...] = ()
    """Codes of what was odd or was done, e.g. `gunzipped`, `pdf_no_eof`, `from_drop_folder`."""
    choice: LabelChoice | None = None
    """How a live label was chosen among its candidates."""


@dataclass(frozen=True, slots=True)
class AcquireFailure:
    """One file of a drug that could not be had or used."""

    entry: str
    """The manifest entry, e.g. 'label labels/spl/x.xml'."""
    error: ClinragError

    @property
    def transient(self) -> bool:
        """Whether a later run may succeed without anybody changing anything."""
        return isinstance(self.error, FetchError) and self.error.transient


@dataclass(frozen=True, slots=True)
class Acquired:
    """Outcome for one drug: a bad file does not lose the others."""

    files: tuple[AcquiredFile, ...]
    failures: tuple[AcquireFailure, ...]
