"""HTTP connections that have to send the headers of a request in time.

uvicorn has a limit for idle connections between requests, none for a request that is begun and
never finished: a few hundred such connections would take every file descriptor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle


class TimedProtocol(H11Protocol):
    """Closes a connection whose request headers take longer than `header_s` seconds."""

    header_s = 10.0
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock with the connection."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Stop the clock when the headers are there; start it with the next request."""
        super().data_received(data)
        if self._in_request():
            self._arrived()
        elif self._waiting is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._arrived()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._waiting = self.loop.call_later(self.header_s, self._give_up)

    def _arrived(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _in_request(self) -> bool:
        # uvicorn's annotation leaves out None, which it is before the first request.
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)
        return cycle is not None and not cycle.response_complete

    def _give_up(self) -> None:
        self._waiting = None
        if not self._in_request() and not self.transport.is_closing():
            self.transport.close()


def timed_protocol(header_s: float) -> type[TimedProtocol]:
    """Return the protocol with a limit on the time from a connection to its headers."""
    return type("TimedProtocol", (TimedProtocol,), {"header_s": header_s})
