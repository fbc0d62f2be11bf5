"""A tenant's documents on the page: add, list, delete.

FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from clinrag_core.errors import DocumentError, UserDocumentError
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.page.html import HtmlRoute
from clinrag_core.serve.page.shell import PageName, PageShell, PartName

PAGE_DOCUMENTS = "/documents"
MULTIPART_BYTES = 4096
"""Room for the envelope of an uploaded file: boundaries, names, types."""


def document_routes(shell: PageShell, tenant: Callable[[Request], str], lanes: Lanes) -> APIRouter:
    """Return the routes; `tenant` says whose request it is."""
    router = APIRouter(route_class=HtmlRoute, include_in_schema=False)

    @router.post(PAGE_DOCUMENTS)
    async def upload(
        name: Annotated[str, Depends(tenant)], file: UploadFile, part: PartName = None
    ) -> Response:
        """Index a document of the tenant's and list them all."""
        data = await file.read()
        filename = file.filename or "document"
        return await changed(
            name, part, lambda: shell.answering().documents.add(name, filename, data)
        )

    @router.post(f"{PAGE_DOCUMENTS}/delete")
    async def delete(
        name: Annotated[str, Depends(tenant)],
        document_id: Annotated[str, Form()],
        part: PartName = None,
    ) -> Response:
        """Delete a document of the tenant's and list those that are left."""
        return await changed(
            name, part, lambda: shell.answering().documents.delete(name, document_id)
        )

    async def changed(name: str, part: PageName | None, change: Callable[[], object]) -> Response:
        """Return the documents after a change; without the script, a page that reloads safely."""
        try:
            async with lanes.turns.turn(name):
                await lanes.indexing.run(change)
        except (UserDocumentError, DocumentError) as error:
            problem = {"document_problem": str(error)}
            return await shell.show(name, part, problem, status=422)
        if part is None:
            return RedirectResponse("/#documents", 303)
        return await shell.show(name, part, {})

    return router
