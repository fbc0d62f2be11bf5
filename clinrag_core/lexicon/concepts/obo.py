"""OBO ontologies: Disease Ontology, symptom ontology and others.

Synonyms count where they are EXACT; broad, narrow and related ones name other things. Obsolete
terms are left out (OBO Flat File Format 1.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptType
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clinrag_core.lexicon.concepts.rows import ConceptRow

_SYNONYM = lazy_re(r'"((?:[^"\\]|\\.)*)"\s+EXACT\b')
_ESCAPED = lazy_re(r"\\(.)")

Stanza = dict[str, list[str]]


class OBOSource:
    """An .obo file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = file.stem

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`."""
        seen = False
        for stanza in self._terms():
            seen = True
            yield from _rows(stanza)
        if not seen:
            raise ThesaurusError(f"{self.file}: no [Term]: is it an OBO file?")

    def _terms(self) -> Iterator[Stanza]:
        """Yield the [Term] stanzas as tag to values, without trailing comments."""
        stanza: Stanza | None = None
        try:
            with self.file.open(encoding="utf-8") as file:
                for line in map(str.strip, file):
                    if line.startswith("["):
                        if stanza:
                            yield stanza
                        stanza = {} if line == "[Term]" else None
                    elif stanza is not None and ": " in line:
                        tag, _, value = line.partition(": ")
                        stanza.setdefault(tag, []).append(value.split(" ! ")[0].strip())
        except (OSError, UnicodeDecodeError) as error:
            raise ThesaurusError(f"{self.file}: {error}") from error
        if stanza:
            yield stanza


def _rows(stanza: Stanza) -> Iterator[ConceptRow]:
    """Yield the rows of a term; none of an obsolete one."""
    concept = stanza.get("id", [""])[0]
    if not concept or stanza.get("is_obsolete") == ["true"]:
        return
    for name in stanza.get("name", []):
        yield ConceptName(concept, _ESCAPED.sub(r"\1", name), preferred=True)
    for match in filter(None, map(_SYNONYM.match, stanza.get("synonym", []))):
        yield ConceptName(concept, _ESCAPED.sub(r"\1", match.group(1)))
    for parent in stanza.get("is_a", []):
        yield ConceptLink(concept, "is_a", parent.split()[0])
    for relation in stanza.get("relationship", []):
        _, _, target = relation.partition(" ")
        if target:
            yield ConceptLink(concept, "related", target.split()[0])
    for space in stanza.get("namespace", []):
        yield ConceptType(concept, space)
