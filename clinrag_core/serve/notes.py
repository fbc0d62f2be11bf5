"""`/v1/notes/summary` and `/v1/notes/plan`: clinical notes; nothing of one is kept or logged.

FastAPI reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import functools
import logging
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response
from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.notes.records import NoteResult
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.serve.lanes import Lane
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.settings import Settings
from clinrag_core.users.answering import Answering

logger = logging.getLogger(__name__)
MAX_NOTE = 50_000
"""Characters of a note in a request; the limit of a body is 64 KiB unless the profile sets more."""


class NoteRequest(Record):
    """A clinical note as text."""

    text: str = Field(min_length=1, max_length=MAX_NOTE, description="the note, as written")


class PlanRequest(NoteRequest):
    """A clinical note whose plan is wanted."""

    check: bool = Field(
        default=False, description="put medicines and plan to the released knowledge bases"
    )


def note_routes(
    settings: Settings,
    answering: Callable[[], Answering],
    tenant: Callable[[Request], str],
    metrics: ServiceMetrics,
    lane: Lane,
    problems: dict[int | str, dict[str, Any]],
) -> APIRouter:
    """Return the routes; `answering` is needed only where a plan is to be checked."""
    router = APIRouter(responses=problems, tags=["notes"])

    @functools.cache
    def summariser() -> NoteSummariser:
        """Made with the first note: a generator that cannot be used stops nothing else."""
        return NoteSummariser(settings)

    async def answer(kind: str, make: Callable[[], NoteResult]) -> Response:
        """Summarise, count and log without the note."""
        result = await lane.run(make)
        metrics.summarised(kind, result)
        logger.info(
            "summarised a note",
            extra={
                "kind": kind,
                "items": result.figures.items,
                "dropped": len(result.dropped),
                "milliseconds": result.milliseconds,
                "generator": result.generator,
            },
        )
        return Response(result.model_dump_json(), media_type="application/json")

    @router.post("/v1/notes/summary", response_model=NoteResult, summary="Summarise a note")
    async def summary(
        request: Annotated[NoteRequest, Body()], name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """Seven sections of items, each with the characters of the note it is from."""
        return await answer("summary", lambda: summariser().summarise(request.text))

    @router.post("/v1/notes/plan", response_model=NoteResult, summary="The plan of a note")
    async def plan(
        request: Annotated[PlanRequest, Body()], name: Annotated[str, Depends(tenant)]
    ) -> Response:
        """What the note recommends, most urgent first, with the summary it is taken from."""

        def make() -> NoteResult:
            used = answering().engine if request.check else None
            return summariser().summarise(request.text, with_plan=True, engine=used)

        return await answer("plan", make)

    return router
