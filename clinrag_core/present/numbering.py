"""Sources of an answer, numbered once for every door: page, terminal, chat, other programs.

A source is a place a reader can open: a section of a document, on one page. It is numbered where it
is first cited, and has the same number wherever it is cited again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.records import Answer, EvidenceItem
    from clinrag_core.model.citation import Citation

OWN_DOCUMENTS = "user_"
"""How the knowledge bases of users' documents are named."""


class NumberedSource(NamedTuple):
    """A cited place with every span that is cited there."""

    number: int
    citations: tuple[Citation, ...]
    date: str | None
    """Effective date of a label, else the year of publication."""
    is_own: bool = False
    """A document of the user who asked, not of the release."""

    @property
    def first(self) -> Citation:
        """The citation that names the place."""
        return self.citations[0]

    @property
    def title(self) -> str:
        """Document and the heading of the section."""
        heading = self.first.section_path[-1] if self.first.section_path else ""
        return " › ".join(part for part in (self.first.document_title, heading) if part)

    @property
    def where(self) -> str:
        """Page or LOINC code, version and date, as far as they are known."""
        first = self.first
        parts = [
            "your document" if self.is_own else "",
            f"p. {first.page_label or first.page}" if first.page is not None else "",
            f"LOINC {first.loinc}" if first.loinc else "",
            f"version {first.label_version}" if first.label_version is not None else "",
            self.date or "",
        ]
        return " · ".join(part for part in parts if part)


class NumberedAnswer(NamedTuple):
    """The sources of an answer in order of first use, and those of each claim by number."""

    sources: tuple[NumberedSource, ...]
    by_claim: tuple[tuple[NumberedSource, ...], ...]
    """With the spans that this claim cites."""


def number_sources(answer: Answer) -> NumberedAnswer:
    """Number the sources of an answer's claims."""
    facts = {item.chunk_id: item for item in answer.evidence}
    numbers: dict[object, int] = {}
    for citation in answer.citations:
        numbers.setdefault(place_of(citation), len(numbers) + 1)
    by_claim = tuple(_numbered(c.citations, numbers, facts) for c in answer.claims)
    return NumberedAnswer(tuple(_numbered(answer.citations, numbers, facts)), by_claim)


def place_of(citation: Citation) -> object:
    """Return what makes two citations one source: document, section and page."""
    return (citation.document_id, citation.section_path, citation.page)


def _numbered(
    citations: Iterable[Citation], numbers: dict[object, int], facts: dict[str, EvidenceItem]
) -> tuple[NumberedSource, ...]:
    """Citations grouped by their place, in order of number."""
    places: dict[int, list[Citation]] = {}
    for citation in citations:
        places.setdefault(numbers[place_of(citation)], []).append(citation)
    return tuple(_source(number, cited, facts) for number, cited in sorted(places.items()))


def _source(
    number: int, cited: Sequence[Citation], facts: dict[str, EvidenceItem]
) -> NumberedSource:
    """Return a source with what the evidence says of the passage that is cited first."""
    first, item = cited[0], facts.get(cited[0].chunk_id)
    date = first.effective.isoformat() if first.effective else (item.date if item else None)
    is_own = item is not None and item.knowledge_base.startswith(OWN_DOCUMENTS)
    return NumberedSource(number, _distinct(cited), date, is_own)


def _distinct(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    return tuple({(c.chunk_id, c.start, c.end): c for c in citations}.values())
