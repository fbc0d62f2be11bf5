"""Puts the plan and the medicines of a note to the released knowledge bases.

Guidelines are asked only about what the note gives for tuberculosis or pneumonia, and only by names
of drugs and diseases, never by words of the note; nothing is written to the audit trail. A passage
supports or contradicts a dose only if it is on that drug, that disease and people of that age.
`label_check` reads the labels of all medicines for interactions and contraindications.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.indications import agree, diseases
from clinrag_core.notes.asked import AskedAnswers
from clinrag_core.notes.assertion import affirmed_names
from clinrag_core.notes.care_check import care_finding, care_of_other, care_questions
from clinrag_core.notes.care_lexicon import patient_conditions
from clinrag_core.notes.cautions import CautionedPerson, guideline_cautions
from clinrag_core.notes.course_check import course_findings
from clinrag_core.notes.degrees import read_degrees
from clinrag_core.notes.doses import stated_doses
from clinrag_core.notes.drug_evidence import AskedDrug, dose_of, drug_finding
from clinrag_core.notes.fits import resistance_kind
from clinrag_core.notes.given_drugs import (
    dropped_drugs,
    given_drugs,
    items_of_drugs,
    named_drugs,
    planned_first,
)
from clinrag_core.notes.kidney_doses import kidney_findings
from clinrag_core.notes.label_check import allergies_of, label_findings
from clinrag_core.notes.label_statements import MOST_EVIDENCE
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.other_people import is_for_other, other_people
from clinrag_core.notes.passages import (
    care_passages,
    claim_passages,
    drug_passages,
    joined,
    label_passages,
)
from clinrag_core.notes.patient import NOT_THEIRS, OF_FIELD, concludes, disease_words, read_patient
from clinrag_core.notes.reading import as_written, for_check
from clinrag_core.notes.records import GuidelineFinding, NoteSummary
from clinrag_core.notes.resistant_source import resisted_drugs, source_findings
from clinrag_core.notes.substances import substance_findings
from clinrag_core.notes.suppositions import supposed_findings
from clinrag_core.notes.tablets import tablet_findings
from clinrag_core.notes.use_limits import use_limits
from clinrag_core.notes.verdicts import gravest_first, held_back
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.patient import NotePatient
    from clinrag_core.notes.records import NotePlan, SummaryItem

_RISK = re.compile(r"\brisks? (?:for|of) [^,.;]*")
"""What a patient may get and does not have."""
_TB = "tuberculosis"
_REACTIONS, _REACTED = frozenset({"rash", "hypersensitivity"}), frozenset({"allergy", "stopped"})
"""What a drug did that is not taken any more, and says nothing of another one; its status."""
_CHOSEN = "considered"
"""Status of a medicine that may be given in place of another."""
_YOUNG, _GROWN_UP, _OLD = 8.0, 18.0, 60.0
"""Years."""


def check_guidelines(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> tuple[GuidelineFinding, ...]:
    """Return what the knowledge bases say of a note's medicines, doses and treatments.

    `engine` must keep no audit trail: `AnswerEngine.unaudited`.
    """
    read = for_check(summary)
    found = _of_patient(read, plan, read_patient(read), AskedAnswers(engine))
    return as_written(gravest_first(found), summary)


def _of_patient(
    summary: NoteSummary, plan: NotePlan | None, patient: NotePatient, answers: AskedAnswers
) -> list[GuidelineFinding]:
    """Return what the knowledge bases say of what one patient is given."""
    engine = answers.engine
    for_others = other_people(summary)
    elsewhere = {item.source for item, _ in for_others}
    items = [item for _, item in summary.filed() if item.source not in elsewhere]
    findings: dict[tuple[str, str], GuidelineFinding] = {}
    taken = _taken(items, engine)
    questions = [q for q in _questions(items, plan, patient, engine) if q.drug in taken]
    dosed = {q.drug for q in questions if q.has_dose and q.kind == "recommendation"}
    for asked in questions:
        one = asked._replace(given=frozenset(taken))
        key = one.question, one.item.source
        if key not in findings and answers.may_ask(one.question):
            found = drug_finding(one, _on_drug(one, answers, engine), patient, engine)
            findings[key] = _of_giving(found, is_named=not one.has_dose and one.drug in dosed)
    conditions = [*_conditions(items), *_ages_of(patient)]
    known = frozenset(conditions)
    for care in care_questions(summary, plan, patient, known) if plan else ():
        key = care.question, care.item.source
        if key not in findings:
            is_asked = answers.may_ask(care.question)
            said = claim_passages(answers.claims(care.question)) if is_asked else []
            passages = joined(said, care_passages(care.measure.names, engine))
            of_labels = label_passages(taken, care.measure.names, engine)
            found = care_finding(care, passages, patient, of_labels)
            findings[key] = _of_given(found, care.measure.asks, frozenset(taken), engine)
    allergies = allergies_of(items, engine)
    about = items_of_drugs(taken, items, plan, engine)
    own = (item.text for item in items if item.status != "family")
    degrees = read_degrees(own, patient.age, patient.clearance)
    is_latent = patient.is_latent if _TB in patient.diseases else None
    resistance = resistance_kind("\n".join(item.text for item in items if item.status != "family"))
    person = CautionedPerson(patient.age, known, patient.has_hiv, is_latent, degrees, resistance)
    named = named_drugs(planned_first(items, plan), engine)
    warned = _joined_warnings(
        label_findings(about, conditions, engine, allergies, patient.age, degrees),
        (
            *guideline_cautions(about, person, engine),
            *supposed_findings(items, person, engine),
            *use_limits(named, _problems_of(summary), engine),
            *substance_findings(planned_first(items, plan), named, engine),
        ),
    )
    for kidney in kidney_findings(named, patient.clearance, engine):
        findings.setdefault((kidney.question, kidney.source), kidney)
    for tablets in tablet_findings(named, patient.weight, patient.age, engine):
        findings.setdefault((tablets.question, tablets.source), tablets)
    for course in course_findings(items, patient, engine):
        findings.setdefault((course.question, course.source), course)
    warned = (*warned, *_of_alternatives(items, plan, taken, engine))
    filed = {item.source: item for _, item in summary.filed()}
    planned = {one.source for one in plan.recommendations} if plan else set[str]()
    own = [item for item in filed.values() if item.source in planned]
    exposed = [item for item in own if is_latent or is_for_other(item)]
    sources = source_findings(exposed, resisted_drugs(filed.values(), engine), engine)
    others = (*_of_others(for_others, patient, engine), *sources)
    return [*held_back(findings, warned, allergies), *warned, *others]


def _of_given(
    finding: GuidelineFinding, asks: str, taken: frozenset[str], engine: AnswerEngine
) -> GuidelineFinding:
    """Return a finding on a drug as care without a contradiction meant for another treatment.

    "Pyridoxine for as long as isoniazid is given" contradicts nothing without isoniazid.
    """
    own = engine.drugs.ingredients(asks)
    with_drugs = [engine.drugs.ingredients(one.text) - own for one in finding.evidence]
    is_of_other = own and with_drugs and all(d and d.isdisjoint(taken) for d in with_drugs)
    if finding.verdict != "contradicts" or not is_of_other:
        return finding
    return finding.model_copy(update={"verdict": "no guideline evidence", "evidence": ()})


def _of_giving(finding: GuidelineFinding, *, is_named: bool) -> GuidelineFinding:
    """Return a finding without support where its item only names a drug that another one gives.

    "ECG before levofloxacin" is not supported by advice to give levofloxacin.
    """
    if finding.verdict != "supports" or not is_named:
        return finding
    return finding.model_copy(update={"verdict": "no guideline evidence", "evidence": ()})


def _of_alternatives(
    items: Sequence[SummaryItem],
    plan: NotePlan | None,
    taken: Mapping[str, SummaryItem],
    engine: AnswerEngine,
) -> Iterator[GuidelineFinding]:
    """Yield what labels say of a drug of a choice in the plan with what the patient takes."""
    planned = {one.source for one in plan.recommendations} if plan else set[str]()
    for item in items:
        named = [m.name for m in item.medications if m.status == _CHOSEN]
        for drug in sorted({d for name in named for d in engine.drugs.ingredients(name)}):
            if item.source not in planned or drug in taken:
                continue
            for one in label_findings({**taken, drug: item}, (), engine):
                words = one.question.rstrip("?").split()
                if one.verdict == "warns" and one.kind == "interaction" and drug in words:
                    yield one.model_copy(update={"about": item.text, "source": item.source})


def _problems_of(summary: NoteSummary) -> str:
    """Return what a note says that the patient has, a statement a line."""
    said = (*summary.key_problems, *summary.assessment)
    return "\n".join(item.text for item in said if item.status not in NOT_THEIRS)


def _taken(items: Sequence[SummaryItem], engine: AnswerEngine) -> dict[str, SummaryItem]:
    """Return the drugs that a note gives, and does not stop, with the first item of each."""
    dropped = dropped_drugs(items, engine)
    taken: dict[str, SummaryItem] = {}
    for item in items:
        for drug in given_drugs(item, engine):
            if drug not in dropped:
                taken.setdefault(drug, item)
    return taken


def _joined_warnings(
    labels: Sequence[GuidelineFinding], others: Sequence[GuidelineFinding]
) -> tuple[GuidelineFinding, ...]:
    """Return what labels warn of with what else warns of it: a warning replaces silence."""
    found = {one.question: one for one in labels}
    for one in others:
        own = found.get(one.question)
        if own is None or own.verdict != "warns":
            found[one.question] = one
        else:
            evidence = (*own.evidence, *one.evidence)[:MOST_EVIDENCE]
            found[one.question] = own.model_copy(update={"evidence": evidence})
    return tuple(found.values())


def _of_others(
    for_others: Sequence[tuple[SummaryItem, CautionedPerson]],
    patient: NotePatient,
    engine: AnswerEngine,
) -> Iterator[GuidelineFinding]:
    """Yield what sources warn of in what the note gives somebody else of a known age."""
    for item, person in for_others:
        given = engine.drugs.ingredients(item.text)
        other = patient._replace(age=person.age, conditions=frozenset(), has_hiv=person.has_hiv)
        for care in care_of_other(item, other):
            said = care_passages(care.measure.names, engine)
            own = [p for p in said if engine.drugs.ingredients(p.text) <= given]
            finding = care_finding(care, own, other)
            if finding.verdict == "contradicts":
                yield finding
        if not item.medications:
            continue
        given = dict.fromkeys(sorted(engine.drugs.ingredients(item.text)), item)
        for medicine in person.line.medications if person.line else ():
            for drug in sorted(engine.drugs.ingredients(medicine.name)):
                given.setdefault(drug, item)
        kinds = ("contraindication", "interaction") if person.line else ("contraindication",)
        conditions = [*person.conditions, *_young(person.age)]
        labels = label_findings(given, conditions, engine, age=person.age)
        if person.line is not None:
            yield from _doses_of_other(item, person.line, other, engine)
        yield from _joined_warnings(
            [f for f in labels if f.verdict == "warns" and f.kind in kinds],
            tuple(guideline_cautions(given, person, engine)),
        )


def _doses_of_other(
    item: SummaryItem, line: SummaryItem, other: NotePatient, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what contradicts a dose that is planned for somebody of a household."""
    own = line.model_copy(update={"status": "present"})
    patient = other._replace(weight=read_patient(NoteSummary(patient_snapshot=(own,))).weight)
    given = tuple(m.model_copy(update={"status": "planned"}) for m in item.medications)
    planned = item.model_copy(update={"status": "planned", "medications": given})
    answers = AskedAnswers(engine)
    for asked in _questions([planned], None, patient, engine):
        if asked.has_dose and answers.may_ask(asked.question):
            finding = drug_finding(asked, _on_drug(asked, answers, engine), patient, engine)
            if finding.verdict == "contradicts":
                yield finding


