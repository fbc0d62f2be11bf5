"""The project's own thesaurus of tuberculosis and pneumonia: `data/lexicons/concepts.toml`.

Its short forms need no context: where documents are about tuberculosis, TB is tuberculosis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptType
from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.lexicon.concepts.rows import ConceptRow

PREFIX = "clinrag:"


class OwnConcept(Record):
    """A concept of the table; the first of `names` is the preferred one."""

    names: tuple[str, ...]
    type: str
    broader: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


class ConceptTable(Record):
    """The concepts by id."""

    concept: dict[str, OwnConcept]


class OwnSource:
    """The shipped table."""

    name = "own"

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`."""
        table = load_table("concepts", ConceptTable).concept
        for key, concept in table.items():
            if missing := [k for k in (*concept.broader, *concept.related) if k not in table]:
                raise ThesaurusError(f"concepts.toml: {key}: there is no concept {missing[0]}")
            for place, name in enumerate(concept.names):
                yield ConceptName(PREFIX + key, name, preferred=not place, sure=True)
            yield ConceptType(PREFIX + key, concept.type)
            for parent in concept.broader:
                yield ConceptLink(PREFIX + key, "is_a", PREFIX + parent)
            for other in concept.related:
                yield ConceptLink(PREFIX + key, "related", PREFIX + other)
