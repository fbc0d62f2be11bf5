"""The description of the API and its pages: `/openapi.json`, and `/docs` from installed files.

Nothing is loaded from elsewhere, so the page works without internet and under a content security
policy of 'self'.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, HTMLResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI
    from fastapi.routing import APIRoute

    from clinrag_core.serve.auth import ApiKeys

FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon.png": "image/png",
}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>clinrag API</title>
<link rel="icon" href="/docs/favicon.png"><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script></body></html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true});\n'
SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "an API key"},
    "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
TAGS = [
    {"name": "answers", "description": "Questions answered from the released sources."},
    {"name": "search", "description": "Passages of the released sources."},
    {"name": "documents", "description": "Documents of your own, searched for you alone."},
    {"name": "notes", "description": "Clinical notes; nothing of one is kept."},
    {"name": "service", "description": "Health, readiness and metrics."},
]


def operation_id(route: APIRoute) -> str:
    """Return the name of an operation in generated clients: that of its function."""
    return route.name


def describe(app: FastAPI, keys: Callable[[], ApiKeys]) -> None:
    """Add `/docs` and a schema with the security schemes, where keys are needed."""

    def schema() -> dict[str, Any]:
        """Return the schema, made once."""
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                tags=TAGS,
            )
            if keys().needed:
                made.setdefault("components", {})["securitySchemes"] = SCHEMES
                for path, operations in made["paths"].items():
                    if path.startswith("/v1/"):
                        for operation in operations.values():
                            operation["security"] = [{name: []} for name in SCHEMES]
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = schema  # FastAPI's own way to change the schema

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(PAGE)

    @app.get("/docs/start.js", include_in_schema=False)
    async def start() -> Response:
        return Response(START, media_type="text/javascript")

    for name, kind in FILES.items():
        app.add_api_route(f"/docs/{name}", _file(name, kind), include_in_schema=False)


def _file(name: str, kind: str) -> Callable[[], Any]:
    """Return a function that serves one file of the package with the pages' files."""

    async def serve() -> Response:
        found = importlib.util.find_spec("fastapi_offline")
        assert found is not None  # noqa: S101 - a dependency
        assert found.origin is not None  # noqa: S101
        return FileResponse(Path(found.origin).parent / "static" / name, media_type=kind)

    return serve
