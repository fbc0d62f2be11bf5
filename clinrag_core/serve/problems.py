"""Errors as RFC 9457 problem details; what went wrong, never what was asked."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from clinrag_core.errors import (
    AuditError,
    BusyError,
    DocumentError,
    GenerationError,
    NoteError,
    NotReadyError,
    QueryError,
    ReleaseError,
    UnknownUserDocumentError,
    UserDocumentError,
    log_failure,
)

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

logger = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
TITLES: dict[type[Exception], tuple[int, str]] = {
    QueryError: (422, "the question cannot be searched"),
    UnknownUserDocumentError: (404, "there is no such document"),
    UserDocumentError: (422, "the document cannot be used"),
    DocumentError: (422, "the document cannot be used"),
    NoteError: (422, "the note cannot be used"),
    GenerationError: (503, "the generator gave no summary"),
    ReleaseError: (503, "there is no release to search"),
    NotReadyError: (503, "some components have not answered in time yet"),
}
"""Status and title of the errors whose message is meant for the caller."""


def problem(status: int, title: str, detail: str | None = None, **more: object) -> JSONResponse:
    """Return a problem+json answer."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    kept = {name: value for name, value in body.items() if value is not None}
    return JSONResponse(kept, status_code=status, media_type=MEDIA_TYPE)


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every error as problem+json."""

    async def expected(status: int, title: str, _: Request, error: Exception) -> JSONResponse:
        return problem(status, title, str(error))

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
        places = [  # without the input itself, which may contain a question
            {"place": ".".join(str(part) for part in e["loc"]), "problem": str(e["msg"])}
            for e in error.errors()
        ]
        return problem(422, "the request cannot be used", errors=places)

    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    async def waiting(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, BusyError)  # noqa: S101 - registered for it
        answer = problem(429, "too many requests", str(error))
        answer.headers["Retry-After"] = str(error.retry_after)
        return answer

    async def no_audit(_: Request, error: Exception) -> JSONResponse:
        logger.error("no answer: %s", error)
        return problem(503, "no answer can be given", "the audit trail cannot be written")

    async def defect(_: Request, error: Exception) -> JSONResponse:
        log_failure(logger, "a request failed", error)
        return problem(500, "the service failed")

    for kind, (status, title) in TITLES.items():
        app.add_exception_handler(kind, partial(expected, status, title))
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(BusyError, waiting)
    app.add_exception_handler(AuditError, no_audit)
    app.add_exception_handler(Exception, defect)
