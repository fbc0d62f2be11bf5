"""Says where a label limits what its drug is for: "not a drug of first choice in pneumonia by X".

Such a limit counts where the note gives the drug for the disease that the label names and, if the
label names organisms as well, the note names one of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.facts.indications import agree, diseases
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.label_statements import MOST_EVIDENCE, LabelStatement, evidence_of_label
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import SummaryItem

_GROUPS = ("indications", "warnings", "boxed_warning")
_HELD_BACK = re.compile(r"\b(?:unless|if|except|when|until|although)\b")
_LONGEST = 160
"""Characters behind the words of a limit that name what it is on, by judgement."""
_ORGANISM = re.compile(r"\b(?P<genus>[A-Z][a-z]{3,}|[A-Z]\.) (?P<species>[a-z]{4,})\b")
_EPITHETS = frozenset({"species", "infections", "infection", "disease"})
_SYSTEMIC = re.compile(r"\bsystemic infections?\b")
_OF_CHEST = re.compile(r"\b(?:chest|lungs?|pneumonia|bloodstream|bacter\w+|systemic)\b")
_PNEUMOCOCCUS = re.compile(r"\bpneumococc\w+")


def use_limits(
    given: Mapping[str, Sequence[SummaryItem]], said: str, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what labels say a drug is not for, of drugs given for just that.

    `said` is what the note says the patient has.
    """
    for drug, items in given.items():
        if drug not in engine.drugs.labelled:
            continue
        for item in items[:1]:
            text = f"{item.text}\n{said}"
            limits = [s for s in _statements(drug, engine) if _is_on(s.statement.said, item, text)]
            if limits:
                yield GuidelineFinding(
                    about=item.text,
                    source=item.source,
                    kind="medicine",
                    question=f"Is {drug} meant for this infection?",
                    verdict="warns",
                    evidence=tuple(map(evidence_of_label, limits))[:MOST_EVIDENCE],
                )


def _statements(drug: str, engine: AnswerEngine) -> Iterator[LabelStatement]:
    for _, index in statement_bases((engine.search,)):
        for one in index.statements(index.rows_of([drug], _GROUPS)):
            if one.ingredients == (drug,) and is_quotable(one):
                yield LabelStatement(one, fold_chars(one.said), ())


def _is_on(limit: str, item: SummaryItem, said: str) -> bool:
    """Return whether a sentence of a statement limits a use that a note makes of the drug."""
    for start, end in sentence_spans(limit):
        sentence = limit[start:end]
        match = note_care().cautions.not_for.search(sentence)
        if match is None or _HELD_BACK.search(fold_chars(sentence)):
            continue
        named = sentence[match.end() : match.end() + _LONGEST]
        if _SYSTEMIC.search(named) and _OF_CHEST.search(fold_chars(item.text)):
            return True
        own = diseases(named)
        if own and any(agree(a, b) for a in own for b in diseases(said)) and _names(named, said):
            return True
    return False


def _names(limit: str, said: str) -> bool:
    """Return whether a note names an organism of a limit; every note does, if it names none."""
    found = [m for m in _ORGANISM.finditer(limit) if m["species"] not in _EPITHETS]
    folded = fold_chars(said)
    return not found or any(
        re.search(rf"\b{m['genus'][0].lower()}\w*\.? {m['species']}", folded) is not None
        or (m["genus"].startswith("Strep") and _PNEUMOCOCCUS.search(folded) is not None)
        for m in found
    )
