"""The service: `/v1/search`, `/v1/ask`, `/v1/documents`, `/v1/notes`, health, readiness, metrics.

Thin: a request is checked, handed to the engine, counted and answered. Questions are never logged.
FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request, Response
from starlette.middleware.base import RequestResponseEndpoint

from clinrag_core.reason.open import PipelineName
from clinrag_core.retrieve.request import SearchRequest, SearchResponse
from clinrag_core.retrieve.stages.records import StagedResponse
from clinrag_core.serve.answers import DOCUMENTS, answer_routes
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.serve.chat import chat_routes
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.limits import BodyLimit, RateLimiter
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.serve.notes import note_routes
from clinrag_core.serve.page.document_routes import MULTIPART_BYTES, PAGE_DOCUMENTS
from clinrag_core.serve.page.routes import page_routes
from clinrag_core.serve.parameters import SearchParameters
from clinrag_core.serve.problems import install_problem_handlers
from clinrag_core.serve.searching import search
from clinrag_core.settings import Settings

EXAMPLE = {
    "query": "rifapentine dose in adults with latent tuberculosis",
    "components": ["bm25", "dense"],
    "fusion_method": "rrf",
    "top_k": 5,
    "filter": {"groups": ["dosage"]},
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {"application/problem+json": {}}}
    for status, text in {
        400: "the request cannot be read",
        401: "no API key, or an unknown one",
        413: "the request is too large",
        422: "the request cannot be used",
        429: "too many requests",
        503: "no release is open, or not every component answers in time",
    }.items()
}


def service_app(settings: Settings, keys: ApiKeys) -> FastAPI:
    """The application over the current release of a profile's workspace."""
    limits = settings.service
    metrics = ServiceMetrics()
    holder = EngineHolder(settings, metrics)
    limiter = RateLimiter(limits.requests_per_minute)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        await asyncio.to_thread(holder.check)
        watch = asyncio.create_task(holder.watch(limits.reload_s))
        yield
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch

    app = FastAPI(
        title="clinrag",
        version="1",
        description="Search and checked answers over released TB and CAP knowledge bases. "
        "Not a medical device.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own page loads its script from elsewhere; see serve/page
        redoc_url=None,
    )
    install_problem_handlers(app)
    largest = settings.user_documents.max_bytes
    uploads = {DOCUMENTS: largest, PAGE_DOCUMENTS: largest + MULTIPART_BYTES}
    app.add_middleware(BodyLimit, max_bytes=limits.max_body_bytes, uploads=uploads)

    def tenant(request: Request) -> str:
        headers = request.headers
        name = keys.tenant(headers.get("authorization"), headers.get("x-api-key"))
        client = request.client.host if request.client else ""
        limiter.take(name or client)
        return name

    async def answer(request: SearchRequest, name: str, pipeline: PipelineName) -> Response:
        """Search, by a pipeline."""
        response = await search(holder, metrics, request, name, pipeline)
        # Written once: FastAPI would validate and copy what the engine has just validated.
        return Response(response.model_dump_json(), media_type="application/json")

    @app.middleware("http")
    async def count(request: Request, call_next: RequestResponseEndpoint) -> Response:
        response = await call_next(request)
        metrics.responded(response.status_code)
        return response

    @app.get(
        "/v1/search",
        response_model=SearchResponse | StagedResponse,
        responses=PROBLEMS,
        summary="Search, by query parameters",
    )
    async def search_get(
        choices: Annotated[SearchParameters, Query()], name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """Hybrid search; the same as POST, with lists as comma-separated values."""
        return await answer(choices.request(), name, choices.pipeline)

    @app.post(
        "/v1/search",
        response_model=SearchResponse | StagedResponse,
        responses=PROBLEMS,
        summary="Search, by a JSON body",
    )
    async def search_post(
        request: Annotated[
            SearchRequest, Body(openapi_examples={"dose": {"summary": "a dose", "value": EXAMPLE}})
        ],
        name: Annotated[str, Depends(tenant)],
        pipeline: Annotated[PipelineName, Query()] = "hybrid",
    ) -> Response:
        """Hybrid search: each component's score, what was left out and why, each hit's place."""
        return await answer(request, name, pipeline)

    app.include_router(answer_routes(holder.answering, tenant, metrics, PROBLEMS))
    app.include_router(chat_routes(holder.answering, tenant, metrics))
    app.include_router(page_routes(settings, holder.answering, tenant, metrics))
    app.include_router(note_routes(settings, holder.answering, tenant, metrics, PROBLEMS))

    @app.get("/healthz", summary="The process lives")
    async def healthz() -> dict[str, str]:
        """Always 200 while the process answers."""
        return {"status": "alive"}

    @app.get("/readyz", summary="Every component answers in time", responses={503: PROBLEMS[503]})
    async def readyz() -> dict[str, str | bool | None]:
        """200 with the release, once each component has answered within its limit; or 503."""
        release = holder.ready_release()
        served = holder.engine.served
        return {
            "status": "ready",
            "release": release,
            "unreviewed": served is not None and served.unreviewed,
            "damaged_release": served.damaged if served is not None else None,
        }

    @app.get("/metrics", summary="Prometheus metrics")
    async def prometheus() -> Response:
        """Latencies per stage, caches, fallbacks, errors."""
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4")

    return app
