"""Structural constraints on evidence (seed 000): hard filters that no score can overrule.

The drug anchor filter keeps only passages that name a drug asked for, in text or title, and wants
every drug asked for covered. The diagnosis evidence gate keeps, for questions about a diagnosis,
only passages that speak of one. What was rejected is kept, with the reason.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.request import SearchHit

RejectionCode = Literal["drug_not_named", "no_diagnostic_words", "below_threshold"]
CACHED_PASSAGES = 8_192
"""Passages whose ingredients are kept, in memory only: those that are found again and again."""
DIAGNOSIS_WINDOW = 900
"""Characters of a passage that the diagnosis gate reads (seed 000)."""


class Rejection(Record):
    """A passage that was retrieved and not used."""

    chunk_id: str
    document_id: str
    code: RejectionCode
    detail: tuple[str, ...] = ()


class Constrained(NamedTuple):
    """The admitted evidence, and the rejected passages with their reasons."""

    hits: tuple[SearchHit, ...]
    rejected: tuple[Rejection, ...]
    uncovered: frozenset[str]
    """Drugs asked for that no passage left names."""


def named_ingredients(chunk: Chunk, drugs: DrugLexicon) -> frozenset[str]:
    """Return every ingredient a passage names in its text, titles or the names of its label."""
    title = " > ".join((chunk.document_title, *chunk.section_path))
    return _named(title, chunk.text, drugs) | drugs.ingredients_of(chunk.drug_names)


@lru_cache(maxsize=CACHED_PASSAGES)
def _named(title: str, text: str, drugs: DrugLexicon) -> frozenset[str]:
    return drugs.ingredients(f"{title}\n{text}")


def drug_anchor_filter(
    hits: Sequence[SearchHit], targets: frozenset[str], drugs: DrugLexicon
) -> Constrained:
    """Reject every passage that names none of the drugs asked for, whatever its score."""
    if not targets:
        return Constrained(tuple(hits), (), frozenset())
    kept: list[SearchHit] = []
    rejected: list[Rejection] = []
    covered: set[str] = set()
    for hit in hits:
        named = named_ingredients(hit.chunk, drugs) & targets
        if named:
            kept.append(hit)
            covered |= named
        else:
            rejected.append(_rejection(hit, "drug_not_named", sorted(targets)))
    return Constrained(tuple(kept), tuple(rejected), targets - covered)


def diagnosis_gate(hits: Sequence[SearchHit]) -> Constrained:
    """Reject passages whose titles and first 900 characters hold no diagnostic word."""
    kept: list[SearchHit] = []
    rejected: list[Rejection] = []
    for hit in hits:
        chunk = hit.chunk
        window = (chunk.document_title, *chunk.section_path, chunk.text[:DIAGNOSIS_WINDOW])
        if names_diagnostics("\n".join(window)):
            kept.append(hit)
        else:
            rejected.append(_rejection(hit, "no_diagnostic_words", []))
    return Constrained(tuple(kept), tuple(rejected), frozenset())


def _rejection(hit: SearchHit, code: RejectionCode, detail: list[str]) -> Rejection:
    chunk, details = hit.chunk, tuple(detail)
    return Rejection(chunk_id=chunk.id, document_id=chunk.document_id, code=code, detail=details)
