"""What the templates show: records put in the order they are read in, with links to sources.

Nothing is decided here and no wording of an answer is changed; templates escape every text.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from clinrag_core.present.blocks import answer_blocks, claim_blocks
from clinrag_core.present.lines import reason_of
from clinrag_core.present.numbering import number_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.records import Answer, Claim, Contradiction, EvidenceItem, PatientPart
    from clinrag_core.index.release_record import LabelChange, ServedRelease
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation
    from clinrag_core.present.numbering import NumberedSource

SOURCES = "/sources"
EXCERPT_CHARACTERS = 280  # of a passage in a list of sources, about three lines


class ReleaseBar(NamedTuple):
    """The release that answers, as the head of every page shows it."""

    name: str
    created: str
    reviewed: bool
    damaged: str | None


class SourceLink(NamedTuple):
    """A numbered source under a claim: where it is, what it says, where to open it."""

    number: int
    title: str
    where: str
    quotes: tuple[str, ...]
    """The words that each claim is made of."""
    read_with: tuple[str, ...]
    """Other cited words of the same place: headings of a table, a lead-in."""
    href: str


class RowView(NamedTuple):
    """A claim: its cells (one, unless it is a row of a table) and the numbers of its sources."""

    cells: tuple[str, ...]
    numbers: tuple[int, ...]


class BlockView(NamedTuple):
    """Claims of one table under its headings, or claims in words of one place."""

    headings: tuple[str, ...]
    rows: tuple[RowView, ...]
    sources: tuple[SourceLink, ...]
    context: str


class SideView(NamedTuple):
    """One side of a contradiction."""

    date: str
    text: str
    title: str
    where: str
    href: str


class NearestView(NamedTuple):
    """A passage near to a question that was not answered."""

    title: str
    where: str
    excerpt: str
    href: str


class PlainView(NamedTuple):
    """A claim in plain words: its sentences with their subordinate points."""

    advice: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]


class OwnBlock(NamedTuple):
    """Statements of a document of the user who asked: of one table, or of one place in words."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str
    where: str
    href: str


class AnswerView(NamedTuple):
    """An answer in the order it is read."""

    heading: str
    answer: Answer
    message: str
    blocks: tuple[BlockView, ...]
    own: tuple[OwnBlock, ...]
    """What the user's own documents say."""
    own_conflicts: tuple[tuple[str, tuple[SideView, ...]], ...]
    plain: tuple[PlainView, ...]
    contradictions: tuple[tuple[str, tuple[SideView, ...]], ...]
    nearest: tuple[NearestView, ...]
    label_changes: tuple[LabelChange, ...]
    drafted: int
    """Statements that were checked."""


def release_bar(served: ServedRelease | None) -> ReleaseBar | None:
    """Return what the head of a page says of the release; None without one."""
    if served is None:
        return None
    created = served.release.created.strftime("%Y-%m-%d")
    return ReleaseBar(served.release.id, created, not served.unreviewed, served.damaged)


def answer_view(answer: Answer, passages: dict[str, Chunk], *, plain: bool) -> AnswerView:
    """Return an answer as the page shows it; `passages` are those near to a refused question."""
    numbered = number_sources(answer)
    blocks = tuple(
        BlockView(
            block.headings,
            tuple(
                RowView(row.cells, tuple(s.number for s in numbered.by_claim[row.claim]))
                for row in block.rows
            ),
            _links([numbered.by_claim[row.claim] for row in block.rows]),
            block.context,
        )
        for block in answer_blocks(answer)
    )
    answered = answer.status == "answered"
    own = answer.own_documents
    return AnswerView(
        heading=_heading(answer),
        answer=answer,
        message=reason_of(answer),
        blocks=blocks,
        own=_own(own.claims) if own is not None else (),
        own_conflicts=tuple(map(_contradiction, own.conflicts)) if own is not None else (),
        plain=tuple(map(_plain, answer.patient_summary.parts)) if plain else (),
        contradictions=tuple(map(_contradiction, answer.contradictions)),
        nearest=() if answered else tuple(_nearest(answer.evidence, passages)),
        label_changes=answer.label_changes,
        drafted=len(answer.claims) + len(answer.rejected_claims),
    )


