"""The result of acquiring: files with their sources, and failures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clinrag_core.errors import ClinragError, FetchError
from clinrag_core.model.source import DocumentSource


@dataclass(frozen=True, slots=True)
class AcquiredFile:
    """A stored file that is ready to be parsed; equal in every run with the same bytes."""

    source: DocumentSource
    path: Path
    """Path of the stored bytes, named by their sha256."""
    notes: tuple[str, ...] = ()
    """Codes of repairs and oddities, e.g. `gunzipped`, `pdf_no_eof`, `from_drop_folder`."""


@dataclass(frozen=True, slots=True)
class AcquireFailure:
    """One file that could not be retrieved or failed its checks."""

    entry: str
    """The manifest entry, e.g. 'label isoniazid (labels/spl/x.xml)'."""
    error: ClinragError

    @property
    def transient(self) -> bool:
        """True if a later run may succeed without any change."""
        return isinstance(self.error, FetchError) and self.error.transient


@dataclass(frozen=True, slots=True)
class Acquired:
    """Files and failures of one partition; a failure does not affect the other files."""

    files: tuple[AcquiredFile, ...]
    failures: tuple[AcquireFailure, ...]
