"""The table of safety concepts: high-risk terms, populations, routes, directions, diagnostics."""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

OPPOSITES = {"increase": "decrease", "decrease": "increase", "before": "after", "after": "before"}
"""The direction that each direction must not become."""


class DiagnosticTerms(Record):
    """Words of evidence for a diagnosis."""

    terms: Expression


class SafetyLexicon(Record):
    """The expressions that mean each concept, by kind of concept."""

    high_risk: dict[str, Expression]
    populations: dict[str, Expression]
    routes: dict[str, Expression]
    directions: dict[str, Expression]
    diagnostic: DiagnosticTerms


def safety_lexicon() -> SafetyLexicon:
    """Return the shipped table."""
    return load_table("safety", SafetyLexicon)
