"""Checks preventive treatment against the resistance of the strain that somebody was exposed to.

A drug is no prevention for contacts of disease that resists it. Only a guideline that says what
such contacts get is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.resistance import resists_several, without_absent_resistance
from clinrag_core.notes.care_check import evidence_of
from clinrag_core.notes.passages import care_passages
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.records import SummaryItem

_AFTER = re.compile(r"[\s-]*(?:mono-?)?resistan")
_BEFORE = re.compile(r"\bresistan\w+ to (?:(?!\b(?:susceptib|sensitiv|but\b))[^.;:]){0,30}$")
"""What says so of a drug behind it; "resistant to A, susceptible to B" does not of B."""
_OF_SEVERAL = re.compile(
    r"\bcontacts? of (?:[\w-]+ ){0,2}(?:mdr|multi-?drug)\b[^.;]{0,40}"
    r"\b(?:should|must) not receive\b"
)
"""What says that contacts of multidrug-resistant disease get no preventive treatment."""
_NOTHING = re.compile(r"\bnot receive\b")
_MULTIRESISTANT = frozenset({"isoniazid", "rifampin"})
"""What multidrug resistance is defined by (WHO)."""


def _holds(
    passage: GuidelinePassage, drug: str, resisted: frozenset[str], engine: AnswerEngine
) -> bool:
    """Return whether what contacts get is no drug that the disease resists, or nothing at all."""
    given = engine.drugs.ingredients("\n".join((passage.text, *passage.path[-1:])))
    return (
        not (given & (resisted - {drug})) or _NOTHING.search(fold_chars(passage.text)) is not None
    )


def resisted_drugs(items: Iterable[SummaryItem], engine: AnswerEngine) -> frozenset[str]:
    """Return the drugs that a note calls a strain resistant to."""
    found: set[str] = set()
    for item in items:
        text = without_absent_resistance(item.text)
        found |= _MULTIRESISTANT if resists_several(text) else set[str]()
        for mention in engine.drugs.mentions(text):
            if _AFTER.match(text, mention.end) or _BEFORE.search(text[: mention.start]):
                found |= mention.ingredients
    return frozenset(found)


def source_findings(
    preventive: Iterable[SummaryItem], resisted: frozenset[str], engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines give contacts of disease that resists a drug which items give them."""
    for item in preventive:
        named = [m.name for m in item.medications if m.status != "absent"]
        given = {drug for name in named for drug in engine.drugs.ingredients(name)}
        for drug in sorted(given & resisted):
            names = re.compile(
                rf"\b(?:expos\w+ to|contacts? of)\b[^.;]{{0,40}}\b{drug}[- ]resistan"
            )
            is_several = resisted >= _MULTIRESISTANT
            said = care_passages(_OF_SEVERAL if is_several else names, engine)
            passages = [p for p in said if _holds(p, drug, resisted, engine)]
            if passages:
                yield GuidelineFinding(
                    about=item.text,
                    source=item.source,
                    kind="recommendation",
                    question=(
                        f"Is {drug} recommended for contacts of "
                        f"{'multidrug' if is_several else drug}-resistant disease?"
                    ),
                    verdict="contradicts",
                    evidence=evidence_of(passages),
                )
