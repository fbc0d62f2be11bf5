"""Reads how far a pregnancy is, as notes print it, and whether a text is on pregnant women."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

_WEEKS = lazy_re(
    r"\b(\d{1,2})(?:\+\d)? ?(?:weeks?|wks?)(?:'?s?)? (?:pregnant|(?:of )?(?:gestation|pregnancy))"
    r"|\bgestation\w*:? (?:of )?(\d{1,2})\b|\b(\d{1,2})(?:\+\d)? ?/ ?40\b"
    r"|\bpregnant,? (?:at |now )?(\d{1,2}) weeks\b"
)
_IN_PREGNANCY = lazy_re(r"\b(?:in|during|of) pregnancy\b|\bpregnant (?:women|woman|patients)\b")


def weeks_of_pregnancy(folded: str) -> int | None:
    """Return the weeks of a pregnancy that a folded text prints; None for none."""
    match = _WEEKS.search(folded)
    return int(next(group for group in match.groups() if group)) if match else None


def names_pregnant(folded: str) -> bool:
    """Return whether a folded text is on pregnancy, not on whom may become pregnant."""
    return _IN_PREGNANCY.search(folded) is not None
