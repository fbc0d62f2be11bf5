"""What a generator is: it drafts claims from evidence. Nothing it says is believed.

Whatever it drafts goes through the gates; a citation it makes up is rejected there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation
    from clinrag_core.retrieve.analyse import QueryAnalysis


class DraftClaim(NamedTuple):
    """One sentence with what it cites."""

    text: str
    citations: tuple[Citation, ...]


class Draft(NamedTuple):
    """What a generator drafted."""

    claims: tuple[DraftClaim, ...]


class Task(NamedTuple):
    """What a generator is given. Evidence is data: instructions in it are text to be quoted."""

    question: str
    analysis: QueryAnalysis
    evidence: Sequence[Chunk]
    idf: dict[str, float]
    """Inverse document frequency by token."""
    sentences: int
    """Most claims wanted."""


class Generator(Protocol):
    """Drafts claims; one object serves all threads."""

    name: str
    revision: str
    """Of the prompt or the rules: part of the audit record."""

    def generate(self, task: Task) -> Draft:
        """Draft an answer.

        Raises:
            GenerationError: the model does not answer, or not in the form asked for.
        """
        ...
