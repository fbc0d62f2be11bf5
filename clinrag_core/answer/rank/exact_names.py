"""What a question names in a way of its own, which no statement says in other words.

A substance by letters and figures, a regimen by its months, a result that is unclear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import names_diagnostics
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.sources import Sources
    from clinrag_core.model.statement import IndexedStatement

_CODE = lazy_re(r"\b[A-Z]{1,4}-?\d{3,6}\b")
_UNCLEAR = lazy_re(r"\b(?:indeterminate|inconclusive|equivocal|borderline)\b")
"""A result of a test that is neither positive nor negative: what follows from those does not."""
_OF_INFECTION = lazy_re(r"\b\d{1,2}(?:H[PR]?|R)\b")
"""A regimen for latent infection by its months: 1HP is not 3HP."""

_EVENT = lazy_re(r"\b(?:from|off) the market\b")
"""What becomes of a product: "why was it taken off the market?" takes for granted that it was."""


def unsaid_names(
    text: str, statements: Iterable[IndexedStatement], sources: Sources
) -> tuple[str, ...]:
    """Return what a question names in such a way and no statement says; mostly nothing."""
    named = _names(text, sources)
    said = [fold_chars(one.said).replace("-", "") for one in statements] if named else []
    return tuple(
        one for one in named if not any(fold_chars(one).replace("-", "") in each for each in said)
    )


def _names(text: str, sources: Sources) -> list[str]:
    """Return the names by letters and figures in a question, "M-1234", and its unclear results.

    Of regimens those that no document names: each drug of them is named everywhere.
    """
    unclear = _UNCLEAR.findall(fold_chars(text)) if names_diagnostics(text) else []
    drugs = [(one.start, one.end) for one in read_facts(text, sources.drugs).drugs]
    regimens = [one for one in _OF_INFECTION.findall(text) if one.casefold() not in sources.idf]
    return (
        unclear
        + _EVENT.findall(fold_chars(text))
        + regimens * bool(sources.idf)
        + [
            match.group()
            for match in _CODE.finditer(text)
            if not any(start < match.end() and match.start() < end for start, end in drugs)
        ]
    )
