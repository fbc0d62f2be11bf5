"""Limits on what a client may send and how often; pure ASGI, before anything is parsed."""

from __future__ import annotations

import math
import time
from threading import Lock
from typing import TYPE_CHECKING

from cachetools import LRUCache
from fastapi import HTTPException

from clinrag_core.serve.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_CLIENTS = 10_000


class BodyLimit:
    """Refuses bodies over a size, whether or not their length is declared.

    `uploads` maps a path to the larger limit that it has.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, uploads: Mapping[str, int]) -> None:
        self._app = app
        self._max = max_bytes
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 413."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._uploads.get(scope["path"], self._max)
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > most:
            await self._refuse(most, scope, receive, send)
            return
        pieces: list[bytes] = []
        size = 0
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has gone
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            more = bool(message.get("more_body"))
            if size > most:
                await self._refuse(most, scope, receive, send)
                return
        await self._app(scope, _replay(b"".join(pieces), receive), send)

    async def _refuse(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        answer = problem(413, "the request is too large", f"at most {most} bytes are read")
        await answer(scope, receive, send)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

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
            HTTPException: 429 with Retry-After, the client has asked too often.
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
        wait = math.ceil((1 - tokens) / self._rate)
        raise HTTPException(429, "too many requests", headers={"Retry-After": str(wait)})
