"""The service: `/v1/search`, `/v1/ask`, `/v1/documents`, `/v1/notes`, health, readiness, metrics.

Thin: a request is checked, handed to the engine, counted and answered. Questions are never logged.
FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request, Response

from clinrag_core.reason.open import PipelineName
from clinrag_core.retrieve.request import SearchRequest, SearchResponse
from clinrag_core.retrieve.stages.records import StagedResponse
from clinrag_core.serve.answers import DOCUMENTS, answer_routes
from clinrag_core.serve.auth import ApiKeys, KeyFile
from clinrag_core.serve.chat import chat_routes
from clinrag_core.serve.door import Door
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.limits import BodyLimit
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.serve.notes import note_routes
from clinrag_core.serve.openapi import describe, operation_id
from clinrag_core.serve.page.document_routes import MULTIPART_BYTES, PAGE_DOCUMENTS
from clinrag_core.serve.page.routes import page_routes
from clinrag_core.serve.parameters import SearchParameters
from clinrag_core.serve.problems import install_problem_handlers
from clinrag_core.serve.searching import search
from clinrag_core.settings import Settings

EXAMPLE = {
    "question": "rifapentine dose in adults with latent tuberculosis",
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
        403: "a web page of another site asks",
        408: "the request was not sent in time",
        413: "the request is too large",
        415: "the content type is not accepted",
        421: "this host is not served",
        422: "the request cannot be used",
        429: "too many requests",
        503: "no release is open, or not every component answers in time",
    }.items()
}


def service_app(settings: Settings, keys: ApiKeys | KeyFile) -> FastAPI:
    """Return the application over the current release of a profile's workspace.

    A `KeyFile` is read again when it changes; `ApiKeys` stay as they are.
    """
    limits = settings.service
    metrics = ServiceMetrics()
    lanes = Lanes(settings)
    holder = EngineHolder(settings, metrics, lanes)
    current_keys = keys if isinstance(keys, KeyFile) else lambda: keys

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        await lanes.watch.run(holder.check)
        watch = asyncio.create_task(holder.watch(limits.reload_s))
        yield
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch
        lanes.close()

    app = FastAPI(
        title="clinrag",
        version="1",
        description="Search and checked answers over released TB and CAP knowledge bases. "
        "Not a medical device.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
    )
    install_problem_handlers(app)
    # A multipart upload has a few headers around the document.
    largest = settings.user_documents.max_bytes + MULTIPART_BYTES
    uploads = {DOCUMENTS: largest, PAGE_DOCUMENTS: largest}
    app.add_middleware(
        BodyLimit, max_bytes=limits.max_body_bytes, uploads=uploads, pause_s=limits.body_s
    )
    # Added last, so it comes first: nothing reads a body before the door let the request in.
    app.add_middleware(
        Door,
        settings=limits,
        keys=current_keys,
        turns=lanes.turns,
        metrics=metrics,
        documents=(DOCUMENTS, PAGE_DOCUMENTS),
    )
    describe(app, current_keys)

    def tenant(request: Request) -> str:
        name: str = request.state.tenant  # set by the door
        return name

    async def answer(request: SearchRequest, name: str, pipeline: PipelineName) -> Response:
        """Search, by a pipeline."""
        response = await search(holder, metrics, request, name, pipeline)
        # Written once: FastAPI would validate and copy what the engine has just validated.
        return Response(response.model_dump_json(), media_type="application/json")

    @app.get(
        "/v1/search",
        response_model=SearchResponse | StagedResponse,
        responses=PROBLEMS,
        tags=["search"],
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
        tags=["search"],
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

    app.include_router(answer_routes(holder.answering, tenant, metrics, lanes, PROBLEMS))
    app.include_router(
        note_routes(settings, holder.answering, tenant, metrics, lanes.notes, PROBLEMS)
    )
    app.include_router(chat_routes(holder.answering, tenant, metrics, lanes, PROBLEMS))
    app.include_router(page_routes(settings, holder.answering, tenant, metrics, lanes))

    @app.get("/healthz", summary="The process lives", tags=["service"])
    async def healthz() -> dict[str, str]:
        """Always 200 while the process answers."""
        return {"status": "alive"}

    @app.get(
        "/readyz",
        summary="Every component answers in time",
        responses={503: PROBLEMS[503]},
        tags=["service"],
    )
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

    @app.get("/metrics", summary="Prometheus metrics", tags=["service"])
    async def prometheus() -> Response:
        """Latencies per stage, caches, fallbacks, errors."""
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4")

    return app
