"""What a gate is: it gets one claim with its source, and accepts the claim or not.

A gate never fails open: the runner takes any exception, and any result other than a decision that
says it passed, for not passed.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from clinrag_core.answer.records import GateDecision
from clinrag_core.facts.reader import read_facts
from clinrag_core.text.similarity import containment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation

ALIGNED = 0.5
"""Least share of a claim sentence's key stems in a source sentence that it may come from."""


class ClaimInContext:
    """A claim with its source, as gates get it; `evidence` maps chunk ids to passages."""

    def __init__(
        self,
        text: str,
        citations: tuple[Citation, ...],
        evidence: Mapping[str, Chunk],
        drugs: DrugLexicon,
    ) -> None:
        self.claim = read_facts(text, drugs)
        self.citations = citations
        self.evidence = evidence
        self.drugs = drugs

    @cached_property
    def cited(self) -> Facts:
        """The source: the cited snippets, one to a line. Only they support the claim.

        A table's heading row and a row of it are read together, cell by cell.
        """
        return read_facts("\n".join(_lines(self.citations)), self.drugs)

    @cached_property
    def context(self) -> Facts:
        """Titles and section paths of what is cited: whom and what a snippet is about."""
        lines = [" > ".join((c.document_title, *c.section_path)) for c in self.citations]
        return read_facts("\n".join(dict.fromkeys(lines)), self.drugs)

    @cached_property
    def context_ingredients(self) -> frozenset[str]:
        """Drugs that the cited passages are about by their title, path and label."""
        chunks = [self.evidence[c.chunk_id] for c in self.citations if c.chunk_id in self.evidence]
        named = [self.drugs.ingredients_of(chunk.drug_names) for chunk in chunks]
        return self.context.ingredients.union(*named)

    @cached_property
    def aligned(self) -> tuple[Facts, ...]:
        """Source sentences the claim is made from, best match for its first sentence first.

        For each sentence of the claim those with at least half of its key stems, or as many
        as the best one.
        """
        aligned: dict[int, Facts] = {}
        source = self.cited.sentences
        for sentence in self.claim.sentences:
            wanted = set(sentence.stems)
            shares = [containment(wanted, set(s.stems)) for s in source]
            least = min(ALIGNED, max(shares, default=0.0))
            kept = [n for n, share in enumerate(shares) if share >= least]
            for number in sorted(kept, key=lambda n: -shares[n]):
                aligned.setdefault(number, source[number])
        return tuple(aligned.values())


class ClaimOfText(ClaimInContext):
    """A sentence with the text it restates instead of citations; only the text supports it."""

    def __init__(self, text: str, source: str, drugs: DrugLexicon) -> None:
        super().__init__(text, (), {}, drugs)
        self.source = source

    @cached_property
    def cited(self) -> Facts:
        """The text restated."""
        return read_facts(self.source, self.drugs)


def _lines(citations: Sequence[Citation]) -> list[str]:
    """Return the snippets as lines, each heading row joined with the row that follows it."""
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
    """Return "Heading: cell; ..." of two rows with as many cells; None where they have not."""
    heads = [cell.strip() for cell in headings.split("\t") if cell.strip()]
    cells = [cell.strip() for cell in row.split("\t") if cell.strip()]
    if "\t" not in headings or "\t" not in row or len(heads) != len(cells):
        return None
    return "; ".join(f"{head}: {cell}" for head, cell in zip(heads, cells, strict=True))


def passed(gate: str) -> GateDecision:
    """Return the decision of a gate that found nothing wrong."""
    return GateDecision(gate=gate, passed=True, value=0.0)


def refused(gate: str, code: str, wrong: Iterable[str]) -> GateDecision:
    """Return the decision of a gate that found something wrong, sorted, and how much of it."""
    detail = tuple(sorted(wrong))
    return GateDecision(gate=gate, passed=False, code=code, detail=detail, value=float(len(detail)))


def at_least(gate: str, value: float, threshold: float, code: str) -> GateDecision:
    """Return the decision of a gate that asks for a value of at least its threshold."""
    enough = value >= threshold
    return GateDecision(
        gate=gate,
        passed=enough,
        code=None if enough else code,
        value=round(value, 4),
        threshold=threshold,
    )


class Gate(Protocol):
    """Decides on one claim; one object serves all threads."""

    name: str

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Return whether the claim is accepted."""
        ...
