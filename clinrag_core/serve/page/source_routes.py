"""Cited passages and the pages that they are printed on, for those who may read them.

FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import StringConstraints

from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.page.html import HtmlRoute, render
from clinrag_core.serve.page.shell import PageShell, PartName
from clinrag_core.serve.page.sources import OWN_PICTURES, PICTURES, SourceReader, merged_pages
from clinrag_core.serve.page.view import SOURCES, release_bar

DAY_S = 86_400
Place = Annotated[str, StringConstraints(pattern=r"^[\w-]{16,80}:\d{1,9}-\d{1,9}$")]
"""Id of a passage and a span of its section's text."""


def source_routes(
    reader: SourceReader, shell: PageShell, tenant: Callable[[Request], str], lanes: Lanes
) -> APIRouter:
    """Return the routes; `tenant` says whose request it is."""
    router = APIRouter(route_class=HtmlRoute, include_in_schema=False)

    @router.get(SOURCES)
    async def source(
        name: Annotated[str, Depends(tenant)],
        at: Annotated[list[Place], Query(min_length=1, max_length=40)],
        part: PartName = None,
    ) -> Response:
        """Cited passages with their spans marked, on the pages they are printed on."""

        def made() -> str:
            found = [reader.view(chunk, spans, name) for chunk, spans in _spans(at).items()]
            views = [view for view in found if view is not None]
            if not views:
                raise HTTPException(404, "this passage is not in the release that is served now")
            release = release_bar(shell.answering().engine.search.served)
            shown = {"views": views, "pages": merged_pages(views), "release": release}
            if part == "source":
                return render("source.html", whole=False, **shown)
            return render("source_page.html", whole=True, **shown)

        if all(map(reader.is_released, _spans(at))):
            return HTMLResponse(await asyncio.to_thread(made))
        # A user's file may take its whole limit of time; released sources never wait for one.
        return HTMLResponse(await lanes.listing.run(made))

    @router.get(f"{PICTURES}/{{file_sha256}}/{{number}}.webp", dependencies=[Depends(tenant)])
    async def picture(file_sha256: str, number: int) -> Response:
        """A page of a document of the release."""
        drawn = await asyncio.to_thread(reader.picture, file_sha256, number)
        if drawn is None:
            raise HTTPException(404, "the release has no such page")
        keep = {"Cache-Control": f"private, max-age={DAY_S}, immutable"}
        return Response(drawn, media_type="image/webp", headers=keep)

    @router.get(f"{OWN_PICTURES}/{{document_id}}/{{number}}.webp")
    async def own_picture(
        document_id: str, number: int, name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """A page of a document of who asks; no cache keeps it, so that it can be deleted."""
        documents = shell.answering().documents
        drawn = await lanes.listing.run(lambda: documents.page_picture(name, document_id, number))
        if drawn is None:
            raise HTTPException(404, "there is no such page")
        return Response(drawn, media_type="image/webp")

    return router


def _spans(at: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Return the cited spans by passage."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for place in at:
        chunk_id, _, span = place.partition(":")
        start, _, end = span.partition("-")
        spans.setdefault(chunk_id, []).append((int(start), int(end)))
    return spans
