"""The question page: ask, read, open the source, give documents. Works without its script.

A question comes in the body of a POST and is never part of an address, a log line or a cache.
FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse

from clinrag_core.answer.records import Answer
from clinrag_core.errors import QueryError, ReleaseError
from clinrag_core.model.chunk import Chunk
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.serve.page.document_routes import document_routes
from clinrag_core.serve.page.html import HtmlRoute, render, static_file
from clinrag_core.serve.page.shell import PageShell, PartName, ScopeName
from clinrag_core.serve.page.source_routes import source_routes
from clinrag_core.serve.page.sources import SourceReader
from clinrag_core.serve.page.view import answer_view
from clinrag_core.settings import Settings
from clinrag_core.users.answering import Answering


def page_routes(
    settings: Settings,
    answering: Callable[[], Answering],
    tenant: Callable[[Request], str],
    metrics: ServiceMetrics,
    lanes: Lanes,
) -> APIRouter:
    """Return the routes of the page; `tenant` says whose request it is."""
    router = APIRouter(route_class=HtmlRoute, include_in_schema=False)
    reader = SourceReader(settings, answering)
    shell = PageShell(settings, answering)

    @router.get("/")
    async def form(name: Annotated[str, Depends(tenant)]) -> Response:
        """The empty form."""
        try:
            return await shell.show(name, None, {})
        except ReleaseError:
            return HTMLResponse(render("no_release.html"), 503)

    @router.post("/")
    async def ask(
        name: Annotated[str, Depends(tenant)],
        question: Annotated[str, Form()] = "",
        plain: Annotated[bool, Form()] = False,
        scope: Annotated[ScopeName, Form()] = "sources",
        part: PartName = None,
    ) -> Response:
        """The answer to a question, or the reason for there being none."""
        asked: dict[str, object] = {"question": question, "plain": plain, "scope": scope}
        try:
            answer = await lanes.ask.run(lambda: _asked(answering(), question, name, scope))
        except QueryError as error:
            return await shell.show(name, part, asked | {"problem": str(error)}, status=422)
        metrics.answered(answer)
        near = await lanes.search.run(lambda: _passages(reader, answer, name))
        view = answer_view(answer, near, plain=plain)
        return await shell.show(name, part, asked | {"view": view})

    @router.get("/static/{file}")
    async def static(file: str) -> Response:
        """A style sheet, script or icon of the page."""
        return static_file(file)

    router.include_router(source_routes(reader, shell, tenant, lanes))
    router.include_router(document_routes(shell, tenant, lanes))
    return router


def _asked(answering: Answering, question: str, tenant: str, scope: ScopeName) -> Answer:
    """Return the answer from the release, from the tenant's documents, or from both."""
    if scope == "sources":
        return answering.engine.ask(question)
    return answering.ask(question, tenant, only_own=scope == "mine")


def _passages(reader: SourceReader, answer: Answer, tenant: str) -> dict[str, Chunk]:
    """Return the passages near to a question that was refused, by id."""
    if answer.status == "answered":
        return {}
    ids = [item.chunk_id for item in answer.evidence]
    found = {chunk_id: reader.passage(chunk_id, tenant) for chunk_id in ids}
    return {chunk_id: chunk for chunk_id, chunk in found.items() if chunk is not None}
