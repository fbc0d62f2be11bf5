"""The MCP tools over HTTP at `/mcp`, behind the same door as `clinrag serve`.

Host, origin, key, rate and body size are checked before the protocol's library reads anything. Each
call is answered from the release that is served now, with the documents of whose key it is.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from clinrag_core.client import Clinrag
from clinrag_core.mcp_server import build_server
from clinrag_core.serve.door import Door
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.lanes import Lanes
from clinrag_core.serve.limits import BodyLimit
from clinrag_core.serve.metrics import ServiceMetrics

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from starlette.applications import Starlette

    from clinrag_core.serve.auth import ApiKeys
    from clinrag_core.settings import Settings

MCP_PATH = "/mcp"


def mcp_app(settings: Settings, keys: Callable[[], ApiKeys]) -> Starlette:
    """Return the application; `keys` gives the API keys that are valid now."""
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette as NewStarlette
    from starlette.middleware import Middleware

    limits, metrics, lanes = settings.service, ServiceMetrics(), Lanes(settings)
    holder = EngineHolder(settings, metrics, lanes)
    server = build_server(
        lambda tenant: Clinrag(settings, holder.answering(), tenant), lanes.ask.run
    )
    inner = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=True,
        json_response=True,
        # The door checks both, with the same lists as the service.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        await lanes.watch.run(holder.check)
        watch = asyncio.create_task(holder.watch(limits.reload_s))
        async with server.session_manager.run():
            yield
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch
        lanes.close()

    # Nothing is uploaded here, so no path has the limits of documents.
    door = Middleware(
        Door, settings=limits, keys=keys, turns=lanes.turns, metrics=metrics, documents=()
    )
    body = Middleware(BodyLimit, max_bytes=limits.max_body_bytes, uploads={}, pause_s=limits.body_s)
    return NewStarlette(routes=inner.routes, lifespan=lifespan, middleware=[door, body])
