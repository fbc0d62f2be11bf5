"""Limits on how often a client may ask, and on the bodies it sends: size, type and time."""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from threading import Lock
from typing import TYPE_CHECKING

from cachetools import LRUCache

from clinrag_core.errors import BusyError
from clinrag_core.serve.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_CLIENTS = 10_000
"""Clients whose rate is remembered, by judgement: about a megabyte; the oldest is dropped."""
PIECE = 64 * 2**10
"""Bytes of a body kept in memory; the rest waits in a file without a name."""
_MIB = 2**20  # bytes
_JSON = ("application/json",)
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
UPLOAD_TYPES = (
    "multipart/form-data", "application/octet-stream", "application/pdf", "text/html",
    "text/plain", "text/markdown", "",
)  # fmt: skip
"""Content types of a document; its name says the format. Without one the body is the document."""


class ClientGoneError(Exception):
    """The client closed the connection."""


class BodyLimit:
    """Reads bodies before anything else does: within a size, of a documented type, in time.

    `uploads` maps a path to the larger limit that it has; `pause_s` is the longest pause of a
    client, and its time for each MiB.
    """

    def __init__(
        self, app: ASGIApp, max_bytes: int, uploads: Mapping[str, int], pause_s: float
    ) -> None:
        self._app = app
        self._max = max_bytes
        self._uploads = uploads
        self._pause = pause_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 408, 413 or 415."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._uploads.get(scope["path"], self._max)
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        too_large = problem(413, "the request is too large", f"at most {most} bytes are read")
        if declared.isdigit() and int(declared) > most:
            await too_large(scope, receive, send)
            return
        known = self._types(scope)
        given = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0]
        if known and given.strip().lower() not in known:
            names = ", ".join(name for name in known if name)
            refusal = problem(415, "the content type is not accepted", f"send one of: {names}")
            await refusal(scope, receive, send)
            return
        with tempfile.SpooledTemporaryFile(max_size=PIECE) as body:
            try:
                size = await self._read(receive, body, most)
            except ClientGoneError:
                return
            except TimeoutError:
                late = problem(408, "the request was not sent in time")
                await late(scope, receive, send)
                return
            if size > most:
                await too_large(scope, receive, send)
                return
            body.seek(0)
            await self._app(scope, _replay(body, receive), send)

    def _types(self, scope: Scope) -> tuple[str, ...]:
        """Return the content types that a request may have; empty where any is allowed."""
        path = scope["path"]
        if scope["method"] not in {"POST", "PUT", "PATCH"}:
            return ()
        if path in self._uploads:
            return UPLOAD_TYPES
        return _JSON if path.startswith(("/v1/", "/mcp")) else (*_JSON, *_FORMS)

    async def _read(
        self, receive: Receive, body: tempfile.SpooledTemporaryFile[bytes], most: int
    ) -> int:
        """Read a body into a file, up to its limit; return its size.

        Raises:
            TimeoutError: the client is too slow.
            ClientGoneError: it has gone.
        """
        size, more, started = 0, True, time.monotonic()
        while more and size <= most:
            left = started + self._pause * (1 + size / _MIB) - time.monotonic()
            message = await asyncio.wait_for(receive(), min(self._pause, max(left, 0)))
            if message["type"] != "http.request":
                raise ClientGoneError
            piece = message.get("body", b"")
            size += len(piece)
            body.write(piece)
            more = bool(message.get("more_body"))
        return size


def _replay(body: tempfile.SpooledTemporaryFile[bytes], receive: Receive) -> Receive:
    """Return a function that gives the application a body that was read already."""
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        piece = body.read(PIECE)
        sent = len(piece) < PIECE
        return {"type": "http.request", "body": piece, "more_body": not sent}

    return again


class RateLimiter:
    """Token buckets: a client may ask `per_minute` times a minute, a quarter of them at once.

    0 switches the limit off; `clock` gives monotonic seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._burst = max(per_minute / 4, 1.0)
        self._clock = clock
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(MAX_CLIENTS)
        self._lock = Lock()

    def take(self, client: str) -> None:
        """Count a request.

        Raises:
            BusyError: the client has asked too often.
        """
        if self._rate <= 0:
            return
        now = self._clock()
        with self._lock:
            tokens, last = self._buckets.get(client, (self._burst, now))
            tokens = min(self._burst, tokens + (now - last) * self._rate)
            if tokens >= 1:
                self._buckets[client] = (tokens - 1, now)
                return
            self._buckets[client] = (tokens, now)
        raise BusyError("too many requests", math.ceil((1 - tokens) / self._rate))
