"""Every error a caller may catch.

An error says what was wrong, where (file, place inside it) and, where there is one, what to do.
Anything that leaves the library as something other than a `ClinragError` is a defect.
"""

from __future__ import annotations


class ClinragError(Exception):
    """Base of all errors clinrag raises on purpose."""


class ConfigurationError(ClinragError):
    """A profile, a setting or an environment variable is missing or wrong."""


class ManifestError(ClinragError):
    """A corpus manifest cannot be read or contradicts itself; names the file and the entry."""


class WorkspaceError(ClinragError):
    """Something under `$CLINRAG_HOME` is missing, incomplete or not what its record says."""


class MissingInputError(WorkspaceError):
    """A stage cannot run because the stored output of another stage is absent.

    Args:
        path: the absent output, relative to the workspace.
        stage: the asset that makes it.
        reason: why it cannot be used, if it exists.
    """

    def __init__(self, path: str, stage: str, reason: str = "is missing") -> None:
        super().__init__(f"{path} {reason}: materialize {stage} first")
        self.path = path
        self.stage = stage


class StaleInputError(WorkspaceError):
    """Two inputs of a stage were made from different states of a third; names all three."""


class AcquireError(ClinragError):
    """Bytes from outside could not be had or were not what was asked for."""


class FetchError(AcquireError):
    """A download failed for good; `transient` says whether a later run may succeed.

    `status` is the HTTP status where the server answered with one that is not a success.
    """

    def __init__(self, message: str, *, transient: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.transient = transient
        self.status = status


class NotListedError(AcquireError):
    """A source answered, and lists no such label (any more): it was withdrawn, or never there."""


class AmbiguousLabelError(AcquireError):
    """Several labels fit a drug equally well; names them, so that a person can choose one."""


class ChecksumError(AcquireError):
    """A file's sha256 is not the one its manifest or ledger states."""


class DocumentError(ClinragError):
    """A document cannot be used; it is quarantined with this reason.

    Args:
        reason: what was wrong, in one sentence, with what to do where something can be done.
        code: stable machine-readable reason, e.g. `pdf_encrypted`, `empty_file`, `not_a_label`.
        file: name of the file (never an absolute path).
        place: where inside the file: a page, line, element or JSON key.
    """

    def __init__(self, reason: str, *, code: str, file: str, place: str | None = None) -> None:
        where = f"{file}, {place}" if place else file
        super().__init__(f"{where}: {reason} [{code}]")
        self.reason = reason
        self.code = code
        self.file = file
        self.place = place


class ParseError(DocumentError):
    """The bytes cannot be read as the format they are said to be."""


class RefusedDocumentError(DocumentError):
    """The document is readable but is not a guideline or a drug label."""


class LabelVersionError(ClinragError):
    """A label or a version of it was never acquired; names those that were."""


class EncoderError(ClinragError):
    """Model weights are missing, altered or of another architecture than asked for."""


class IndexBuildError(ClinragError):
    """An index does not agree with the chunks or vectors it was built from."""


class VectorStoreUnavailableError(ClinragError):
    """A vector store does not answer, or the library that speaks to it is not installed."""


class ReleaseError(ClinragError):
    """There is no release to serve, or its fingerprints do not agree."""


class QueryError(ClinragError):
    """A question or its parameters cannot be used: empty, too long, unknown knowledge base."""


class GpuNotAvailableError(EncoderError):
    """A model was asked to run on a GPU, and there is none."""


class ComponentUnavailableError(ClinragError):
    """A retriever or reranker lacks its model or index; a search goes on without it."""


class GenerationError(ClinragError):
    """A generator does not answer, or not in the form asked for."""


class CalibrationError(ClinragError):
    """Thresholds are missing, malformed or made for something else; `code` says which."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class AuditError(ClinragError):
    """The audit trail is broken; names the record."""


class UserDocumentError(ClinragError):
    """A user's document cannot be taken or found."""


class BenchmarkError(ClinragError):
    """The benchmark is malformed; names the file and the question."""


class BaselineError(ClinragError):
    """A baseline cannot be read, or an evaluation cannot be accepted as one."""


class ReportError(ClinragError):
    """There is no such report; names those there are."""
