"""An MCP server: the tools ask, search, passage and label_diff for assistants and agents.

An abstention is a result, not an error: the caller must read that there is no answer. Arguments
hold questions, so nothing is logged here; standard output belongs to the protocol.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from clinrag_core.errors import ClinragError, LabelVersionError, QueryError
from clinrag_core.evaluate.label_diff import LabelDiff
from clinrag_core.model.base import Record
from clinrag_core.pipeline.label_versions import label_diff, set_id_of
from clinrag_core.present.lines import NOT_A_DEVICE, claim_lines, notice_lines, reason_of
from clinrag_core.present.numbering import number_sources
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer

    from clinrag_core.answer.records import Answer
    from clinrag_core.client import Clinrag
    from clinrag_core.model.chunk import Chunk

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


class ToolSource(Record):
    """A numbered source of an answer."""

    number: int
    title: str
    where: str
    passages: tuple[str, ...] = Field(description="ids for the tool `passage`")
    quotes: tuple[str, ...]


class ToolAnswer(Record):
    """An answer, or the reason for there being none."""

    outcome: Literal["answered", "abstained", "out_of_domain"]
    statements: tuple[str, ...] = Field(description="each with the numbers of its sources")
    notices: tuple[str, ...] = Field(description="to be read with the answer")
    sources: tuple[ToolSource, ...]
    reason: str = Field(description="of an abstention, in words")
    could_ask: tuple[str, ...]
    release: str | None
    notice: str = NOT_A_DEVICE


class ToolPassage(Record):
    """A passage, word for word, with its place."""

    id: str
    document: str
    section: tuple[str, ...]
    page: str | None
    loinc: str | None
    label_version: int | None
    date: str | None
    text: str


class ToolPassages(Record):
    """Passages in order of relevance."""

    passages: tuple[ToolPassage, ...]
    release: str | None


def build_server(opened: Callable[[], Clinrag]) -> MCPServer[Any]:
    """Return the server; `opened` gives the release, and is called once, by the first tool call."""
    from mcp.server.mcpserver import MCPServer as NewServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = NewServer("clinrag", instructions=INSTRUCTIONS)
    reads = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
    lock = asyncio.Lock()
    kept: list[Clinrag] = []

    async def called(tool: Callable[[Clinrag], T]) -> T:
        """Run a tool in a thread; what the caller can correct comes back as its words."""
        try:
            async with lock:
                if not kept:
                    kept.append(await asyncio.to_thread(opened))
            return await asyncio.to_thread(tool, kept[0])
        except ClinragError as error:
            raise ToolError(str(error)) from None

    @server.tool(annotations=reads)
    async def ask(question: Question) -> ToolAnswer:
        """Answer a clinical question from the sources, with citations; or say why not."""
        return await called(lambda release: _answer(release.ask(question).record))

    @server.tool(annotations=reads)
    async def search(
        question: Question,
        top_k: Annotated[int, Field(ge=1, le=20)] = 5,
        drug: Annotated[str | None, Field(description="only passages of this drug")] = None,
    ) -> ToolPassages:
        """Find the passages nearest to a question; they are not checked to answer it."""

        def found(release: Clinrag) -> ToolPassages:
            only = {"drugs": [drug]} if drug else {}
            hits = release.search(question, top_k=top_k, filter=only)
            for missing in hits.record.unmatched_filters:
                near = f"; nearest: {', '.join(missing.nearest)}" if missing.nearest else ""
                raise QueryError(f"no passage has {missing.field} = {missing.value!r}{near}")
            return ToolPassages(
                passages=tuple(_passage(hit.chunk) for hit in hits.hits), release=release.release
            )

        return await called(found)

    @server.tool(annotations=reads)
    async def passage(
        passage_id: Annotated[str, Field(min_length=16, max_length=80)],
    ) -> ToolPassage:
        """Read a whole passage that an answer cites or a search found."""

        def read(release: Clinrag) -> ToolPassage:
            chunk = release.passage(passage_id)
            if chunk is None:
                raise QueryError(f"release {release.release} has no passage of this id")
            return _passage(chunk)

        return await called(read)

    @server.tool(name="label_diff", annotations=reads)
    async def diff(
        label: Annotated[str, Field(min_length=2, description="set id, or name of a drug")],
        from_version: int | None = None,
        to_version: int | None = None,
    ) -> LabelDiff:
        """Show what changed between two versions of a drug label; the two newest by default."""

        def compared(release: Clinrag) -> LabelDiff:
            workspace = Workspace(release.settings.home)
            try:
                set_id = set_id_of(workspace, label)
                return label_diff(workspace, set_id, from_version, to_version)
            except LabelVersionError as error:
                raise QueryError(str(error)) from error

        return await called(compared)

    return server


def _answer(answer: Answer) -> ToolAnswer:
    return ToolAnswer(
        outcome=answer.status,
        statements=tuple(claim_lines(answer)),
        notices=tuple(notice_lines(answer)),
        sources=tuple(
            ToolSource(
                number=source.number,
                title=source.title,
                where=source.where,
                passages=tuple(dict.fromkeys(c.chunk_id for c in source.citations)),
                quotes=tuple(c.snippet for c in source.citations),
            )
            for source in number_sources(answer).sources
        ),
        reason=reason_of(answer) if answer.status != "answered" else "",
        could_ask=answer.could_ask,
        release=answer.release,
    )


def _passage(chunk: Chunk) -> ToolPassage:
    page = chunk.page_label or (str(chunk.page) if chunk.page is not None else None)
    date = chunk.effective.isoformat() if chunk.effective else None
    return ToolPassage(
        id=chunk.id,
        document=chunk.document_title,
        section=chunk.section_path,
        page=page,
        loinc=chunk.loinc,
        label_version=chunk.label_version,
        date=date or (str(chunk.year) if chunk.year else None),
        text=chunk.text,
    )
