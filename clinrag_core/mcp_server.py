"""An MCP server: the tools ask, search, passage and label_diff for assistants and agents.

An abstention is a result, not an error: the caller must read that there is no answer. Arguments
hold questions, so nothing is logged here; standard output belongs to the protocol.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

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
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer

    from clinrag_core.client import Clinrag

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


class _Release:
    """Opens the release at the first call; runs tools in a thread of their own."""

    def __init__(self, opened: Callable[[], Clinrag]) -> None:
        self._opened = opened
        self._kept: Clinrag | None = None
        self._lock = asyncio.Lock()

    async def call(self, tool: Callable[[Clinrag], T]) -> T:
        """Return what a tool makes.

        Raises:
            ToolError: what the caller can correct, in words.
        """
        from mcp.server.mcpserver.exceptions import ToolError

        try:
            async with self._lock:
                if self._kept is None:
                    self._kept = await asyncio.to_thread(self._opened)
            return await asyncio.to_thread(tool, self._kept)
        except ClinragError as error:
            raise ToolError(str(error)) from None


def build_server(opened: Callable[[], Clinrag]) -> MCPServer[Any]:
    """Return the server; `opened` gives the release, and is called once, by the first tool call."""
    from mcp.server.mcpserver import MCPServer as NewServer
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = NewServer("clinrag", instructions=INSTRUCTIONS)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    release = _Release(opened)

    @server.tool(annotations=reads)
    async def ask(question: Question) -> ToolAnswer:
        """Answer a clinical question from the sources, with citations; or say why not."""
        return await release.call(lambda r: tool_answer(r.ask(question).record))

    @server.tool(annotations=reads)
    async def search(
        question: Question,
        top_k: Annotated[int, Field(ge=1, le=20)] = 5,
        drug: Annotated[str | None, Field(description="only passages of this drug")] = None,
    ) -> ToolPassages:
        """Find the passages nearest to a question; they are not checked to answer it."""
        return await release.call(lambda r: tool_search(r, question, top_k, drug))

    @server.tool(annotations=reads)
    async def passage(
        passage_id: Annotated[str, Field(min_length=16, max_length=80)],
    ) -> ToolPassage:
        """Read a whole passage that an answer cites or a search found."""
        return await release.call(lambda r: tool_passage(r, passage_id))

    @server.tool(name="label_diff", annotations=reads)
    async def diff(
        label: Annotated[str, Field(min_length=2, description="set id, or name of a drug")],
        from_version: int | None = None,
        to_version: int | None = None,
    ) -> LabelDiff:
        """Show what changed between two versions of a drug label; the two newest by default."""
        return await release.call(lambda r: tool_label_diff(r, label, from_version, to_version))

    return server