def _young(age: float) -> list[str]:
    return ["young_age"] * (age < _YOUNG)


def _ages_of(patient: NotePatient) -> list[str]:
    """Return the ages, as labels warn of them, that a patient is of."""
    return [*_young(patient.age), *(["older_age"] * (patient.age >= _OLD))]


def _on_drug(one: AskedDrug, answers: AskedAnswers, engine: AnswerEngine) -> list[GuidelinePassage]:
    """Return what is said of a drug: the answer to its question, and statements of guidelines."""
    if not one.disease:
        return []
    said = claim_passages(answers.claims(one.question))
    return joined(said, drug_passages(one.drug, engine, with_dose=one.has_dose))


def _questions(
    items: Sequence[SummaryItem], plan: NotePlan | None, patient: NotePatient, engine: AnswerEngine
) -> Iterator[AskedDrug]:
    """Yield the questions on the drugs of items, recommendations of the plan first.

    What is given for no disease of the field has no disease: nothing is asked about it.
    """
    problems = {r.source: r.problem for r in plan.recommendations} if plan else {}
    people = "adults" if patient.age >= _GROWN_UP else "children"
    for item in sorted(items, key=lambda i: i.source not in problems):
        problem = problems.get(item.source)
        for drug in given_drugs(item, engine):
            area = engine.drugs.area(drug)
            if drug not in engine.drugs.labelled and area in (None, "other"):
                continue
            is_planned = item.source in problems
            disease = _given_for(
                item, problem.text if problem else "", drug, patient, engine, is_planned=is_planned
            )
            use = disease_words(disease, patient)
            has_dose = bool(stated_doses(dose_of(item, drug, engine))[0])
            kind = "recommendation" if is_planned else "medicine"
            if has_dose:
                question = f"What is the dose of {drug} in {people}{use and f' for {use}'}?"
            elif disease and is_planned:
                question = f"Is {drug} recommended for {use}?"
            else:
                continue
            yield AskedDrug(kind, question, item, drug, disease, has_dose)


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


def _had(item: SummaryItem) -> str:
    """Return what an item says that the patient has; of one that orders something its results.

    "AKI - potassium 3.1. Repeat it if below 3" reports the first.
    """
    if item.status in ("present", "past", "mixed") or concludes(item):
        return item.text
    cues = note_cues()
    said = (item.text[a:b] for a, b in sentence_spans(item.text) if item.status == "planned")
    results = cues.sections["labs_imaging"], (cues.blocks.orders, cues.assertion.conditional)
    return " ".join(
        one
        for one, text in ((one, fold_chars(one)) for one in said)
        if results[0].search(text) and not any(order.search(text) for order in results[1])
    )


def _conditions(items: Sequence[SummaryItem]) -> list[str]:
    """Return the conditions that the note says the patient has."""
    known = patient_conditions()
    named = (
        name
        for item in items
        for name in sorted(affirmed_names(_RISK.sub(" ", fold_chars(_had(item))), known))
        if name not in _REACTIONS or all(m.status not in _REACTED for m in item.medications)
    )
    return list(dict.fromkeys(named))
