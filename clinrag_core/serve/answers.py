"""`/v1/ask` and `/v1/documents`: answers, and the documents a tenant gave.

FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Request, Response
from pydantic import Field

from clinrag_core.answer.records import Answer
from clinrag_core.model.base import Record
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.users.answering import Answering
from clinrag_core.users.documents import UserDocument

logger = logging.getLogger(__name__)
DOCUMENTS = "/v1/documents"


class AskRequest(Record):
    """A question."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)


class Documents(Record):
    """A tenant's documents."""

    documents: tuple[UserDocument, ...]


def answer_routes(
    answering: Callable[[], Answering],
    tenant: Callable[[Request], str],
    metrics: ServiceMetrics,
    problems: dict[int | str, dict[str, Any]],
) -> APIRouter:
    """Return the routes; `tenant` says whose request it is and refuses who may not ask."""
    router = APIRouter(responses=problems)

    @router.post("/v1/ask", response_model=Answer, summary="Answer a question")
    async def ask(
        request: Annotated[AskRequest, Body()], name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """An answer with its citations, or the reason for there being none; both are 200."""
        answer = await asyncio.to_thread(lambda: answering().ask(request.question, name))
        metrics.answered(answer)
        logger.info(
            "answered",
            extra={
                "status": answer.status,
                "reason": answer.reason,
                "milliseconds": answer.timings_ms["total"],
                "release": answer.release,
                "audit_id": answer.audit_id,
            },
        )
        return Response(answer.model_dump_json(), media_type="application/json")

    @router.post(DOCUMENTS, status_code=201, summary="Give a document: its bytes as the body")
    async def add(
        request: Request,
        filename: Annotated[
            str, Query(min_length=3, max_length=255, description="with its ending")
        ],
        name: Annotated[str, Depends(tenant)],
    ) -> UserDocument:
        """PDF, HTML, text or markdown; searched with the next question."""
        data = await request.body()
        return await asyncio.to_thread(lambda: answering().documents.add(name, filename, data))

    @router.get(DOCUMENTS, summary="Your documents")
    async def listed(name: Annotated[str, Depends(tenant)]) -> Documents:
        """What is indexed for you."""
        stored = await asyncio.to_thread(lambda: answering().documents.list(name))
        return Documents(documents=tuple(stored))

    @router.delete(f"{DOCUMENTS}/{{document_id}}", status_code=204, summary="Remove a document")
    async def delete(document_id: str, name: Annotated[str, Depends(tenant)]) -> None:
        """Its text, its vectors and every cached answer go."""
        await asyncio.to_thread(lambda: answering().documents.delete(name, document_id))

    return router
