"""Says what labels and guidelines warn of in what is taken with a medicine and is no medicine.

Food, antacids, minerals and hormonal contraceptives are in no table of drugs: the table `note_care`
names them as notes and as labels do. What a label says of a combination is read where all of its
drugs are given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.label_statements import (
    DOSAGE,
    MOST_EVIDENCE,
    combination_statements,
    evidence_of_label,
    label_finding,
    label_statements,
)
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.passages import substance_passages
from clinrag_core.notes.patient import NOT_THEIRS
from clinrag_core.notes.records import CitedEvidence
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.care_lexicon import SubstanceWords
    from clinrag_core.notes.label_statements import LabelStatement
    from clinrag_core.notes.records import GuidelineFinding, SummaryItem

_READ = ("interactions", "contraindications", "warnings", "boxed_warning", DOSAGE)
"""Sections of a label that say what is taken with its drug, and when."""
_CLASS_OF_DRUGS = re.compile(r"\b(?:calcium|sodium|potassium)[- ](?:channel|sparing)[\w -]*?\b")
"""Classes of medicines that are called after a mineral."""
_PART = re.compile(r"[.;](?:\s|$)")
_EVERYTHING = re.compile(
    r"\b(?:all|both|every|the|tb|anti-?tb|these|them)\b(?: \w+){0,2} (?:tablets?|drugs|medicines"
    r"|medications?|capsules|pills|doses?)\b"
    r"|\b(?:take|taken|swallow) (?:them|both|all|everything)\b"
)
"""Words of a statement that is about medicines which others name."""


def substance_findings(
    items: Sequence[SummaryItem],
    given: Mapping[str, Sequence[SummaryItem]],
    engine: AnswerEngine,
) -> Iterator[GuidelineFinding]:
    """Yield what sources warn of in what is taken with drugs; silent pairs are left out.

    Args:
        items: those of the note, the ones of its plan first.
        given: the drugs that are taken, with every item that gives them.
        engine: of a release.
    """
    whole: list[LabelStatement] | None = None
    for words in note_care().substances.values():
        item = _taking(items, words)
        if item is None:
            continue
        own = [d for d, named in given.items() if any(o.source == item.source for o in named)]
        if not own and _EVERYTHING.search(fold_chars(item.text)):
            own = [d for d in given if engine.drugs.area(d) == "tb"]
        if whole is None:
            whole = list(combination_statements(given, engine))
        said: set[str] = set()
        for drug in own if words.with_item else given:
            if words.taken.search(drug):  # what is taken with it is the drug itself
                continue
            statements = (*label_statements(drug, engine), *_on(drug, whole))
            naming = [s for s in statements if _warns(s, words)]
            question = f"Does {drug} interact with {words.asks}?"
            made = label_finding("interaction", question, item, naming)
            evidence = [*(evidence_of_label(s) for s in naming), *_guidelines(drug, words, engine)]
            new = [one for one in evidence if one.text not in said]
            said |= {one.text for one in new}
            if new:
                yield made.model_copy(
                    update={"verdict": "warns", "evidence": tuple(new)[:MOST_EVIDENCE]}
                )


def _taking(items: Sequence[SummaryItem], words: SubstanceWords) -> SummaryItem | None:
    """Return the first item that says a substance is taken, and not apart from the medicines."""
    for item in items:
        for part in _PART.split(fold_chars(item.text)) if item.status not in NOT_THEIRS else ():
            if words.taken.search(part) and not words.apart.search(part):
                return item
    return None


def _on(drug: str, whole: Sequence[LabelStatement]) -> list[LabelStatement]:
    return [s for s in whole if drug in s.statement.ingredients]


def _warns(one: LabelStatement, words: SubstanceWords) -> bool:
    """Return whether a statement on what is taken with a drug warns of a substance."""
    cues = note_cues().labels
    said = _CLASS_OF_DRUGS.sub(" ", one.folded)
    if one.statement.group not in _READ or not words.warns.search(said):
        return False
    is_of_allergy = cues.allergy.search(one.folded) is not None
    is_harmless = cues.harmless.search(one.folded) or cues.allowed.search(one.folded)
    return not (is_of_allergy or is_harmless)


def _guidelines(drug: str, words: SubstanceWords, engine: AnswerEngine) -> Iterator[CitedEvidence]:
    """Yield what guidelines say that a drug does to a substance, or that it needs care."""
    joins, harmless = note_care().joins, note_cues().labels.harmless
    for passage in substance_passages(drug, words.warns, engine):
        folded = fold_chars(passage.text)
        if joins.search(folded) and not harmless.search(folded):
            yield CitedEvidence(
                text=" ".join(passage.text.split()),
                document=passage.title,
                section=" > ".join(passage.path),
            )
