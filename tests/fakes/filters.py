"""The meaning of a metadata filter, one passage at a time."""

from collections.abc import Mapping
from typing import Any

from clinrag_core.index.filters import MetadataFilter


def matches(wanted: MetadataFilter, payload: Mapping[str, Any]) -> bool:
    """True if a passage with these fields of `Chunk` is admitted."""
    year = payload.get("year")
    if wanted.year_from is not None and (year is None or year < wanted.year_from):
        return False
    if wanted.year_to is not None and (year is None or year > wanted.year_to):
        return False
    if wanted.tables_only and not payload.get("has_table"):
        return False
    named = {str(payload.get("drug") or "").casefold(), *(payload.get("drug_names") or ())}
    if wanted.drugs and named.isdisjoint(drug.casefold() for drug in wanted.drugs):
        return False
    if wanted.topics and set(wanted.topics).isdisjoint(payload.get("topics") or ()):
        return False
    exact = {
        "organisation": wanted.sources,
        "loinc": wanted.loinc,
        "group": wanted.groups,
        "document_id": wanted.document_ids,
    }
    return all(not allowed or payload.get(name) in allowed for name, allowed in exact.items())
