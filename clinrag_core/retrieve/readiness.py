"""Whether an engine can serve: every component answers in time, the vector store is up.

The service asks before it calls a release ready, and between requests.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.text.expressions import LazyExpression

if TYPE_CHECKING:
    from clinrag_core.retrieve.engine import SearchEngine

logger = logging.getLogger(__name__)
QUERY = "daily dose for adults with tuberculosis or pneumonia"
ATTEMPTS = 4
"""The first loads and compiles; the others allow for interruptions by other processes."""


def warm_up(engine: SearchEngine) -> tuple[str, ...]:
    """Search until every component answers within its limit; return the codes of the others.

    Runs all default components over all knowledge bases, and the reranker if the profile names
    one, so that everything the first search needs is loaded and compiled; the expressions that
    answering needs are compiled as well.
    """
    LazyExpression.compile_all()
    try:
        engine.dense.fill(engine.knowledge_bases.values())
    except Exception as error:  # noqa: BLE001 - whatever is wrong, the searches below report it
        logger.warning("the vector store is not filled: %s", error)
    limits: dict[str, float] = engine.settings.timeouts_ms.model_dump()
    cold: tuple[str, ...] = ()
    for attempt in range(ATTEMPTS):  # another text each time: its vector is not in the cache
        response = engine.search(SearchRequest(query=f"{QUERY} {attempt}"))
        reranker = response.reranker_error
        times = response.timings_ms
        cold = (
            *response.component_errors,
            *([f"reranker_{reranker}"] if reranker else []),
            *(f"{name}_timeout" for name, limit in limits.items() if times.get(name, 0.0) > limit),
        )
        if not any(code.endswith("_timeout") for code in cold):
            break  # ready, or broken in a way that does not pass by itself within a second
    return cold


def store_available(engine: SearchEngine) -> bool:
    """Return True if the vector store of every knowledge base answers now."""
    try:
        return all(map(engine.dense.available, engine.knowledge_bases.values()))
    except Exception:  # noqa: BLE001 - a store that raises does not answer; searches log why
        return False
