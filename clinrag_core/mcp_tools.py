"""What the MCP tools return, and how an open release makes it.

Tools are functions of an open release, so that they are tested without the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from clinrag_core.errors import QueryError
from clinrag_core.model.base import Record
from clinrag_core.pipeline.label_versions import label_diff, set_id_of
from clinrag_core.present.lines import (
    NOT_A_DEVICE,
    claim_lines,
    first_lines,
    notice_lines,
    own_lines,
    reason_of,
)
from clinrag_core.present.numbering import number_sources
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer
    from clinrag_core.client import Clinrag
    from clinrag_core.evaluate.label_diff import LabelDiff
    from clinrag_core.model.chunk import Chunk


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
    own_documents: tuple[str, ...] = Field(
        default=(), description="what the caller's own documents say: not reviewed, no source"
    )
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


def tool_search(release: Clinrag, question: str, top_k: int, drug: str | None) -> ToolPassages:
    """Return the passages nearest to a question.

    Raises:
        QueryError: no passage is of the drug; names the nearest.
    """
    hits = release.search(question, top_k=top_k, filter={"drugs": [drug]} if drug else {})
    for missing in hits.record.unmatched_filters:
        near = f"; nearest: {', '.join(missing.nearest)}" if missing.nearest else ""
        raise QueryError(f"no passage has {missing.field} = {missing.value!r}{near}")
    found = tuple(_passage(hit.chunk) for hit in hits.hits)
    return ToolPassages(passages=found, release=release.release)


def tool_passage(release: Clinrag, passage_id: str) -> ToolPassage:
    """Return a passage.

    Raises:
        QueryError: the release has none of this id.
    """
    if (chunk := release.passage(passage_id)) is None:
        raise QueryError(f"release {release.release} has no passage of this id")
    return _passage(chunk)


def tool_label_diff(
    release: Clinrag, label: str, from_version: int | None, to_version: int | None
) -> LabelDiff:
    """Return what changed between two versions of a label, named by set id or drug.

    Raises:
        LabelVersionError: the label or a version is unknown, or there is only one version.
    """
    workspace = Workspace(release.settings.home)
    return label_diff(workspace, set_id_of(workspace, label), from_version, to_version)


def tool_answer(answer: Answer) -> ToolAnswer:
    """Return an answer as the tool `ask` shows it."""
    return ToolAnswer(
        outcome=answer.status,
        statements=tuple(claim_lines(answer)),
        notices=(*first_lines(answer), *notice_lines(answer)),
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
        own_documents=tuple(own_lines(answer)),
        reason=reason_of(answer) if answer.status != "answered" else "",
        could_ask=answer.could_ask,
        release=answer.release,
    )


def _passage(chunk: Chunk) -> ToolPassage:
    """Return a passage as the tools show it."""
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
