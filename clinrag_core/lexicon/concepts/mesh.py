"""MeSH descriptors in NLM's XML: entry terms, tree numbers as is-a, see-related, semantic types.

A descriptor is one concept with the terms of all its MeSH concepts: they are indexed as one.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from lxml import etree

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptType
from clinrag_core.lexicon.concepts.tables import tree_links

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clinrag_core.lexicon.concepts.rows import ConceptRow


class MeshSource:
    """A file desc*.xml, or its .gz."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = "mesh"

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`; relations come last, when every tree number is known."""
        places: dict[str, str] = {}
        seen = False
        for descriptor in self._descriptors():
            seen = True
            concept = descriptor.findtext("DescriptorUI") or ""
            heading = descriptor.findtext("DescriptorName/String") or ""
            yield ConceptName(concept, heading, preferred=True)
            for term in descriptor.iterfind("ConceptList/Concept/TermList/Term/String"):
                if term.text and term.text != heading:
                    yield ConceptName(concept, term.text)
            types = descriptor.iterfind(
                "ConceptList/Concept/SemanticTypeList/SemanticType/SemanticTypeName"
            )
            for kind in dict.fromkeys(t.text for t in types if t.text):
                yield ConceptType(concept, kind)
            related = descriptor.iterfind(
                "SeeRelatedList/SeeRelatedDescriptor/DescriptorReferredTo/DescriptorUI"
            )
            for other in related:
                yield ConceptLink(concept, "related", other.text or "")
            for number in descriptor.iterfind("TreeNumberList/TreeNumber"):
                places[number.text or ""] = concept
        if not seen:
            raise ThesaurusError(f"{self.file}: no DescriptorRecord: is it MeSH descriptor XML?")
        yield from tree_links(places)

    def _descriptors(self) -> Iterator[Any]:
        """Yield the records, each freed after its use."""
        try:
            opened = gzip.open if self.file.suffix == ".gz" else open
            with opened(self.file, "rb") as file:
                for _, record in etree.iterparse(
                    file, tag="DescriptorRecord", resolve_entities=False, no_network=True
                ):
                    yield record
                    record.clear()
                    while record.getprevious() is not None:
                        del record.getparent()[0]
        except (OSError, etree.XMLSyntaxError) as error:
            raise ThesaurusError(f"{self.file}: {error}") from error
