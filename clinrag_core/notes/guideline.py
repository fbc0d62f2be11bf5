"""Puts the plan and the medicines of a note to the released knowledge bases.

Only drug names and names of conditions are asked for, never words of the note, and nothing is
written to the audit trail. A dose is compared as `doses` says; what a label says of two drugs of
the note, or of a drug and a condition of the patient, warns; an abstention, or an answer about
something else, is 'no guideline evidence'.
"""

from __future__ import annotations

import re
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.doses import compare_doses, stated_doses
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Answer, Claim
    from clinrag_core.model.citation import Citation
    from clinrag_core.notes.records import GuidelineVerdict, NotePlan, NoteSummary, SummaryItem

MOST_QUESTIONS = 24
"""Questions about one note, so that a long list of medicines does not hold up a request."""
MOST_EVIDENCE = 2
_GIVEN = frozenset(
    {"current", "started", "increased", "decreased", "switched", "continued", "planned"}
)
_DISEASES = {"tb": "tuberculosis", "cap": "community-acquired pneumonia"}
"""Diseases of the field with the words that a question names them by."""


class _Asked(NamedTuple):
    """A question with what of the note it is about."""

    kind: Literal["recommendation", "medicine", "interaction", "contraindication"]
    question: str
    item: SummaryItem
    drugs: frozenset[str]
    condition: re.Pattern[str] | None = None
    """What evidence on a contraindication must name."""
    has_dose: bool = False


