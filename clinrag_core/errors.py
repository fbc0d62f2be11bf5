"""Every error a caller may catch.

A message states what was wrong, where (file, place inside it) and what to do about it, if anything
can be done. Any other exception that leaves the library is a defect.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging


def log_failure(logger: logging.Logger, what: str, error: BaseException) -> None:
    """Log an exception with the code lines and types of it and its causes, without messages.

    Messages of libraries may contain the question, and no question may reach a log.
    """
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        parts.append("".join(traceback.format_tb(current.__traceback__)) + type(current).__name__)
        hidden = None if current.__suppress_context__ else current.__context__
        current = current.__cause__ or hidden
    logger.error("%s: %s", what, "\ncaused by:\n".join(parts))


class ClinragError(Exception):
    """Base class of all errors that clinrag raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what an error holds: most take other arguments than they pass on to `Exception`.

        A worker's error is raised again in the process that waits for it.
        """
        return _unpickled, (type(self), self.args, vars(self))


def _unpickled(kind: type[ClinragError], args: tuple[Any, ...], values: dict[str, Any]) -> Any:
    """Return the error that was pickled."""
    error = kind.__new__(kind, *args)
    vars(error).update(values)
    return error


class ConfigurationError(ClinragError):
    """A profile, a setting or an environment variable is missing or invalid."""


class InvalidFileError(ClinragError):
    """A file that a person writes has problems; each names the file and the place in it."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ManifestError(InvalidFileError):
    """A corpus manifest cannot be read or is invalid."""


class WorkspaceError(ClinragError):
    """A file under `$CLINRAG_HOME` is missing, incomplete or differs from its record."""


class MissingInputError(WorkspaceError):
    """A stage cannot run because the stored output of another stage is absent.

    `path` is the absent output, relative to the workspace; `stage` the asset that makes it.
    """

    def __init__(self, path: str, stage: str, reason: str = "is missing") -> None:
        super().__init__(f"{path} {reason}: materialize {stage} first")
        self.path = path
        self.stage = stage


class StaleInputError(WorkspaceError):
    """Two inputs of a stage were made from different states of a third; the message names all."""


class AcquireError(ClinragError):
    """A document could not be retrieved, or another one was received than requested."""


class FetchError(AcquireError):
    """A download failed after all attempts of this run.

    `transient` is True if a later run may succeed without any change; `status` is the HTTP status
    if the server answered with an error.
    """

    def __init__(self, message: str, *, transient: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.transient = transient
        self.status = status


class NotListedError(AcquireError):
    """A label service does not list the label: it was withdrawn or never published there."""


class AmbiguousLabelError(AcquireError):
    """Several labels match a drug equally well; the message lists them, to pin one."""


class ChecksumError(AcquireError):
    """A file's sha256 differs from the one in its manifest or ledger."""


class DocumentError(ClinragError):
    """A document cannot be used and is quarantined with this reason.

    Args:
        reason: what was wrong, in one sentence, and what to do if anything can be done.
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
    """The bytes cannot be read in their declared format."""


class RefusedDocumentError(DocumentError):
    """The document is readable but is not a guideline or a drug label."""


class OverLimitError(ClinragError):
    """Work in a child process took too long or too much memory; `limit` says which."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class ChildFailedError(ClinragError):
    """Work in a child process raised `kind` at the code line `where`, or its process ended.

    Without the message of the exception, which may quote a document.
    """

    def __init__(self, kind: str, where: str) -> None:
        super().__init__(f"{kind} at {where}" if where else kind)
        self.kind = kind
        self.where = where


class LabelVersionError(ClinragError):
    """A label or a version of it was never acquired; the message lists the acquired ones."""


class ThesaurusError(ClinragError):
    """A thesaurus cannot be read, or its compiled form is damaged."""


class EncoderError(ClinragError):
    """Model weights are missing, altered or of another architecture than configured."""


class IndexBuildError(ClinragError):
    """An index differs from the chunks or vectors it was built from."""


class VectorStoreUnavailableError(ClinragError):
    """A vector store does not respond, or its client library is not installed."""


class ReleaseError(ClinragError):
    """There is no release to serve, or its fingerprints do not match."""


class NotReadyError(ClinragError):
    """A release is open, and not every component has answered within its limit yet."""


class QueryError(ClinragError):
    """A question or its parameters are invalid: empty, too long, unknown knowledge base."""


class GpuNotAvailableError(EncoderError):
    """A model is configured to run on a GPU, and no GPU is available."""


class ComponentUnavailableError(ClinragError):
    """A retriever or reranker lacks its model or index; the search continues without it."""


class ExecutorError(ClinragError):
    """Work cannot be done where the profile wants it done, or its workers died."""


class GenerationError(ClinragError):
    """A generator does not respond, or its response has another form than requested."""


class CalibrationError(ClinragError):
    """Thresholds are missing, malformed or calibrated for another configuration (see `code`)."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class AuditError(ClinragError):
    """The audit trail is damaged or cannot be written; the message names the damaged record."""


class UserDocumentError(ClinragError):
    """A user's document cannot be stored or does not exist."""


class UnknownUserDocumentError(UserDocumentError):
    """The tenant has no document with this id."""


class BusyError(ClinragError):
    """Too much is waiting already; a client may try again after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NoteError(ClinragError):
    """A clinical note cannot be read or may not be sent where it would have to go."""


class QuestionListError(InvalidFileError):
    """A list of questions to answer cannot be read."""


class BenchmarkError(InvalidFileError):
    """The benchmark, or a corpus's questions, cannot be read or are invalid."""


class BaselineError(ClinragError):
    """A baseline cannot be read, or an evaluation cannot be accepted as one."""


class ReportError(ClinragError):
    """The report does not exist; the message lists the existing ones."""
