"""What a thesaurus says, row by row: names of concepts, relations between them, their types.

Every reader yields these rows in the order of its file, so that a thesaurus of any size is read
once and never kept as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

Relation = Literal["is_a", "narrower", "related"]
RELATIONS: tuple[Relation, ...] = ("is_a", "narrower", "related")
"""To a broader concept, to a narrower one, to another; their places are their codes on disk."""


class ConceptName(NamedTuple):
    """A name of a concept."""

    concept: str
    name: str
    preferred: bool = False
    sure: bool = False
    """A short form that needs no context: the thesaurus is about its field."""


class ConceptLink(NamedTuple):
    """A relation: `source` is a kind of, or is related to, `target`."""

    source: str
    relation: Relation
    target: str


class ConceptType(NamedTuple):
    """A semantic type of a concept: "Sign or Symptom"."""

    concept: str
    type: str


ConceptRow = ConceptName | ConceptLink | ConceptType


class ThesaurusSource(Protocol):
    """A thesaurus in the format it is published in."""

    name: str

    def rows(self) -> Iterator[ConceptRow]:
        """Yield its rows.

        Raises:
            ThesaurusError: a file is missing or malformed; names the file and the line.
        """
        ...
