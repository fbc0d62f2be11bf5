"""Checks what a plan orders should the patient get a condition: "if she conceives, go on".

The drugs that such a statement goes on with are put to labels and guidelines as for somebody who
has the condition; what it stops, or calls for help about, is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.notes.care_lexicon import patient_conditions
from clinrag_core.notes.cautions import CautionedPerson, guideline_cautions
from clinrag_core.notes.label_check import label_findings
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import GuidelineFinding, SummaryItem

_CONDITION = re.compile(
    r"\b(?:if|should|in case|even if|when)\b(?P<said>[^.;:,]{3,80})(?:[:,]|\bthen\b)"
    r"(?P<then>[^.;]*)"
)
_GOES_ON = re.compile(
    r"\b(?:continu\w+|carr(?:y|ies) on|go(?:es)? on|keeps?|stays?|same|complete)\b"
)
_STOPS = re.compile(r"\b(?:stop\w*|hold|withh\w+|switch\w*|chang\w+|call|ring|tell|not|instead)\b")
_CONCEIVES = re.compile(
    r"\b(?:conceiv\w+|(?:becom\w+|gets?|falls?|is|found) pregnant|pregnan\w+)\b"
)
_PREGNANCY = "pregnancy"


def supposed_findings(
    items: Iterable[SummaryItem], person: CautionedPerson, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what warns of drugs that items go on with in a condition that may come."""
    for item in items:
        match = _CONDITION.search(fold_chars(item.text))
        if match is None or not _GOES_ON.search(match["then"]) or _STOPS.search(match["then"]):
            continue
        conditions = names_of(concept_spans(match["said"], patient_conditions()))
        conditions |= {_PREGNANCY} if _CONCEIVES.search(match["said"]) else set[str]()
        drugs = set(engine.drugs.ingredients(item.text))
        drugs |= {d for own in regimens(item.text, engine.drugs).values() for d in own}
        if not conditions or not drugs:
            continue
        given = dict.fromkeys(sorted(drugs), item)
        supposed = person._replace(conditions=frozenset(conditions))
        yield from guideline_cautions(given, supposed, engine)
        for finding in label_findings(given, sorted(conditions), engine):
            if finding.verdict == "warns" and finding.kind == "contraindication":
                yield finding
