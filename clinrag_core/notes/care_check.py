"""Puts the care of a plan that is no medicine to the released guidelines: tests, precautions.

Questions are made from the table `note_care` alone, never from words of the note. A passage
supports or contradicts only where it says so without a condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.quantities import stated_frequencies
from clinrag_core.notes.care_contrary import SIGNS, asks_for, comes_late, is_refused, refusal
from clinrag_core.notes.care_lexicon import CareMeasure, note_care
from clinrag_core.notes.fits import binds, suits
from clinrag_core.notes.label_statements import MOST_EVIDENCE
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.patient import OF_FIELD, disease_words
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
_POSTPONED = re.compile(r"\b(postponed|deferred) until\b")
"""What is not done for now: the time that follows is no condition."""
_UNSUPPORTED = re.compile(r"(?<=no data support )(?:the )?routine\b")
"""What advice against routine care is, and no limit of it."""
_OF_ILL = re.compile(
    r"\b(?:tb|tuberculosis) patients?\b"
    r"|\b(?:patients?|people|persons?) with (?:(?:presumptive|suspected|diagnosed|and|or|active) )*"
    r"(?:tb|tuberculosis)\b(?! infection)"
)
"""Whom advice is for that is not for people with a latent infection."""
_REGULAR = "regular"
"""What the table of times calls care that is done again and again."""
_GRAVEST: tuple[GuidelineVerdict, ...] = ("contradicts", "supports", "related")


class AskedCare(NamedTuple):
    """A question on care that a plan orders, with what of the note it is about."""

    question: str
    item: SummaryItem
    measure: CareMeasure
    disease: str
    is_refused: bool = False
    """Whether the plan leaves the care out."""
    is_for_other: bool = False
    """Whether it is for somebody of whom the note says little more than an age."""
    conditions: frozenset[str] = frozenset()
    """Of the patient, as labels name them."""


def care_questions(
    summary: NoteSummary,
    plan: NotePlan,
    patient: NotePatient,
    conditions: frozenset[str] = frozenset(),
) -> Iterator[AskedCare]:
    """Yield the questions on care that a plan orders for a disease of the field, or leaves out.

    A note without a plan may leave care out in any of its statements.
    """
    problems = {r.source: r.problem.text if r.problem else "" for r in plan.recommendations}
    items = {item.source: item for _, item in summary.filed()}
    has_plan = bool(problems)
    for item in sorted(items.values(), key=lambda i: i.source not in problems):
        is_planned = item.source in problems
        if item.status == "family" or (item.status == "past" and not is_planned):
            continue
        folded = fold_chars(item.text)
        for measure in note_care().measures.values():
            if not measure.names.search(folded):
                continue
            refused = is_refused(item.text, measure)
            is_said = is_planned or (item.status != "absent" and not has_plan)
            is_ordered = is_planned and item.status != "absent" and not measure.only_refused
            if not ((refused and is_said) or is_ordered):
                continue
            rest = measure.names.sub(" ", folded)  # influenza vaccine: not given for influenza
            disease = _disease(rest, problems.get(item.source, ""), patient)
            if disease or refused:  # what a label asks for holds whatever the disease
                use = disease_words(disease, patient)
                question = f"Is {measure.asks} recommended{use and f' for {use}'}?"
                yield AskedCare(
                    question, item, measure, disease, is_refused=refused, conditions=conditions
                )


def care_of_other(item: SummaryItem, other: NotePatient) -> Iterator[AskedCare]:
    """Yield the questions on care that an item orders for somebody else, such as a newborn."""
    folded = fold_chars(item.text)
    for measure in note_care().measures.values():
        if measure.names.search(folded) and not measure.only_refused:
            disease = _disease(measure.names.sub(" ", folded), "", other)
            if disease:
                question = f"Is {measure.asks} recommended for {disease_words(disease, other)}?"
                refused = is_refused(item.text, measure)
                yield AskedCare(question, item, measure, disease, refused, is_for_other=True)


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
    one: AskedCare,
    passages: Sequence[GuidelinePassage],
    patient: NotePatient,
    of_labels: Sequence[GuidelinePassage] = (),
) -> GuidelineFinding:
    """Return what passages say of care that is no medicine; what decides comes first.

    What labels of the drugs that are given ask for contradicts a plan; it supports none.
    """
    about = [p for p in passages if _is_about(p, one, patient)]
    said: list[GuidelineVerdict] = [_verdict(one, p, patient) for p in about]
    against = [p for p in of_labels if _contrary(one, p, patient) == "contradicts"]
    said.extend("contradicts" for _ in against)
    about += against
    verdict: GuidelineVerdict = "no guideline evidence"
    if said:
        verdict = min(said, key=_GRAVEST.index)
    deciding = [p for own, p in zip(said, about, strict=True) if own == verdict]
    if verdict == "related":
        deciding = [p for p in deciding if _is_advised(one, p)]
        verdict = verdict if deciding else "no guideline evidence"
    if verdict == "contradicts":  # advice for such people before advice for all
        asked = {p: asks_for(p, one, patient) for p in deciding}
        deciding.sort(key=lambda p: asked[p] != "of_these")
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind="recommendation",
        question=one.question,
        verdict=verdict,
        evidence=evidence_of(deciding),
    )


def _is_advised(one: AskedCare, passage: GuidelinePassage) -> bool:
    """Return whether a sentence that names the care advises anything, if only to some."""
    says, folded = note_care().says, GRADE.sub(" ", fold_chars(passage.text))
    said = (folded[start:end] for start, end in sentence_spans(folded))
    return any(
        one.measure.names.search(sentence)
        and (says.recommends.search(sentence) or says.against.search(sentence))
        for sentence in said
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
    whom = passage._replace(text=one.measure.names.sub(" ", folded))  # "mother and child"
    if not one.disease or (patient.is_latent and _OF_ILL.search(folded)):
        return False
    is_narrow = not (one.is_refused or one.is_for_other)
    holds = suits(whom, patient, conditions=is_narrow)
    if one.is_for_other:  # ill or only exposed, the note does not say
        holds = holds or suits(whom, patient._replace(is_latent=True), conditions=False)
    return holds and any(agree(one.disease, disease) for disease in named)


def _verdict(one: AskedCare, passage: GuidelinePassage, patient: NotePatient) -> GuidelineVerdict:
    """Return what a passage says of the care: the clause that names it decides."""
    if (contrary := _contrary(one, passage, patient)) != "related" or one.is_refused:
        return contrary
    if not binds(passage, one.disease, patient, one.measure.names):
        return "related"
    says = note_care().says
    folded = GRADE.sub(" ", fold_chars(passage.text).lstrip(SIGNS))
    folded = _UNSUPPORTED.sub(" ", _POSTPONED.sub(r"\1", folded))
    for start, end in sentence_spans(folded):
        if says.limited.search(folded, start, end):
            continue
        for clause in _CLAUSE.split(folded[start:end].strip()):
            if one.measure.names.search(clause) and _is_against(clause):
                return "contradicts"
            if one.measure.names.search(clause) and says.recommends.search(clause):
                is_held = refusal(one.item.text, one.measure) != ""
                is_of_time = not is_held and _is_of_time(one, folded)
                is_asked = is_of_time and asks_for(passage, one, patient) != ""
                return "supports" if is_asked else "related"
    return "related"


def _is_against(clause: str) -> bool:
    """Return whether a clause advises against what it names."""
    care = note_care()
    return any(words.search(clause) for words in (care.says.against, care.cautions.forbids))


def _contrary(one: AskedCare, passage: GuidelinePassage, patient: NotePatient) -> GuidelineVerdict:
    """Return whether a passage asks for care that a plan leaves out, or does too late."""
    is_asked = asks_for(passage, one, patient) != ""
    is_late = is_asked and comes_late(one.item.text, passage, one.measure)
    return "contradicts" if is_asked and (one.is_refused or is_late) else "related"


def _is_of_time(one: AskedCare, passage: str) -> bool:
    """Return whether a passage says when, as an item of the plan does that says when.

    What is asked for again and again is more than what an item does once. The times of an item are
    of care only where care has times: "isoniazid monthly, by DOT" observes whatever is given.
    """
    text = one.item.text
    asked = {name for name, words in note_care().when.items() if words.search(fold_chars(text))}
    stated = {name for name, words in note_care().when.items() if words.search(passage)}
    is_more = _REGULAR in stated and _REGULAR not in asked  # "at baseline and throughout"
    often, stated_often = stated_frequencies(text), stated_frequencies(passage)
    if often and stated_often and often.isdisjoint(stated_often):
        return False  # "twice weekly under observation" is not "daily, observed"
    return not asked or not one.measure.is_timed or (bool(asked & stated) and not is_more)
