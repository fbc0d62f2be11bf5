"""Puts the plan and the medicines of a note to the released knowledge bases.

Guidelines are asked only about what the note gives for tuberculosis or pneumonia, and only by names
of drugs and diseases, never by words of the note; nothing is written to the audit trail. A passage
supports or contradicts a dose only if it is on that drug, that disease and people of that age.
`label_check` reads the labels of all medicines for interactions and contraindications.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.indications import agree, diseases
from clinrag_core.facts.people import read_people
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.notes.asked import AskedAnswers
from clinrag_core.notes.care_check import care_finding, care_questions, evidence_of
from clinrag_core.notes.doses import compare_doses, stated_doses
from clinrag_core.notes.label_check import allergies_of, label_findings
from clinrag_core.notes.lexicon import note_care, note_cues, patient_conditions
from clinrag_core.notes.patient import NOT_THEIRS, OF_FIELD, disease_words, read_patient
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Claim
    from clinrag_core.model.citation import Citation
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import GuidelineVerdict, NotePlan, NoteSummary, SummaryItem

_GIVEN = frozenset(
    {"current", "started", "increased", "decreased", "switched", "continued", "planned"}
)
_DRUG_OF = re.compile(r"(?:What is the dose of|Is) (.+?) (?:in (?:adults|children)|recommended)")
_GROWN_UP = 18.0
"""Years."""


class _Asked(NamedTuple):
    """A question with what of the note it is about."""

    kind: Literal["recommendation", "medicine"]
    question: str
    item: SummaryItem
    drug: str
    disease: str
    has_dose: bool


def check_guidelines(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> tuple[GuidelineFinding, ...]:
    """Return what the knowledge bases say of a note's medicines, doses and treatments.

    `engine` must keep no audit trail: `AnswerEngine.unaudited`.
    """
    items = [item for _, item in summary.filed()]
    patient = read_patient(summary)
    answers = AskedAnswers(engine)
    findings: dict[tuple[str, str], GuidelineFinding] = {}
    for one in _questions(items, plan, patient, engine):
        key = one.question, one.item.source
        if key not in findings and answers.may_ask(one.question):
            claims = answers.claims(one.question) if one.disease else ()
            findings[key] = _finding(one, claims, patient, engine)
    for care in care_questions(summary, plan, patient) if plan else ():
        key = care.question, care.item.source
        if key not in findings and answers.may_ask(care.question):
            findings[key] = care_finding(care, answers.claims(care.question), patient)
    taken: dict[str, SummaryItem] = {}
    for item in items:
        for drug in _given(item, engine):
            taken.setdefault(drug, item)
    warned = label_findings(taken, _conditions(items), engine, allergies_of(items, engine))
    return (*_held_back(findings, warned), *warned)


def _held_back(
    findings: Mapping[tuple[str, str], GuidelineFinding], warned: Sequence[GuidelineFinding]
) -> Iterator[GuidelineFinding]:
    """Yield findings; what a label warns of in this patient supports no dose of that drug."""
    warns = [w for w in warned if w.verdict == "warns"]
    against = [w.question for w in warns if w.kind == "contraindication"]
    against += [w.question for w in warns if w.kind == "interaction" and _is_grave(w)]
    for one in findings.values():
        drug = _DRUG_OF.match(one.question)
        is_against = drug and any(drug[1] in q.rstrip("?").split() for q in against)
        is_held = is_against and one.verdict == "supports"
        yield one.model_copy(update={"verdict": "related"}) if is_held else one


def _is_grave(warning: GuidelineFinding) -> bool:
    """Return whether a label says not to give two drugs together."""
    prohibits = slot_lexicon().wordings.prohibits
    return any(prohibits.search(fold_chars(e.text)) for e in warning.evidence)


def _questions(
    items: Sequence[SummaryItem], plan: NotePlan | None, patient: NotePatient, engine: AnswerEngine
) -> Iterator[_Asked]:
    """Yield the questions on the drugs of items, recommendations of the plan first.

    What is given for no disease of the field has no disease: nothing is asked about it.
    """
    problems = {r.source: r.problem for r in plan.recommendations} if plan else {}
    people = "adults" if patient.age >= _GROWN_UP else "children"
    for item in sorted(items, key=lambda i: i.source not in problems):
        problem = problems.get(item.source)
        for drug in _given(item, engine):
            area = engine.drugs.area(drug)
            if drug not in engine.drugs.labelled and area in (None, "other"):
                continue
            is_planned = item.source in problems
            disease = _given_for(
                item, problem.text if problem else "", drug, patient, engine, is_planned=is_planned
            )
            use = disease_words(disease, patient)
            has_dose = bool(stated_doses(_dose_of(item, drug, engine))[0])
            kind = "recommendation" if is_planned else "medicine"
            if has_dose:
                question = f"What is the dose of {drug} in {people}{use and f' for {use}'}?"
            elif disease and is_planned:
                question = f"Is {drug} recommended for {use}?"
            else:
                continue
            yield _Asked(kind, question, item, drug, disease, has_dose)


def _given_for(
    item: SummaryItem,
    problem: str,
    drug: str,
    patient: NotePatient,
    engine: AnswerEngine,
    *,
    is_planned: bool,
) -> str:
    """Return the disease of the field that a drug of an item is given for; "" for none.

    What the statement, or the problem it is under, names decides; else the diseases of the note,
    for a drug of the plan or one that is used in nothing else.
    """
    for text in (item.text, problem):
        named = diseases(text)
        if named:
            return next((k for k in OF_FIELD if any(agree(k, one) for one in named)), "")
    area = engine.drugs.area(drug)
    for key, (_, own_area) in OF_FIELD.items():
        is_only = patient.diseases == frozenset({key}) and is_planned and not problem
        if key in patient.diseases and (area == own_area == "tb" or (is_only and area != "other")):
            return key
    return ""


def _given(item: SummaryItem, engine: AnswerEngine) -> list[str]:
    """Return the drugs that an item says are taken or to be taken."""
    if item.status in NOT_THEIRS:
        return []
    named = (
        drug
        for medication in item.medications
        if medication.status in _GIVEN
        for drug in sorted(engine.drugs.ingredients(medication.name))
    )
    return list(dict.fromkeys(named))


def _dose_of(item: SummaryItem, drug: str, engine: AnswerEngine) -> str:
    """Return the part of an item with the dose of a drug; "" for one of a combination.

    Which ingredient a figure after the name of a combination is of, it does not say.
    """
    return "; ".join(_parts_on(item.text, drug, engine))


def _parts_on(text: str, drug: str, engine: AnswerEngine) -> list[str]:
    """Return the parts of a text from each mention of a drug alone to the next drug."""
    mentions = engine.drugs.mentions(text)
    starts = [m.start for m in mentions] + [len(text)]
    return [
        text[m.start : starts[place + 1]]
        for place, m in enumerate(mentions)
        if m.ingredients == frozenset({drug})
    ]


def _conditions(items: Sequence[SummaryItem]) -> list[str]:
    """Return the conditions that the note says the patient has."""
    known = patient_conditions()
    named = (
        name
        for item in items
        if item.status in ("present", "past")
        for name in sorted(names_of(concept_spans(item.text, known)))
    )
    return list(dict.fromkeys(named))


def _finding(
    one: _Asked, claims: Sequence[Claim], patient: NotePatient, engine: AnswerEngine
) -> GuidelineFinding:
    """Return what claims say of a thing of the note; only those about it are evidence."""
    about = [c for c in claims if c.citations and _is_about(c, one, patient, engine)]
    verdict = _verdict(one, about, engine)
    about.sort(key=lambda claim: _verdict(one, [claim], engine) != verdict)
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind=one.kind,
        question=one.question,
        verdict=verdict,
        evidence=evidence_of(about),
    )


def _verdict(one: _Asked, claims: Sequence[Claim], engine: AnswerEngine) -> GuidelineVerdict:
    """Return what claims about a thing of the note say of it."""
    if not claims:
        return "no guideline evidence"
    if one.has_dose:
        stated = [(part, c.text) for c in claims for part in _stated_of(c.text, one.drug, engine)]
        return compare_doses(_dose_of(one.item, one.drug, engine), stated)
    if any(_forbids(c.text, one.drug, engine) for c in claims):
        return "contradicts"
    return "supports" if any(_advises(c.text, one.drug, engine) for c in claims) else "related"


def _stated_of(text: str, drug: str, engine: AnswerEngine) -> list[str]:
    """Return what a claim states of a drug: a label's own claims need not name it."""
    mentions = engine.drugs.mentions(text)
    if not any(drug in m.ingredients for m in mentions):
        return [text[: mentions[0].start] if mentions else text]
    return _parts_on(text, drug, engine)


