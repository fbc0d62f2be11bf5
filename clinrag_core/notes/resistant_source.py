"""Checks preventive treatment against the resistance of the strain that somebody was exposed to.

A drug is no prevention for contacts of disease that resists it. Only a guideline that says what
such contacts get is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.notes.care_check import evidence_of
from clinrag_core.notes.passages import care_passages
from clinrag_core.notes.patient import NOT_RESISTANT, is_of_several
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import SummaryItem

_AFTER = re.compile(r"[\s-]*(?:mono-?)?resistan")
_BEFORE = re.compile(r"\bresistan\w+ to [^.;:]{0,30}$")
_MULTIRESISTANT = frozenset({"isoniazid", "rifampin"})
"""What multidrug resistance is defined by (WHO)."""


def resisted_drugs(items: Iterable[SummaryItem], engine: AnswerEngine) -> frozenset[str]:
    """Return the drugs that a note calls a strain resistant to."""
    found: set[str] = set()
    for item in items:
        text = NOT_RESISTANT.sub(" ", fold_chars(item.text))
        found |= _MULTIRESISTANT if is_of_several(text) else set[str]()
        for mention in engine.drugs.mentions(text):
            if _AFTER.match(text, mention.end) or _BEFORE.search(text[: mention.start]):
                found |= mention.ingredients
    return frozenset(found)


def source_findings(
    preventive: Iterable[SummaryItem], resisted: frozenset[str], engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines give contacts of disease that resists a drug which items give them."""
    for item in preventive:
        given = {d for m in item.medications for d in engine.drugs.ingredients(m.name)}
        for drug in sorted(given & resisted):
            names = re.compile(
                rf"\b(?:expos\w+ to|contacts? of)\b[^.;]{{0,40}}\b{drug}[- ]resistan"
            )
            passages = care_passages(names, engine)
            if passages:
                yield GuidelineFinding(
                    about=item.text,
                    source=item.source,
                    kind="recommendation",
                    question=f"Is {drug} recommended for contacts of {drug}-resistant disease?",
                    verdict="contradicts",
                    evidence=evidence_of(passages),
                )