def source_href(citations: Iterable[Citation]) -> str:
    """Return the address of a cited place: ids and spans, never words."""
    at = [("at", f"{c.chunk_id}:{c.start}-{c.end}") for c in citations]
    return f"{SOURCES}?{urlencode(at)}"


def _heading(answer: Answer) -> str:
    if answer.status == "answered":
        return "Answer"
    return "Please get help now" if answer.reason == "self_harm" else "No answer"


def _links(claims: Sequence[Sequence[NumberedSource]]) -> tuple[SourceLink, ...]:
    """Return the sources of the claims of a block, each once with the words of all of them."""
    places: dict[int, list[NumberedSource]] = {}
    for source in (source for sources in claims for source in sources):
        places.setdefault(source.number, []).append(source)
    return tuple(_link(cited) for _, cited in sorted(places.items()))


def _link(cited: Sequence[NumberedSource]) -> SourceLink:
    """Return one source with what each of several claims cites of it, own words first."""
    quotes = dict.fromkeys(_one_line(source.first.snippet) for source in cited)
    others = (_one_line(c.snippet) for source in cited for c in source.citations[1:])
    return SourceLink(
        number=cited[0].number,
        title=cited[0].title,
        where=cited[0].where,
        quotes=tuple(quotes),
        read_with=tuple(text for text in dict.fromkeys(others) if text not in quotes),
        href=source_href(dict.fromkeys(c for source in cited for c in source.citations)),
    )


def _own(claims: Sequence[Claim]) -> tuple[OwnBlock, ...]:
    """Return the statements of a user's documents as they are read, each block with its place."""
    blocks: list[OwnBlock] = []
    for block in claim_blocks(claims):
        cited = [c for row in block.rows for c in claims[row.claim].citations]
        first = cited[0]
        where = f"p. {first.page_label or first.page}" if first.page is not None else ""
        rows = tuple(row.cells for row in block.rows)
        href = source_href(dict.fromkeys(cited))
        blocks.append(OwnBlock(block.headings, rows, first.document_title, where, href))
    return tuple(blocks)


def _contradiction(found: Contradiction) -> tuple[str, tuple[SideView, ...]]:
    """Return what sources differ on, and what each of them says."""
    sides = tuple(
        SideView(
            date=", ".join(filter(None, (organisation, date or "undated"))),
            text=_one_line(citation.snippet),
            title=" › ".join((citation.document_title, *citation.section_path[-1:])),
            where=f"p. {citation.page_label or citation.page}" if citation.page else "",
            href=source_href([citation]),
        )
        for citation, date, organisation in zip(
            found.citations,
            found.dates,
            found.organisations or (None,) * len(found.dates),
            strict=True,
        )
    )
    return ", ".join(found.about), sides


def _nearest(evidence: Iterable[EvidenceItem], passages: dict[str, Chunk]) -> Iterable[NearestView]:
    """Return the nearest passages, each with the start of its text."""
    for item in evidence:
        if (chunk := passages.get(item.chunk_id)) is None:
            continue
        text = _one_line(chunk.text)
        shortened = text[:EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …"
        yield NearestView(
            title=" › ".join((item.document_title, *item.section_path[-1:])),
            where=" · ".join(
                part for part in (f"p. {item.page_label or item.page}" if item.page else "",
                                  item.date or "") if part
            ),
            excerpt=text if len(text) <= EXCERPT_CHARACTERS else shortened,
            href=f"{SOURCES}?{urlencode({'at': f'{chunk.id}:{chunk.start}-{chunk.end}'})}",
        )  # fmt: skip


def _plain(part: PatientPart) -> PlainView:
    """Return a part with its points ('– ...') under the sentence that they belong to."""
    sentences: list[tuple[str, tuple[str, ...]]] = []
    for is_point, texts in groupby(part.sentences, key=lambda s: s.startswith("–")):
        if is_point and sentences:
            points = tuple(text.removeprefix("–").strip() for text in texts)
            sentences[-1] = (sentences[-1][0], points)
        else:
            sentences += [(text.removeprefix("–").strip(), ()) for text in texts]
    return PlainView(part.advice, tuple(sentences))


def _one_line(text: str) -> str:
    """Return a text in one line, the cells of a row apart."""
    return " ".join(text.replace("\t", " | ").split())