def _forbids(text: str, drug: str, engine: AnswerEngine) -> bool:
    """Return whether a sentence that names a drug and no other says not to give it."""
    prohibits = slot_lexicon().wordings.prohibits
    said = (text[a:b] for a, b in sentence_spans(text))
    return any(
        engine.drugs.ingredients(one) == frozenset({drug}) and prohibits.search(fold_chars(one))
        for one in said
    )


def _advises(text: str, drug: str, engine: AnswerEngine) -> bool:
    """Return whether a sentence that names a drug says to give it, without a condition."""
    prohibits, says = slot_lexicon().wordings.prohibits, note_care().says
    folded = fold_chars(text)
    return any(
        drug in engine.drugs.ingredients(said)
        and says.recommends.search(said)
        and not any(e.search(said) for e in (prohibits, says.against, says.limited))
        for said in (folded[a:b].strip() for a, b in sentence_spans(folded))
    )


def _is_about(claim: Claim, one: _Asked, patient: NotePatient, engine: AnswerEngine) -> bool:
    """Return whether a claim is on the drug and the disease of a question, and such people."""
    if note_cues().labels.study.search(fold_chars(claim.text)):
        return False
    citation = claim.citations[0]
    own = engine.drugs.ingredients(claim.text)
    if one.drug not in (own or _subject(citation, engine)):
        return False
    places = (claim.text, " ".join(citation.section_path), citation.document_title)
    named = next((found for found in map(diseases, places) if found), frozenset[str]())
    if named:
        is_on_disease = any(agree(one.disease, disease) for disease in named)
    else:
        is_on_disease = engine.drugs.area(one.drug) == OF_FIELD[one.disease][1]
    ages = next((found for place in places if (found := read_people(place).ages)), ())
    is_of_age = not ages or any(age.low <= patient.age <= age.high for age in ages)
    is_of_age = is_of_age and patient.is_of_course(places)
    people = read_people(claim.text)
    return is_on_disease and is_of_age and not (people.kidney or people.liver or people.conditions)


def _subject(citation: Citation, engine: AnswerEngine) -> frozenset[str]:
    """Return the drug that a section is about: by its headings, else by a title of one drug.

    What a label of a combination says is of one of its drugs, which the title does not tell.
    """
    by_path = engine.drugs.ingredients("\n".join(citation.section_path))
    by_title = engine.drugs.ingredients(citation.document_title)
    return by_path or (by_title if len(by_title) == 1 else frozenset())
