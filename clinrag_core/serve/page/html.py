"""Templates, static files and the headers of every page; errors as pages, never as JSON."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute

from clinrag_core.errors import AuditError, NotReadyError, ReleaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from jinja2 import Environment

PACKAGE = "clinrag_core.serve.page"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    # `no-referrer` would also hide the origin of a form that is sent without the script.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **values: object) -> str:
    """Return a template with values; every value is escaped."""
    return _templates().get_template(template).render(**values)


def static_file(name: str) -> Response:
    """Return a file of the page's `static` folder.

    Raises:
        HTTPException: 404, there is no such file.
    """
    known = {file.name: file for file in files(PACKAGE).joinpath("static").iterdir()}
    kind = TYPES.get(f".{name.rpartition('.')[2]}")
    if name not in known or kind is None:
        raise HTTPException(404, "there is no such file")
    return Response(
        known[name].read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"}
    )


class HtmlRoute(APIRoute):
    """A route whose errors are pages, and whose responses have the headers of a page."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler with errors rendered and headers set."""
        handler = super().get_route_handler()

        async def shown(request: Request) -> Response:
            """Run the handler; errors as pages."""
            try:
                response = await handler(request)
            except HTTPException as error:
                response = _problem(error.status_code, str(error.detail))
                response.headers.update(error.headers or {})
            except RequestValidationError:
                response = _problem(422, "this request cannot be used")
            except (ReleaseError, NotReadyError) as error:
                response = _problem(503, str(error))
            except AuditError:
                text = "no answer can be given: the audit trail cannot be written"
                response = _problem(503, text)
            for name, value in {**HEADERS, "Cache-Control": "no-store"}.items():
                response.headers.setdefault(name, value)
            return response

        return shown


def _problem(status: int, text: str) -> Response:
    return HTMLResponse(render("problem.html", status=status, text=text), status)
