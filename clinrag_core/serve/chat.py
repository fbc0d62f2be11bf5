"""`/v1/chat/completions` and `/v1/models`: clinrag for programs that speak OpenAI's protocol.

Only the last message of the user is answered, by the engine that answers `/v1/ask`. A stream begins
when the answer is complete and checked: each piece is a checked statement.
FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import json
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute

from clinrag_core.answer.records import Answer
from clinrag_core.errors import AuditError, QueryError, ReleaseError
from clinrag_core.serve.chat_records import MODEL, ChatRequest
from clinrag_core.serve.chat_text import ChatText, chat_text
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.users.answering import Answering

OVERHEAD = ("### task:", "create a concise", "generate a concise", "generate 1-3 broad tags")
"""How chat pages begin their own prompts for titles, tags and follow-up questions."""


def chat_routes(
    answering: Callable[[], Answering],
    tenant: Callable[[Request], str],
    metrics: ServiceMetrics,
    lanes: Lanes,
    problems: dict[int | str, dict[str, Any]],
) -> APIRouter:
    """Return the routes; `tenant` says whose request it is."""
    # The door answers with problem details, these routes in OpenAI's form.
    either = {"application/json": {}, "application/problem+json": {}}
    responses = {status: {**one, "content": either} for status, one in problems.items()}
    router = APIRouter(route_class=_OpenAIRoute, responses=responses)

    @router.get("/v1/models", summary="The one model of the chat interface", tags=["answers"])
    async def models(_: Annotated[str, Depends(tenant)]) -> dict[str, Any]:
        """clinrag, as a list of models."""
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "clinrag"}
        return {"object": "list", "data": [model]}

    @router.post(
        "/v1/chat/completions", summary="Answer the last message of a chat", tags=["answers"]
    )
    async def complete(
        body: Annotated[ChatRequest, Body()],
        request: Request,
        name: Annotated[str, Depends(tenant)],
    ) -> Response:
        """A completion of checked statements with their sources, or the reason for none."""
        if body.unsupported is not None:
            return _error(400, f"{body.unsupported} is not supported", body.unsupported)
        address = str(request.base_url).rstrip("/")
        if body.question.lower().startswith(OVERHEAD):
            made, facts = ChatText(("clinrag",), ()), {"outcome": "not_a_question"}
        else:
            answer = await lanes.ask.run(lambda: answering().ask(body.question, name))
            metrics.answered(answer)
            made, facts = chat_text(answer, address), _facts(answer)
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": MODEL}
        if body.stream:
            usage = body.stream_options is not None and body.stream_options.include_usage
            events = _events(head, made, facts, usage=usage)
            return StreamingResponse(events, media_type="text/event-stream")
        message = {
            "role": "assistant",
            "content": made.whole,
            "refusal": None,
            "annotations": list(made.annotations),
        }
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return JSONResponse({
            **head, "object": "chat.completion", "choices": [choice], "usage": _USAGE,
            "clinrag": facts,
        })  # fmt: skip

    return router


_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
"""The protocol asks for it; no language model is paid by the token here."""


class _OpenAIRoute(APIRoute):
    """A route whose errors have the form that OpenAI's clients read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler with its errors as OpenAI's clients read them."""
        handler = super().get_route_handler()

        async def shown(request: Request) -> Response:
            """Run the handler; errors in the form of OpenAI."""
            try:
                return await handler(request)
            except HTTPException as error:
                response = _error(error.status_code, str(error.detail))
                response.headers.update(error.headers or {})
                return response
            except RequestValidationError as error:
                places = {".".join(map(str, e["loc"][1:])) for e in error.errors()}
                return _error(400, "the request cannot be used", ", ".join(sorted(places)))
            except QueryError as error:
                return _error(400, str(error), "messages")
            except ReleaseError as error:
                return _error(503, str(error))
            except AuditError:
                return _error(503, "no answer can be given: the audit trail cannot be written")

        return shown


def _error(status: int, message: str, param: str | None = None) -> JSONResponse:
    """Return an error in OpenAI's form, without a word of the question."""
    kind = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
    error = {"message": message, "type": kind, "param": param, "code": None}
    return JSONResponse({"error": error}, status)


def _facts(answer: Answer) -> dict[str, Any]:
    """Return what the protocol has no field for."""
    return {
        "outcome": answer.status,
        "reason": answer.reason,
        "release": answer.release,
        "unreviewed": answer.unreviewed,
        "audit_id": answer.audit_id,
    }


def _events(
    head: dict[str, Any], made: ChatText, facts: dict[str, Any], *, usage: bool
) -> Iterator[str]:
    """Yield the events of a stream; all annotations in one chunk, as clients crash on several."""

    def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**head, "object": "chat.completion.chunk", "choices": [choice], **more})

    yield event({"role": "assistant", "content": ""})
    for piece in made.pieces:
        yield event({"content": piece})
    if made.annotations:
        yield event({"annotations": list(made.annotations)})
    yield event({}, "stop", clinrag=facts)
    if usage:
        yield _event({**head, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE})
    yield "data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
