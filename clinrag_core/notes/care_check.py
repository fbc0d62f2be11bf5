"""Puts the care of a plan that is no medicine to the released guidelines: tests, precautions.

Questions are made from the table `note_care` alone, never from words of the note. A passage
supports or contradicts only where it says so without a condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.people import read_people
from clinrag_core.notes.label_check import MOST_EVIDENCE
from clinrag_core.notes.lexicon import CareMeasure, note_care, note_cues
from clinrag_core.notes.patient import NOT_THEIRS, OF_FIELD, disease_words
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding, GuidelineVerdict
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.records import Claim
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import NotePlan, NoteSummary, SummaryItem


_CLAUSE = re.compile(r";|, (?:but|and|while|whereas)\b")
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


def care_finding(one: AskedCare, claims: Sequence[Claim], patient: NotePatient) -> GuidelineFinding:
    """Return what claims say of care that is no medicine; what decides comes first."""
    about = [c for c in claims if c.citations and _is_about(c, one, patient)]
    said: list[GuidelineVerdict] = [_verdict(one, claim) for claim in about]
    verdict: GuidelineVerdict = "no guideline evidence"
    if said:
        verdict = min(said, key=_GRAVEST.index)
    ordered = sorted(zip(said, about, strict=True), key=lambda pair: pair[0] != verdict)
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind="recommendation",
        question=one.question,
        verdict=verdict,
        evidence=evidence_of([claim for _, claim in ordered]),
    )


def evidence_of(claims: Sequence[Claim]) -> tuple[CitedEvidence, ...]:
    """Return the first claims with their places."""
    return tuple(
        CitedEvidence(
            text=" ".join(claim.text.split()),
            document=claim.citations[0].document_title,
            section=" > ".join(claim.citations[0].section_path),
        )
        for claim in claims[:MOST_EVIDENCE]
    )


def _is_about(claim: Claim, one: AskedCare, patient: NotePatient) -> bool:
    """Return whether a claim names the care and is on the disease and people of that age."""
    if note_cues().labels.study.search(fold_chars(claim.text)):
        return False
    citation = claim.citations[0]
    if not one.measure.names.search(fold_chars(claim.text)):
        return False
    places = (claim.text, " ".join(citation.section_path), citation.document_title)
    named = next((found for found in map(diseases, places) if found), frozenset[str]())
    ages = next((found for place in places if (found := read_people(place).ages)), ())
    is_of_age = not ages or any(age.low <= patient.age <= age.high for age in ages)
    is_of_age = is_of_age and patient.is_of_course(places)
    return is_of_age and any(agree(one.disease, disease) for disease in named)


def _verdict(one: AskedCare, claim: Claim) -> GuidelineVerdict:
    """Return what a claim says of the care: the clause that names it decides."""
    says = note_care().says
    folded = fold_chars(claim.text)
    for start, end in sentence_spans(folded):
        if says.limited.search(folded, start, end):
            continue
        for clause in _CLAUSE.split(folded[start:end].strip()):
            if one.measure.names.search(clause) and says.against.search(clause):
                return "contradicts"
            if one.measure.names.search(clause) and says.recommends.search(clause):
                return "supports"
    return "related"
