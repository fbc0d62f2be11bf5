"""Vector databases outside of this process: their collections, and how calls to them are repeated.

A collection is one state of one knowledge base, named by its fingerprint. It is filled next to the
one that is served and never changed after that, so that a release switches by name alone.
"""

from __future__ import annotations

import importlib
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from clinrag_core.errors import VectorStoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.settings import VectorStoreSettings

_NAMESPACE = uuid.UUID("6f0b3b3e-52a1-5d0f-9a5d-0c7a6a2b7d10")


def point_id(chunk_id: str) -> str:
    """The UUID of a chunk, for databases that take no other ids."""
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


class VectorDatabase(Protocol):
    """A server with collections of vectors."""

    def store(self, collection: str, dimension: int) -> VectorStore:
        """The store of a collection, which is made with its first use."""
        ...

    def collections(self) -> list[str]:
        """Names of all collections, sorted.

        Raises:
            VectorStoreUnavailableError: the database does not answer.
        """
        ...

    def drop(self, collection: str) -> None:
        """Remove a collection; an unknown one is ignored.

        Raises:
            VectorStoreUnavailableError: the database does not answer.
        """
        ...


def client_library(name: str, extra: str) -> ModuleType:
    """Import the client of a database.

    Raises:
        VectorStoreUnavailableError: it is not installed; names the extra that brings it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise VectorStoreUnavailableError(
            f"{name} is not installed: pip install 'clinrag[{extra}]'"
        ) from error


def needed_url(settings: VectorStoreSettings, form: str) -> str:
    """Return the address of a profile's database, which has this form.

    Raises:
        VectorStoreUnavailableError: none is given.
    """
    if settings.url is None:
        raise VectorStoreUnavailableError(
            f"vector_store.url is unset: {settings.kind} needs {form}"
        )
    return settings.url


class Attempts:
    """Repeats calls while a database cannot be reached, with growing waits."""

    def __init__(
        self,
        engine: str,
        settings: VectorStoreSettings,
        again: tuple[type[Exception], ...],
        final: tuple[type[Exception], ...] = (),
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """Name the errors of `engine`: those worth another attempt, and those that are not."""
        self._engine = engine
        self._settings = settings
        self._again = again
        self._final = final
        self._options: dict[str, Any] = {} if sleep is None else {"sleep": sleep}

    def __call__(self, call: Callable[[], Any]) -> Any:
        """The result of a call.

        Raises:
            VectorStoreUnavailableError: the last attempt failed, or one in a way that lasts.
        """
        settings = self._settings
        try:
            return Retrying(
                stop=stop_after_attempt(settings.attempts),
                wait=wait_exponential(settings.backoff_s, max=30),
                retry=retry_if_exception_type(self._again),
                reraise=True,
                **self._options,
            )(call)
        except self._again as error:
            raise VectorStoreUnavailableError(
                f"{self._engine} does not answer after {settings.attempts} attempts "
                f"({type(error).__name__}): is it running at the address of the profile?"
            ) from error
        except self._final as error:
            raise VectorStoreUnavailableError(
                f"{self._engine} refuses a request ({type(error).__name__}: {error})"
            ) from error

    def answers(self, call: Callable[[], Any]) -> bool:
        """True if one attempt of a call succeeds."""
        try:
            call()
        except (*self._again, *self._final):
            return False
        return True


def stored_payload(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a database keeps of a passage for filters; fields without a value are left out.

    Names of drugs are one list in lower case, as filters compare them.
    """
    names = [str(payload.get("drug") or ""), *(payload.get("drug_names") or ())]
    kept = {
        "names": sorted({name.casefold() for name in names if name}),
        "topics": list(payload.get("topics") or ()),
        "year": payload.get("year"),
        "has_table": bool(payload.get("has_table")),
        **{field: payload.get(field) for field in ("organisation", "loinc", "document_id")},
        "section_group": payload.get("group"),
    }
    return {field: value for field, value in kept.items() if value not in (None, [])}


class Conditions(NamedTuple):
    """A filter in the fields of `stored_payload`; a passage meets all conditions."""

    any_of: dict[str, list[str]]
    """By field: one of these values."""
    year_from: int | None
    year_to: int | None
    tables_only: bool


def conditions(wanted: MetadataFilter | None) -> Conditions:
    """Return the conditions of a filter; none where it is empty."""
    if wanted is None:
        return Conditions({}, None, None, tables_only=False)
    any_of = {
        "organisation": wanted.sources,
        "topics": wanted.topics,
        "names": [drug.casefold() for drug in wanted.drugs],
        "loinc": wanted.loinc,
        "section_group": wanted.groups,
        "document_id": wanted.document_ids,
    }
    return Conditions(
        {field: list(values) for field, values in any_of.items() if values},
        wanted.year_from,
        wanted.year_to,
        wanted.tables_only,
    )
