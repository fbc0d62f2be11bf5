"""What a gate is: it sees one claim with what it cites, and lets it pass or not.

A gate never fails open: the runner takes any exception, and any answer other than a decision that
says it passed, for not passed.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from clinrag_core.facts.quantities import quantities
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.drugs import DrugLexicon, Mention
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation


class Statement:
    """A text with what gates read in it, each worked out once.

    Args:
        text: a claim or a cited snippet.
        drugs: finds drug names.
    """

    def __init__(self, text: str, drugs: DrugLexicon) -> None:
        self.text = text
        self._drugs = drugs

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Doses, frequencies, durations and other numbers with a unit."""
        return quantities(self.text)

    @cached_property
    def mentions(self) -> list[Mention]:
        """Drugs named."""
        return self._drugs.mentions(self.text)

    @cached_property
    def ingredients(self) -> frozenset[str]:
        """Every ingredient named."""
        return frozenset().union(*(m.ingredients for m in self.mentions))

    @cached_property
    def stems(self) -> list[str]:
        """Key stems, in order."""
        return key_stems(self.text)

    @cached_property
    def sentences(self) -> list[Statement]:
        """Its sentences."""
        spans = sentence_spans(self.text)
        return [Statement(self.text[a:b], self._drugs) for a, b in spans] or [self]


class ClaimInContext:
    """A claim as gates see it.

    Args:
        text: the claim.
        citations: what it cites.
        evidence: passages the answer is made from, by chunk id.
        drugs: finds drug names.
    """

    def __init__(
        self,
        text: str,
        citations: tuple[Citation, ...],
        evidence: Mapping[str, Chunk],
        drugs: DrugLexicon,
    ) -> None:
        self.claim = Statement(text, drugs)
        self.citations = citations
        self.evidence = evidence
        self.drugs = drugs

    @cached_property
    def cited(self) -> Statement:
        """The cited snippets, one to a line: the only text that supports the claim.

        A table's heading row and a row of it are read together, cell by cell.
        """
        return Statement("\n".join(_lines(self.citations)), self.drugs)

    @cached_property
    def context(self) -> str:
        """Titles and section paths of what is cited: says whom and what a snippet is about."""
        lines = [" > ".join((c.document_title, *c.section_path)) for c in self.citations]
        return "\n".join(dict.fromkeys(lines))

    @cached_property
    def context_ingredients(self) -> frozenset[str]:
        """Drugs that the cited passages are about by their title, path and label."""
        chunks = [self.evidence[c.chunk_id] for c in self.citations if c.chunk_id in self.evidence]
        named = [self.drugs.ingredients_of(chunk.drug_names) for chunk in chunks]
        return self.drugs.ingredients(self.context).union(*named)

    @cached_property
    def aligned(self) -> list[Statement]:
        """The cited sentences the claim is made from, the best of its first sentence first.

        For each sentence of the claim those that hold at least half of its key stems, or as many
        as the best one.
        """
        found: dict[int, Statement] = {}
        cited = self.cited.sentences
        for own in self.claim.sentences:
            wanted = set(own.stems)
            shares = [len(wanted & set(s.stems)) / max(len(wanted), 1) for s in cited]
            least = min(0.5, max(shares, default=0.0))
            kept = [n for n, share in enumerate(shares) if share >= least]
            for number in sorted(kept, key=lambda n: -shares[n]):
                found.setdefault(number, cited[number])
        return list(found.values())


def _lines(citations: Sequence[Citation]) -> list[str]:
    lines: list[str] = []
    rest = list(citations)
    while rest:
        first = rest.pop(0)
        joined = join_row(first.snippet, rest[0].snippet) if rest else None
        if joined is not None and first.chunk_id == rest[0].chunk_id:
            rest.pop(0)
            lines.append(joined)
        else:
            # A bar between cells: no figure takes its unit from the next one.
            lines.append(first.snippet.replace("\t", " |\t| "))
    return lines


def join_row(headings: str, row: str) -> str | None:
    """Two rows with as many cells as "Heading: cell; ..."; None where they are no such rows."""
    heads = [cell.strip() for cell in headings.split("\t") if cell.strip()]
    cells = [cell.strip() for cell in row.split("\t") if cell.strip()]
    if "\t" not in headings or "\t" not in row or len(heads) != len(cells):
        return None
    return "; ".join(f"{head}: {cell}" for head, cell in zip(heads, cells, strict=True))


class Gate(Protocol):
    """Decides on one claim; one object serves all threads."""

    name: str

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Whether the claim may stand."""
        ...
