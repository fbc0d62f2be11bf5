"""The Python interface: opens a release and asks or searches it, as `clinrag ask` and `search` do.

Thin: every answer is made, checked and recorded by the engine that serves all other interfaces.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from clinrag_core.client_results import AskResult, FoundPassages
from clinrag_core.errors import QueryError
from clinrag_core.model.base import described
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.settings import Settings
    from clinrag_core.users.answering import Answering


class Clinrag:
    """An open release. Use it as a context manager, or call `close` at the end."""

    def __init__(
        self, settings: Settings, answering: Answering | None = None, tenant: str = ""
    ) -> None:
        """Open the current release of a profile's home, or take one that is open.

        `tenant` is whose documents are read along with it.

        Raises:
            ReleaseError: the home has no undamaged release.
        """
        self.settings = settings
        self._answering: Answering = answering or open_answering(settings)
        self._tenant = tenant

    @property
    def release(self) -> str | None:
        """Id of the release that answers."""
        return self._answering.engine.search.release

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices that belong to every answer: not reviewed, or an older release is served."""
        served = self._answering.engine.search.served
        return tuple(served.notices) if served is not None else ()

    def ask(self, question: str) -> AskResult:
        """Answer a question with its citations, or say why not; recorded in the audit trail.

        Raises:
            QueryError: the question is empty or too long.
            AuditError: the audit trail cannot be written; then there is no answer.
        """
        return AskResult(self._answering.ask(question, self._tenant))

    def search(self, question: str, **choices: Any) -> FoundPassages:
        """Return the passages nearest to a question; `choices` are fields of `SearchRequest`.

        For example `top_k=5`, `components=["bm25"]`, `filter={"drugs": ["isoniazid"]}`.

        Raises:
            QueryError: a choice cannot be used.
        """
        try:
            request = SearchRequest.model_validate({"query": question, **choices})
        except ValidationError as error:
            raise QueryError(described(error)) from error
        return FoundPassages(self._answering.engine.search.search(request))

    def passage(self, passage_id: str) -> Chunk | None:
        """Return a passage of the release; None if it has none of this id."""
        return self._answering.engine.chunk(passage_id)

    def close(self) -> None:
        """End the threads of the engine."""
        self._answering.engine.search.close()

    def __enter__(self) -> Clinrag:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        bases = self._answering.engine.search.knowledge_bases
        counted = ", ".join(f"{len(base.ids)} passages of {name}" for name, base in bases.items())
        return f"<Clinrag release {self.release}: {counted}. Not a medical device.>"


def open(home: str | Path | None = None, profile: str | None = None) -> Clinrag:  # noqa: A001 - as in `gzip.open`
    """Open the current release of a home folder.

    Args:
        home: folder that `make run` built; None: `$CLINRAG_HOME`, else `.clinrag`.
        profile: name of a shipped profile; None: that of the environment, else `sample`.

    Raises:
        ConfigurationError: the settings cannot be used.
        ReleaseError: the home has no undamaged release.
    """
    given = {} if home is None else {"CLINRAG_HOME": os.fspath(home)}
    return Clinrag(load_settings(profile, {**os.environ, **given}))
