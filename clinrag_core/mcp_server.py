"""An MCP server: the tools ask, search, passage and label_diff for assistants and agents.

An abstention is a result, not an error: the caller must read that there is no answer. Arguments
hold questions, so nothing is logged here; standard output belongs to the protocol.
The library reads the annotations of the inner functions, so they are evaluated, not postponed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from clinrag_core.client import Clinrag
from clinrag_core.errors import ClinragError
from clinrag_core.evaluate.label_diff import LabelDiff
from clinrag_core.mcp_tools import (
    ToolAnswer,
    ToolPassage,
    ToolPassages,
    tool_answer,
    tool_label_diff,
    tool_passage,
    tool_search,
)
from clinrag_core.present.lines import NOT_A_DEVICE
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context, MCPServer

INSTRUCTIONS = (
    "Checked answers from released tuberculosis and pneumonia guidelines and FDA drug labels. "
    "Statements are quoted: keep their wording and cite their numbered sources. If `outcome` is "
    "not `answered`, there is no answer in these sources: say so and give the reason; do not "
    f"answer from memory. {NOT_A_DEVICE}"
)
T = TypeVar("T")
Question = Annotated[
    str,
    Field(min_length=3, max_length=MAX_QUESTION_CHARACTERS, description="a clinical question"),
]


Run = Callable[[Callable[[], T]], Awaitable[T]]


class _Release:
    """Runs tools on the release, in a thread; what the caller can correct becomes a `ToolError`."""

    def __init__(self, opened: Callable[[str], Clinrag], run: Run[Any]) -> None:
        self._opened = opened
        self._run = run

    async def call(self, context: "Context[Any]", tool: Callable[[Clinrag], T]) -> T:
        """Return what a tool makes of the release for who calls it.

        Raises:
            ToolError: what the caller can correct, in words.
        """
        from mcp.server.mcpserver.exceptions import ToolError

        # Over HTTP the door has put the key's owner here; standard input has no request.
        request = context.request_context.request
        tenant = "" if request is None else str(request.state.tenant)
        try:
            return await self._run(lambda: tool(self._opened(tenant)))
        except ClinragError as error:
            raise ToolError(str(error)) from None


def build_server(
    opened: Callable[[str], Clinrag], run: Run[Any] = asyncio.to_thread
) -> "MCPServer[Any]":
    """Return the server.

    `opened` gives the release that answers a tenant (empty without keys), at each call; `run` runs
    a tool.
    """
    from mcp.server.mcpserver import Context as CallContext
    from mcp.server.mcpserver import MCPServer as NewServer
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = NewServer("clinrag", instructions=INSTRUCTIONS)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    release = _Release(opened, run)

    @server.tool(annotations=reads)
    async def ask(question: Question, context: CallContext) -> ToolAnswer:
        """Answer a clinical question from the sources, with citations; or say why not."""
        return await release.call(context, lambda r: tool_answer(r.ask(question).record))

    @server.tool(annotations=reads)
    async def search(
        question: Question,
        context: CallContext,
        top_k: Annotated[int, Field(ge=1, le=20)] = 5,
        drug: Annotated[str | None, Field(description="only passages of this drug")] = None,
    ) -> ToolPassages:
        """Find the passages nearest to a question; they are not checked to answer it."""
        return await release.call(context, lambda r: tool_search(r, question, top_k, drug))

    @server.tool(annotations=reads)
    async def passage(
        passage_id: Annotated[str, Field(min_length=16, max_length=80)],
        context: CallContext,
    ) -> ToolPassage:
        """Read a whole passage that an answer cites or a search found."""
        return await release.call(context, lambda r: tool_passage(r, passage_id))

    @server.tool(name="label_diff", annotations=reads)
    async def diff(
        label: Annotated[str, Field(min_length=2, description="set id, or name of a drug")],
        context: CallContext,
        from_version: int | None = None,
        to_version: int | None = None,
    ) -> LabelDiff:
        """Show what changed between two versions of a drug label; the two newest by default."""
        return await release.call(
            context, lambda r: tool_label_diff(r, label, from_version, to_version)
        )

    return server
