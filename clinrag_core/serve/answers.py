"""`/v1/ask` and `/v1/documents`: answers, and the documents a tenant gave.

FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Request, Response
from pydantic import Field
from starlette.datastructures import UploadFile

from clinrag_core.answer.records import Answer
from clinrag_core.errors import UserDocumentError
from clinrag_core.model.base import Record
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.users.answering import Answering
from clinrag_core.users.documents import UserDocument

DOCUMENTS = "/v1/documents"


PROBLEM: dict[str, Any] = {"application/problem+json": {}}
_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
UPLOAD_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/octet-stream": _BINARY,
        "application/pdf": _BINARY,
        "text/html": _BINARY,
        "text/plain": _BINARY,
        "text/markdown": _BINARY,
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary"}},
            }
        },
    },
}


class AskRequest(Record):
    """A question."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)
    only_my_documents: bool = Field(
        default=False, description="read your own documents alone, and none of the released sources"
    )


class Documents(Record):
    """A tenant's documents."""

    documents: tuple[UserDocument, ...]


def answer_routes(
    answering: Callable[[], Answering],
    tenant: Callable[[Request], str],
    metrics: ServiceMetrics,
    lanes: Lanes,
    problems: dict[int | str, dict[str, Any]],
) -> APIRouter:
    """Return the routes; `tenant` says whose request it is."""
    router = APIRouter(responses=problems)

    @router.post("/v1/ask", response_model=Answer, summary="Answer a question", tags=["answers"])
    async def ask(
        request: Annotated[AskRequest, Body()], name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """An answer with its citations, or the reason for there being none; both are 200."""
        own = request.only_my_documents
        answer = await lanes.ask.run(lambda: answering().ask(request.question, name, only_own=own))
        metrics.answered(answer)
        return Response(answer.model_dump_json(), media_type="application/json")

    @router.post(
        DOCUMENTS,
        status_code=201,
        summary="Give a document: its bytes as the body, or as a form with a file",
        tags=["documents"],
        openapi_extra={"requestBody": UPLOAD_BODY},
    )
    async def add_document(
        request: Request,
        name: Annotated[str, Depends(tenant)],
        filename: Annotated[
            str | None, Query(min_length=3, max_length=255, description="with its ending")
        ] = None,
    ) -> UserDocument:
        """PDF, HTML, text or markdown; searched with the next question."""
        async with lanes.turns.turn(name):
            given, data = await _uploaded(request)
            named = filename or given
            return await lanes.indexing.run(lambda: answering().documents.add(name, named, data))

    @router.get(DOCUMENTS, summary="Your documents", tags=["documents"])
    async def list_documents(name: Annotated[str, Depends(tenant)]) -> Documents:
        """What is indexed for you."""
        stored = await lanes.listing.run(lambda: answering().documents.list(name))
        return Documents(documents=tuple(stored))

    @router.delete(
        f"{DOCUMENTS}/{{document_id}}",
        status_code=204,
        summary="Remove a document",
        tags=["documents"],
        responses={404: {"description": "you have no such document", "content": PROBLEM}},
    )
    async def delete_document(document_id: str, name: Annotated[str, Depends(tenant)]) -> None:
        """Its text, its vectors and every cached answer go."""
        async with lanes.turns.turn(name):
            await lanes.indexing.run(lambda: answering().documents.delete(name, document_id))

    return router


async def _uploaded(request: Request) -> tuple[str, bytes]:
    """Return the file name and the bytes of an upload; the name is empty where a body has none.

    Raises:
        UserDocumentError: a form has no file, or more than one.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        return "", await request.body()
    async with request.form(max_files=1, max_fields=4) as form:
        files = [value for value in form.values() if isinstance(value, UploadFile)]
        if len(files) != 1:
            raise UserDocumentError("send one file in the form")
        return files[0].filename or "", await files[0].read()
