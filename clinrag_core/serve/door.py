"""The door of the service: who may come in, decided from the headers alone, before a body is read.

Host and Origin allow-lists keep web pages out (also of a service without keys, by DNS rebinding),
keys say whose request it is, and every answer gets its security headers. Pure ASGI, around every
route there is.
"""

from __future__ import annotations

import hmac
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from clinrag_core.errors import BusyError
from clinrag_core.serve.auth import LOOPBACK, UnknownKeyError, given_key
from clinrag_core.serve.limits import RateLimiter
from clinrag_core.serve.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from clinrag_core.serve.auth import ApiKeys
    from clinrag_core.serve.lanes import Turns
    from clinrag_core.serve.metrics import ServiceMetrics
    from clinrag_core.settings import ServiceSettings

OPEN = ("/healthz", "/readyz")
"""Paths without a key: they say nothing of questions, documents or tenants."""
METRICS = "/metrics"
MACHINES = ("/v1/", "/mcp")
"""Paths that no browser navigates to."""
BROWSERS = 'Basic realm="clinrag: any name, and your API key as the password", charset="UTF-8"'
"""How a browser is asked for a key; it keeps it until it is closed, there is no cookie."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_UNSAFE = frozenset({"POST", "DELETE"})


class Door:
    """Middleware around the application; sets `state.tenant` of a request that may come in.

    A change below one of the paths `documents` needs one of its tenant's places.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        keys: Callable[[], ApiKeys],
        turns: Turns,
        metrics: ServiceMetrics,
        documents: tuple[str, ...],
    ) -> None:
        self._app = app
        self._hosts = {*LOOPBACK, *(host.lower() for host in settings.hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in settings.origins}
        self._metrics_key = os.environ.get(settings.metrics_key_env, "")
        self._keys = keys
        self._turns = turns
        self._metrics = metrics
        self._documents = documents
        self._requests = RateLimiter(settings.requests_per_minute)
        self._failures = RateLimiter(settings.failures_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it; the body of a refused one is never read."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.responded(message["status"])
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._stranger(scope, headers) or self._unknown(scope, headers)
        if refusal is not None:
            # The connection ends with it: what was sent of the body is not read.
            refusal.headers["Connection"] = "close"
            await refusal(scope, receive, answer)
            return
        with ExitStack() as held:
            if scope["method"] in _UNSAFE and scope["path"].startswith(self._documents):
                try:
                    held.enter_context(self._turns.place(scope["state"]["tenant"]))
                except BusyError as error:
                    await busy(error)(scope, receive, answer)
                    return
            await self._app(scope, receive, answer)

    def _stranger(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request for another host or from another site's page."""
        host = headers.get("host", "")
        if "*" not in self._hosts and _name(host) not in self._hosts:
            return problem(421, "this host is not served", "see service.hosts")
        origin = headers.get("origin", "").lower()
        if origin:
            own = urlsplit(origin).netloc == host.lower() and origin != "null"
            if own or origin in self._origins:
                return None
            return problem(403, "web pages of other sites may not ask", "see service.origins")
        site = headers.get("sec-fetch-site", "none")
        link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if site in {"none", "same-origin"} or (link and not scope["path"].startswith(MACHINES)):
            return None
        return problem(403, "web pages of other sites may not ask", "see service.origins")

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request without a key that needs one, and a client that asks too often."""
        path = scope["path"]
        state = scope.setdefault("state", {})
        state["tenant"] = ""
        if path in OPEN:
            return None
        client = scope["client"][0] if scope.get("client") else ""
        key = given_key(headers.get("authorization"), headers.get("x-api-key"))
        try:
            if path == METRICS:
                if self._metrics_key and not hmac.compare_digest(
                    key.encode(), self._metrics_key.encode()
                ):
                    raise UnknownKeyError  # noqa: TRY301 - one way out for both kinds of keys
                return None
            state["tenant"] = tenant = self._keys().tenant(key)
        except UnknownKeyError:
            return self._without_key(path, client)
        try:
            self._requests.take(tenant or client)
        except BusyError as error:
            return busy(error)
        return None

    def _without_key(self, path: str, client: str) -> Response:
        """Return 401, or 429 to a client that has tried too often."""
        try:
            self._failures.take(client)
        except BusyError as error:
            return busy(error)
        refusal = problem(401, "an API key is needed")
        is_page = not path.startswith((*MACHINES, METRICS))
        refusal.headers["WWW-Authenticate"] = BROWSERS if is_page else 'Bearer realm="clinrag"'
        return refusal


def busy(error: BusyError) -> Response:
    """Return 429 with the time to try again."""
    refusal = problem(429, "too many requests", str(error))
    refusal.headers["Retry-After"] = str(error.retry_after)
    return refusal


def _name(host: str) -> str:
    """Return a Host header without its port, lower case; brackets of IPv6 removed."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host
