"""What the Python interface returns: the records, with a form for the console and the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from clinrag_core.present.blocks import answer_blocks
from clinrag_core.present.lines import (
    NOT_A_DEVICE,
    answer_text,
    first_lines,
    notice_lines,
    reason_of,
)
from clinrag_core.present.numbering import number_sources

if TYPE_CHECKING:
    import pandas as pd

    from clinrag_core.answer.records import Answer, Claim
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation
    from clinrag_core.present.blocks import ShownBlock
    from clinrag_core.present.numbering import NumberedAnswer, NumberedSource
    from clinrag_core.retrieve.request import SearchHit, SearchResponse

SHOWN_CHARACTERS = 160  # of a passage in a notebook, about two lines


@dataclass(frozen=True, slots=True, repr=False)
class AskResult:
    """An answer, or the reason for there being none. True if it was answered."""

    record: Answer
    """Everything that `POST /v1/ask` returns."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The checked statements, each with its citations."""
        return self.record.claims

    @property
    def sources(self) -> tuple[NumberedSource, ...]:
        """The sources, numbered in order of first use."""
        return number_sources(self.record).sources

    @property
    def text(self) -> str:
        """The statements without their sources; the reason where there are none."""
        claims = [" ".join(claim.text.split()) for claim in self.claims]
        return "\n".join(claims) or reason_of(self.record)

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each statement and source: what is said, where, how old it is."""
        import pandas as pd

        numbered = number_sources(self.record)
        rows = [
            {
                "claim": index,
                "text": " ".join(claim.text.split()),
                "source": source.number,
                "document": source.first.document_title,
                "section": " › ".join(source.first.section_path),
                "page": _page(source.first),
                "loinc": source.first.loinc,
                "label_version": source.first.label_version,
                "date": source.date,
                "quote": " … ".join(c.snippet for c in source.citations),
            }
            for index, (claim, sources) in enumerate(
                zip(self.claims, numbered.by_claim, strict=True), start=1
            )
            for source in sources
        ]
        return pd.DataFrame(rows, columns=[*ANSWER_COLUMNS])

    def __bool__(self) -> bool:
        return self.record.status == "answered"

    def __repr__(self) -> str:
        return answer_text(self.record)

    def _repr_html_(self) -> str:
        """Return the answer for a notebook; every text is escaped."""
        numbered = number_sources(self.record)
        head = "" if self else f"<p>{escape(reason_of(self.record))}</p>"
        before, after = (
            "".join(f"<p><b>{escape(line)}</b></p>" for line in lines(self.record))
            for lines in (first_lines, notice_lines)
        )
        blocks = "".join(_block_html(b, numbered) for b in answer_blocks(self.record))
        sources = "".join(
            f"<li value='{s.number}'>{escape(s.title)} <small>{escape(s.where)}</small></li>"
            for s in numbered.sources
        )
        end = f"<small>Release {escape(str(self.record.release))}. {NOT_A_DEVICE}</small>"
        return f"<div>{head}{before}{blocks}{after}<ol>{sources}</ol>{end}</div>"


@dataclass(frozen=True, slots=True, repr=False)
class FoundPassages:
    """Passages in order of relevance. A sequence of `SearchHit`."""

    record: SearchResponse
    """Everything that `POST /v1/search` returns."""

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The passages with every score that ranked them."""
        return self.record.results

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each passage, its scores per component in columns of their own."""
        import pandas as pd

        rows = [
            {
                "rank": hit.rank,
                "score": hit.score,
                **{f"{name}_score": value for name, value in hit.component_scores.items()},
                "document": hit.chunk.document_title,
                "section": " › ".join(hit.chunk.section_path),
                "page": _page(hit.chunk),
                "loinc": hit.chunk.loinc,
                "text": hit.chunk.text,
                "chunk_id": hit.chunk.id,
            }
            for hit in self.hits
        ]
        return pd.DataFrame(rows)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> SearchHit:
        return self.hits[index]

    def __repr__(self) -> str:
        lines = [
            f"{hit.rank}. {hit.chunk.document_title} › {hit.chunk.section_path[-1]} "
            f"({hit.score:.3f})\n   {_shortened(hit.chunk.text)}"
            for hit in self.hits
        ]
        return "\n".join(lines) or "nothing found"

    def _repr_html_(self) -> str:
        """Return the passages for a notebook; every text is escaped."""
        rows = "".join(
            f"<tr><td>{hit.rank}</td><td>{hit.score:.3f}</td><td><b>"
            f"{escape(hit.chunk.document_title)} › {escape(hit.chunk.section_path[-1])}</b><br>"
            f"{escape(_shortened(hit.chunk.text))}</td></tr>"
            for hit in self.hits
        )
        return f"<table><tr><th></th><th>score</th><th>passage</th></tr>{rows}</table>"


ANSWER_COLUMNS = (
    "claim", "text", "source", "document", "section", "page", "loinc", "label_version", "date",
    "quote",
)  # fmt: skip


def _block_html(block: ShownBlock, numbered: NumberedAnswer) -> str:
    """Return one table of rows, or a paragraph for each statement."""
    marked = [
        "".join(f"[{source.number}]" for source in numbered.by_claim[row.claim])
        for row in block.rows
    ]
    if not block.headings:
        texts = zip(block.rows, marked, strict=True)
        return "".join(f"<p>{escape(row.cells[0])} {mark}</p>" for row, mark in texts)
    head = "".join(f"<th>{escape(heading)}</th>" for heading in (*block.headings, ""))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (*row.cells, mark)) + "</tr>"
        for row, mark in zip(block.rows, marked, strict=True)
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _page(place: Citation | Chunk) -> str | None:
    """Return the page as it is printed, else its number in the file."""
    return place.page_label or (None if place.page is None else str(place.page))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= SHOWN_CHARACTERS:
        return line
    return line[:SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
