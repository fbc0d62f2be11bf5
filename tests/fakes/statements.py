"""Statements of invented guidelines and labels, as an index would return them."""

from __future__ import annotations

import itertools
from typing import Any

from clinrag_core.model.statement import IndexedStatement, Quote

LABELS = {
    "zolumycin": ("zolumycin", "zolumax"),
    "velotrib": ("velotrib",),
    "isoniazid": ("isoniazid",),
    "rifampin": ("rifampin",),
    "rifampin-and-zolumycin": ("rifampin and zolumycin", "rifazol", "rifampin", "zolumycin"),
}
"""Names of the drugs of the labels, two of them invented."""
_NUMBERS = itertools.count()


def statement(said: str, **frame: Any) -> IndexedStatement:
    """Return a statement of a guideline, or of a label if it has ingredients."""
    number = next(_NUMBERS)
    values: dict[str, Any] = {
        "kind": "label" if frame.get("ingredients") else "guideline",
        "headings": ("Invented chapter",),
        "document_id": "invented",
        "document_title": "Invented text",
        "statement_kind": "sentence",
        "text": said,
        **frame,
    }
    return IndexedStatement(
        id=f"invented-statement-{number}",
        order=number,
        section_ordinal=0,
        block=0,
        said=said,
        quotes=(Quote(chunk_id="invented", start=0, end=len(said)),),
        **values,
    )


def label(said: str, *ingredients: str, **frame: Any) -> IndexedStatement:
    """Return a statement of a label, by default that of zolumycin."""
    return statement(said, ingredients=ingredients or ("zolumycin",), **frame)
