"""Evidence quality: what kind of source says it, how strongly, how surely, how lately, and where.

Strength and certainty are read as printed in guidelines (GRADE panels); a passage without them is
in the middle. Shown with every passage; it orders nothing unless a profile gives it a weight.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.retrieve.stages.records import EvidenceQuality
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.model.chunk import Chunk

UNKNOWN = 0.5
"""Midway between the least and the most: what is not stated speaks neither way."""
_SOURCE = {"guideline": 1.0, "label": 0.9}
_STRENGTH = (
    (lazy_re(r"\bstrong(?:ly)? recommend|\bstrong\s*[,/(]|\bgood practice statement"), 1.0),
    (lazy_re(r"\b(?:conditional|weak)(?:ly)? recommend|\b(?:conditional|weak)\s*[,/]"), 0.7),
)
_CERTAINTY = (
    (lazy_re(r"\bvery low[- ](?:certainty|quality|confidence)"), 0.2),
    (lazy_re(r"\blow[- ](?:certainty|quality|confidence)"), 0.4),
    (lazy_re(r"\bmoderate[- ](?:certainty|quality|confidence)"), 0.8),
    (lazy_re(r"\bhigh[- ](?:certainty|quality|confidence)"), 1.0),
)
_SECTION = {
    "boxed_warning": 1.0, "contraindications": 1.0, "dosage": 1.0, "warnings": 0.9,
    "indications": 0.9, "interactions": 0.9, "populations": 0.9, "adverse_reactions": 0.8,
    "clinical_studies": 0.6, "clinical_pharmacology": 0.6, "description": 0.3, "how_supplied": 0.3,
}  # fmt: skip
OLDEST, YEARS = 2000, 25
"""A source of 2000 counts 0, one 25 years younger 1; by judgement, and no profile ranks by it."""


def evidence_quality(chunk: Chunk) -> EvidenceQuality:
    """Return the quality of a passage: the mean of its parts."""
    text = fold_chars(chunk.text)
    year = chunk.effective.year if chunk.effective is not None else chunk.year
    parts = {
        "source": _SOURCE.get(chunk.kind, UNKNOWN),
        "strength": _printed(text, _STRENGTH),
        "certainty": _printed(text, _CERTAINTY),
        "recency": UNKNOWN if year is None else min(max((year - OLDEST) / YEARS, 0.0), 1.0),
        "section": UNKNOWN if chunk.group is None else _SECTION.get(chunk.group, UNKNOWN),
    }
    return EvidenceQuality(score=round(sum(parts.values()) / len(parts), 4), **parts)


def _printed(text: str, grades: tuple[tuple[re.Pattern[str], float], ...]) -> float:
    """Return the grade of the first expression that a text has."""
    return next((grade for pattern, grade in grades if pattern.search(text)), UNKNOWN)
