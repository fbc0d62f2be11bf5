"""Reads doses by body weight, the most that a text allows, and who gets it.

"10 mg per kg, at most 600 mg" is 450 mg for 45 kg; the 600 mg are for the heaviest.
"""

from __future__ import annotations

from clinrag_core.facts.quantities import quantities
from clinrag_core.text.expressions import lazy_re

_PER_KG = lazy_re(r"\bper kg\b|/ ?kg\b")
_MG_PER_KG = r"\bmg ?(?:per|/) ?kg"
_IS_HEADED = lazy_re(rf"{_MG_PER_KG}\b")
_HEADED = lazy_re(
    rf"{_MG_PER_KG}[^:;]*: (?P<usual>\d+(?:\.\d+)?)"
    r"(?: \((?P<low>\d+(?:\.\d+)?)[-\u2013](?P<high>\d+(?:\.\d+)?)\))?"
)
"""A cell under a heading that has the unit: "Dose in mg per kg (range): 5 (4-6)"."""
_MOST = lazy_re(r"\b(?:max(?:imum)?|at most|up to|not (?:to )?exceed\w*|no more than)\b[^;]*")
_HEAVIEST = lazy_re(
    r"(?:\b(?:above|over|more than|from|at least)|[>\u2265])\s*"
    r"\d+(?:\.\d+)? ?kg\b(?!\s*(?:to|-|\u2013))"
)
"""Weights without an upper end: nobody gets more."""
_WEIGHED = lazy_re(r"[<>\u2265]? ?[\d.]+(?: ?[-\u2013] ?[\d.]+)? ?(?:mg ?/ ?)?kg\b")


def is_by_weight(folded: str) -> bool:
    """Return whether a folded text states an amount by weight."""
    return _PER_KG.search(folded) is not None


def is_headed_by_weight(folded: str) -> bool:
    """Return whether a folded text has mg per kg, which may head the figures of a table."""
    return _IS_HEADED.search(folded) is not None


def figures_per_kg(clause: str) -> list[float]:
    """Return the mg per kg of a folded clause; of a cell, the range before the usual figure."""
    if headed := headed_figures(clause):
        return headed
    own = [q for q in quantities(clause) if q.kind == "dose" and "kg" in q.per]
    return [float(a) for q in own if q.key[1] == "mg" for a in q.key[0]]


def headed_figures(clause: str) -> list[float]:
    """Return the mg per kg of the first cell of a folded row whose heading has the unit."""
    headed = _HEADED.search(clause)
    return (
        [float(f) for f in (headed["low"] or headed["usual"], headed["high"]) if f]
        if headed
        else []
    )


def is_for_most(folded: str) -> bool:
    """Return whether a folded text says that a dose is the most that anybody gets."""
    return any(e.search(folded) is not None for e in (_MOST, _HEAVIEST))


def most_allowed(folded: str) -> float | None:
    """Return the most that a folded text allows, in mg; None where that is by weight too."""
    match = _MOST.search(folded)
    own = quantities(match.group()) if match else ()
    most = [float(max(q.key[0])) for q in own if q.kind == "dose" and q.key[1] == "mg"]
    return most[0] if most and "kg" not in {p for q in own for p in q.per} else None


def without_weights(text: str) -> str:
    """Return a text without its body weights and figures by weight."""
    return _WEIGHED.sub(" ", text)
