"""Puts the care of a plan that is no medicine to the released guidelines: tests, precautions.

Questions are made from the table `note_care` alone, never from words of the note. A passage
supports or contradicts only where it says so without a condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.quantities import quantities
from clinrag_core.notes.fits import binds, suits
from clinrag_core.notes.label_statements import MOST_EVIDENCE
from clinrag_core.notes.lexicon import CareMeasure, note_care, note_cues
from clinrag_core.notes.patient import NOT_THEIRS, OF_FIELD, disease_words
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding, GuidelineVerdict
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import NotePlan, NoteSummary, SummaryItem


_CLAUSE = re.compile(r";|, (?:but|and|while|whereas)\b")
GRADE = re.compile(r"\([^()]*\b(?:recommendation|evidence|certainty)\b[^()]*\)")
"""The grade of a recommendation, whose words limit nothing."""
_SIGNS = "\u2022\u25cf*-\u2013 "
"""Of a list, before a sentence."""
_REGULAR = "regular"
"""What the table of times calls care that is done again and again."""
_GRAVEST: tuple[GuidelineVerdict, ...] = ("contradicts", "supports", "related")


class AskedCare(NamedTuple):
    """A question on care that a plan orders, with what of the note it is about."""

    question: str
    item: SummaryItem
    measure: CareMeasure
    disease: str


def care_questions(
    summary: NoteSummary, plan: NotePlan, patient: NotePatient
) -> Iterator[AskedCare]:
    """Yield the questions on care that a plan orders for a disease of the field."""
    items = {item.source: item for item in summary.assessment}
    for one in plan.recommendations:
        item = items.get(one.source)
        if item is None or item.status in NOT_THEIRS:
            continue
        folded = fold_chars(item.text)
        problem = one.problem.text if one.problem else ""
        for measure in note_care().measures.values():
            if not measure.names.search(folded):
                continue
            rest = measure.names.sub(" ", folded)  # influenza vaccine: not given for influenza
            disease = _disease(rest, problem, patient)
            if disease:
                use = disease_words(disease, patient)
                question = f"Is {measure.asks} recommended for {use}?"
                yield AskedCare(question, item, measure, disease)


def _disease(text: str, problem: str, patient: NotePatient) -> str:
    """Return the disease of the field that a statement is about; "" for none.

    What it or its problem names decides; without either, the only one that the note is about.
    """
    for said in (text, problem):
        named = diseases(said)
        if named:
            return next((k for k in OF_FIELD if any(agree(k, one) for one in named)), "")
    return next(iter(patient.diseases)) if len(patient.diseases) == 1 and not problem else ""


def care_finding(
    one: AskedCare, passages: Sequence[GuidelinePassage], patient: NotePatient
) -> GuidelineFinding:
    """Return what passages say of care that is no medicine; what decides comes first."""
    about = [p for p in passages if _is_about(p, one, patient)]
    said: list[GuidelineVerdict] = [_verdict(one, p, patient) for p in about]
    verdict: GuidelineVerdict = "no guideline evidence"
    if said:
        verdict = min(said, key=_GRAVEST.index)
    deciding = [p for own, p in zip(said, about, strict=True) if own == verdict]
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind="recommendation",
        question=one.question,
        verdict=verdict,
        evidence=evidence_of(deciding),
    )


def evidence_of(passages: Sequence[GuidelinePassage]) -> tuple[CitedEvidence, ...]:
    """Return the first passages with their places."""
    return tuple(
        CitedEvidence(
            text=" ".join(one.text.split()), document=one.title, section=" > ".join(one.path)
        )
        for one in passages[:MOST_EVIDENCE]
    )


def _is_about(passage: GuidelinePassage, one: AskedCare, patient: NotePatient) -> bool:
    """Return whether a passage names the care and is on the disease and such people."""
    folded = fold_chars(passage.text)
    if note_cues().labels.study.search(folded) or not one.measure.names.search(folded):
        return False
    rest = one.measure.names.sub(" ", folded)  # influenza vaccine: not given for influenza
    places = (rest, *passage.places[1:])
    named = next((found for found in map(diseases, places) if found), frozenset[str]())
    return suits(passage, patient) and any(agree(one.disease, disease) for disease in named)


def _verdict(one: AskedCare, passage: GuidelinePassage, patient: NotePatient) -> GuidelineVerdict:
    """Return what a passage says of the care: the clause that names it decides."""
    if not binds(passage, one.disease, patient, one.measure.names):
        return "related"
    says = note_care().says
    folded = GRADE.sub(" ", fold_chars(passage.text).lstrip(_SIGNS))
    for start, end in sentence_spans(folded):
        if says.limited.search(folded, start, end):
            continue
        for clause in _CLAUSE.split(folded[start:end].strip()):
            if one.measure.names.search(clause) and says.against.search(clause):
                return "contradicts"
            if one.measure.names.search(clause) and says.recommends.search(clause):
                return "supports" if _is_of_time(one.item.text, folded) else "related"
    return "related"


def _is_of_time(text: str, passage: str) -> bool:
    """Return whether a passage says when, as an item of the plan does that says when.

    What is asked for again and again is more than what an item does once.
    """
    asked = {name for name, words in note_care().when.items() if words.search(fold_chars(text))}
    stated = {name for name, words in note_care().when.items() if words.search(passage)}
    is_more = _REGULAR in stated and _REGULAR not in asked  # "at baseline and throughout"
    if _often(text) and _often(passage) and _often(text).isdisjoint(_often(passage)):
        return False  # "twice weekly under observation" is not "daily, observed"
    return not asked or (bool(asked & stated) and not is_more)


def _often(text: str) -> frozenset[object]:
    return frozenset(q.key for q in quantities(text) if q.kind == "frequency")
