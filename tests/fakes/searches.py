"""Searches as the service makes them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from clinrag_core.retrieve.request import SearchRequest

if TYPE_CHECKING:
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import SearchResponse


def search(engine: SearchEngine, **request: object) -> SearchResponse:
    """Return what an engine finds for the fields of a request, asked as the service asks."""
    return asyncio.run(engine.search_async(SearchRequest.model_validate(request)))
