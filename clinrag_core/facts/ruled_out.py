"""Reads what a clinical note rules out that would change treatment: meningitis, cirrhosis."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

_NO_CIRRHOSIS = lazy_re(
    r"\b(?:no|without|not)\b[^.;,]{0,20}\bcirrho\w+|\bcirrhosis (?:was |is )?(?:excluded|absent)"
)
_NO_MENINGITIS = lazy_re(
    r"\b(?:no|not|without|nor|non)\b[^.;,]{0,30}\bmening\w+|\bno neck stiffness\b"
)
_NO_DISEASE = lazy_re(
    r"\b(?:tb|tuberculosis)(?: \w+){0,2} "
    r"(?:tests?|clinic|centre|center|service|nurse|team|ward|unit)\b"
    r"|\b(?:no|without) (?:evidence|signs?|symptoms?) of [^,.;]*"
    r"|\b(?:no|not|without) active [^,.;]*|\bactive [^,.;]*(?:excluded|ruled out)\b"
)
"""Places that are called after a disease, and what the patient is found not to have."""


def rules_out_cirrhosis(folded: str) -> bool:
    """Return whether a folded text says that there is no cirrhosis."""
    return _NO_CIRRHOSIS.search(folded) is not None


def without_meningitis_ruled_out(folded: str) -> str:
    """Return a folded text without what it says against meningitis."""
    return _NO_MENINGITIS.sub(" ", folded)


def without_other_disease(folded: str) -> str:
    """Return a folded text without diseases that name a clinic or a test, or are excluded."""
    return _NO_DISEASE.sub(" ", folded)