def check_guidelines(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> tuple[GuidelineFinding, ...]:
    """Return what the knowledge bases say of a note's medicines, doses and treatments.

    `engine` must keep no audit trail: `AnswerEngine.unaudited`.
    """
    answers: dict[str, Answer] = {}
    findings: dict[tuple[str, str], GuidelineFinding] = {}
    for one in _questions(summary, plan, engine):
        key = one.question, one.item.source
        if key in findings:
            continue
        if one.question not in answers:
            if len(answers) == MOST_QUESTIONS:
                break
            answers[one.question] = engine.ask(one.question)
        findings[key] = _finding(one, answers[one.question], engine)
    return tuple(findings.values())


def _questions(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> Iterator[_Asked]:
    """Yield the questions, recommendations of the plan first."""
    items = [item for _, item in summary.filed()]
    planned = {r.source for r in plan.recommendations} if plan else set[str]()
    disease = _disease(summary, engine)
    for item in sorted(items, key=lambda i: i.source not in planned):
        yield from _of_item(item, disease, engine, is_planned=item.source in planned)
    taken: dict[str, SummaryItem] = {}
    for item in items:
        for drug in _given(item, engine, of_field=False):
            taken.setdefault(drug, item)
    labelled = [drug for drug in taken if drug in engine.drugs.labelled]
    for (condition, words), drug in product(_conditions(items).items(), labelled):
        question = f"Is {drug} contraindicated in patients with {condition}?"
        yield _Asked("contraindication", question, taken[drug], frozenset([drug]), words)
    for one, other in combinations(taken, 2):
        if one in labelled or other in labelled:
            question = f"Does {one} interact with {other}?"
            yield _Asked("interaction", question, taken[one], frozenset([one, other]))


def _of_item(
    item: SummaryItem, disease: str, engine: AnswerEngine, *, is_planned: bool
) -> Iterator[_Asked]:
    """Yield the questions on the doses and the use of the drugs of an item."""
    use = f" for {disease}" if disease else ""
    for drug in _given(item, engine, of_field=True):
        about = frozenset([drug])
        if stated_doses(_part_on(item.text, drug, engine))[0]:
            kind = "recommendation" if is_planned else "medicine"
            question = f"What is the dose of {drug} in adults{use}?"
            yield _Asked(kind, question, item, about, has_dose=True)
        elif disease and is_planned:
            yield _Asked("recommendation", f"Is {drug} recommended{use}?", item, about)


def _given(item: SummaryItem, engine: AnswerEngine, *, of_field: bool) -> list[str]:
    """Return the drugs that an item says are taken or to be taken.

    `of_field`: only those of a label of the release or of the fields of the guidelines.
    """
    named = (
        drug
        for medication in item.medications
        if medication.status in _GIVEN
        for drug in sorted(engine.drugs.ingredients(medication.name))
    )
    known = engine.drugs.labelled
    return [
        drug
        for drug in dict.fromkeys(named)
        if not of_field or drug in known or engine.drugs.area(drug) not in (None, "other")
    ]


def _part_on(text: str, drug: str, engine: AnswerEngine) -> str:
    """Return the part of a statement from one drug to the next, where its dose is printed."""
    mentions = engine.drugs.mentions(text)
    for place, mention in enumerate(mentions):
        if drug in mention.ingredients:
            end = mentions[place + 1].start if place + 1 < len(mentions) else len(text)
            return text[mention.start : end]
    return ""


def _disease(summary: NoteSummary, engine: AnswerEngine) -> str:
    """Return the disease of the field that the note is about, in words; "" for none."""
    first = (*summary.key_problems, *summary.assessment)
    for item in (*first, *(item for _, item in summary.filed())):
        if item.status in ("absent", "family"):
            continue
        named = read_facts(item.text, engine.drugs).diseases
        if len(named) == 1:
            return _DISEASES.get(named[0], "")
    return ""


def _conditions(items: Sequence[SummaryItem]) -> dict[str, re.Pattern[str]]:
    """Return the conditions that the note says the patient has, with what names them."""
    known = finding_lexicon().conditions
    found: dict[str, re.Pattern[str]] = {}
    for item in items:
        if item.status in ("present", "past"):
            for name in sorted(names_of(concept_spans(item.text, known))):
                found[name.replace("_", " ")] = known[name]
    return found


def _finding(one: _Asked, answer: Answer, engine: AnswerEngine) -> GuidelineFinding:
    """Return what an answer says of a thing of the note; only claims about it are evidence."""
    claims = [c for c in answer.claims if c.citations and _is_about(c, one, engine)]
    evidence = tuple(
        CitedEvidence(
            text=" ".join(claim.text.split()),
            document=claim.citations[0].document_title,
            section=" > ".join(claim.citations[0].section_path),
        )
        for claim in claims[:MOST_EVIDENCE]
    )
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind=one.kind,
        question=one.question,
        verdict=_verdict(one, claims, engine),
        evidence=evidence,
    )


def _verdict(one: _Asked, claims: Sequence[Claim], engine: AnswerEngine) -> GuidelineVerdict:
    """Return what claims about a thing of the note say of it."""
    if not claims:
        return "no guideline evidence"
    if one.kind in ("interaction", "contraindication"):
        return "warns"
    if one.has_dose:
        (drug,) = one.drugs
        said = _part_on(one.item.text, drug, engine)
        return compare_doses(said, [claim.text for claim in claims])
    return "related"


def _is_about(claim: Claim, one: _Asked, engine: AnswerEngine) -> bool:
    """Return whether a claim is about every drug, and the condition, of a question."""
    own = engine.drugs.ingredients(claim.text)
    named = own.union(*(_subject(c, engine) for c in claim.citations))
    if own and not own & one.drugs:
        return False
    is_named = one.drugs <= named and (one.kind != "interaction" or bool(own))
    return is_named and (
        one.condition is None or bool(one.condition.search(fold_chars(claim.text)))
    )


def _subject(citation: Citation, engine: AnswerEngine) -> frozenset[str]:
    """Return the drug that a section is about: by its headings, else by a title of one drug.

    What a label of a combination says is of one of its drugs, which the title does not tell.
    """
    by_path = engine.drugs.ingredients("\n".join(citation.section_path))
    by_title = engine.drugs.ingredients(citation.document_title)
    return by_path or (by_title if len(by_title) == 1 else frozenset())
