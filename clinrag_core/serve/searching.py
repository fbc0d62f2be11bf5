"""One search of the service, plain or in stages: searched, counted and logged, without its text."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinrag_core.reason.open import PipelineName
    from clinrag_core.retrieve.request import SearchRequest, SearchResponse
    from clinrag_core.retrieve.stages.records import StagedResponse
    from clinrag_core.serve.holder import EngineHolder
    from clinrag_core.serve.metrics import ServiceMetrics

logger = logging.getLogger(__name__)


async def search(
    holder: EngineHolder,
    metrics: ServiceMetrics,
    request: SearchRequest,
    tenant: str,
    pipeline: PipelineName,
) -> SearchResponse | StagedResponse:
    """Return the response of a pipeline; where the stages are late, that of the plain search.

    Raises:
        QueryError: unknown knowledge base.
        ReleaseError: no release has been opened.
    """
    late: tuple[str, ...] = ()
    if pipeline != "hybrid":
        try:
            staged = await holder.search_stages(request, pipeline)
        except TimeoutError:
            late = (f"{pipeline}_timeout",)
        else:
            metrics.staged(staged)
            _log(staged)
            return staged
    response = await holder.engine.search_async(request, tenant)
    if late:
        errors = (*response.component_errors, *late)
        response = response.model_copy(update={"component_errors": errors})
    metrics.searched(response)
    _log(response)
    return response


def _log(response: SearchResponse | StagedResponse) -> None:
    logger.info(
        "searched",
        extra={
            "results": len(response.results),
            "milliseconds": response.timings_ms["total"],
            "component_errors": response.component_errors,
            "cached": getattr(response, "cached", False),
            "release": response.release,
        },
    )
