"""What every form of the page renders with: the release, the tenant's documents, the limits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Header
from fastapi.responses import HTMLResponse

from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.serve.page.html import render
from clinrag_core.serve.page.view import release_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import Response

    from clinrag_core.settings import Settings
    from clinrag_core.users.answering import Answering

PageName = Literal["answer", "documents", "source"]
ScopeName = Literal["all", "sources", "mine"]
"""What a question is put to: sources and own documents, the sources alone, own documents alone."""
PartName = Annotated[PageName | None, Header(alias="x-clinrag-part")]
"""The part that the script replaces; None: the whole page."""


@dataclass(frozen=True, slots=True)
class PageShell:
    """Renders the page for a tenant, whole or the part that its script replaces."""

    settings: Settings
    answering: Callable[[], Answering]

    async def show(
        self,
        tenant: str,
        part: PageName | None,
        values: Mapping[str, object],
        *,
        status: int = 200,
    ) -> Response:
        """Return the page with values for its templates; those not given are of an empty page."""
        made = await asyncio.to_thread(self._made, tenant, part, values)
        return HTMLResponse(made, status)

    def _made(self, tenant: str, part: PageName | None, values: Mapping[str, object]) -> str:
        """Return the rendered page."""
        opened = self.answering()
        shown: dict[str, object] = {
            "release": release_bar(opened.engine.search.served),
            "documents": opened.documents.list(tenant),
            "most_bytes": self.settings.user_documents.max_bytes,
            "most_characters": MAX_QUESTION_CHARACTERS,
            "question": "",
            "view": None,
            "problem": None,
            "document_problem": None,
            "plain": False,
            "scope": "all",
        }
        return render(f"{part or 'page'}.html", **{**shown, **values})
