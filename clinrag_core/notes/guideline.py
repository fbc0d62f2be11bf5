"""Puts the plan and the medicines of a note to the released knowledge bases.

Only drug names, doses and names of conditions are asked for, never words of the note, and nothing
is written to the audit trail. A dose that the sources give differently contradicts; without a
comparable dose the evidence is related; an abstention is 'no guideline evidence'.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Answer
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.notes.records import NotePlan, NoteSummary, SummaryItem

MOST_QUESTIONS = 24
"""Questions about one note, so that a long list of medicines does not hold up a request."""
MOST_EVIDENCE = 2
_GIVEN = frozenset(
    {"current", "started", "increased", "decreased", "switched", "continued", "planned"}
)
_FIELD = ("tuberculosis", "latent tuberculosis", "community-acquired pneumonia")
_DISEASES = {
    "tuberculosis": ("active_tuberculosis", "tuberculosis", "pulmonary_tuberculosis"),
    "latent tuberculosis": ("tuberculosis_infection", "latent_tuberculosis"),
    "community-acquired pneumonia": ("pneumonia", "community_acquired_pneumonia"),
}
_DoseKey = tuple[tuple[Decimal, ...], str, tuple[str, ...]]
Verdict = Literal["supports", "contradicts", "related", "no guideline evidence"]


class _Asked(NamedTuple):
    """A question with what of the note it is about."""

    kind: Literal["recommendation", "medicine", "interaction", "contraindication"]
    question: str
    item: SummaryItem
    drugs: frozenset[str]
    doses: tuple[Quantity, ...] = ()


def check_guidelines(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> tuple[GuidelineFinding, ...]:
    """Return what the knowledge bases say of a note's medicines, doses and treatments.

    `engine` must keep no audit trail: `AnswerEngine.unaudited`.
    """
    asked: set[str] = set()
    findings: list[GuidelineFinding] = []
    for one in _questions(summary, plan, engine):
        if one.question in asked:
            continue
        if len(asked) == MOST_QUESTIONS:
            break
        asked.add(one.question)
        findings.append(_finding(one, engine.ask(one.question), engine))
    return tuple(findings)


def _questions(
    summary: NoteSummary, plan: NotePlan | None, engine: AnswerEngine
) -> Iterator[_Asked]:
    """Yield the questions, recommendations of the plan first."""
    items = [item for _, item in summary.items()]
    planned = {f.source for r in plan.recommendations for f in r.fields()} if plan else set[str]()
    disease = _disease(summary, engine)
    for item in sorted(items, key=lambda i: i.source not in planned):
        yield from _of_item(item, disease, engine, is_planned=item.source in planned)
    held: dict[str, SummaryItem] = {}
    for item in items:
        for drug in _given(item, engine):
            held.setdefault(drug, item)
    for one, other in combinations(held, 2):
        if {one, other} & engine.drugs.labelled:
            question = f"Does {one} interact with {other}?"
            yield _Asked("interaction", question, held[one], frozenset([one, other]))
    labelled = [drug for drug in held if drug in engine.drugs.labelled]
    for condition, drug in product(_conditions(items), labelled):
        question = f"Is {drug} contraindicated in patients with {condition}?"
        yield _Asked("contraindication", question, held[drug], frozenset([drug]))


def _of_item(
    item: SummaryItem, disease: str, engine: AnswerEngine, *, is_planned: bool
) -> Iterator[_Asked]:
    """Yield the questions on the doses and the use of the drugs of an item."""
    for drug in _given(item, engine):
        doses = _doses(item.text, drug, engine)
        if doses:
            use = f" for {disease}" if disease else ""
            question = f"What is the dose of {drug} in adults{use}?"
            kind = "recommendation" if is_planned else "medicine"
            yield _Asked(kind, question, item, frozenset([drug]), doses)
        elif disease and is_planned:
            question = f"Is {drug} recommended for {disease}?"
            yield _Asked("recommendation", question, item, frozenset([drug]))


def _given(item: SummaryItem, engine: AnswerEngine) -> list[str]:
    """Return the drugs of the field or of a label that an item says are taken or to be taken."""
    named = (
        drug
        for medication in item.medications
        if medication.status in _GIVEN
        for drug in sorted(engine.drugs.ingredients(medication.name))
    )
    known = engine.drugs.labelled
    return [
        d for d in dict.fromkeys(named) if d in known or engine.drugs.area(d) not in (None, "other")
    ]


def _doses(text: str, drug: str, engine: AnswerEngine) -> tuple[Quantity, ...]:
    """Return the doses that a text states, where it names no other drug."""
    facts = read_facts(text, engine.drugs)
    if facts.ingredients != {drug}:
        return ()
    return tuple(q for q in facts.quantities if q.kind == "dose")


def _disease(summary: NoteSummary, engine: AnswerEngine) -> str:
    """Return the disease of the field that the note is about, in words; "" for none."""
    texts = [i.text for i in (*summary.key_problems, *summary.concise_assessment)]
    held = [i.text for _, i in summary.items() if i.status not in ("absent", "family")]
    for text in (*texts, *held):
        named = read_facts(text, engine.drugs).diseases
        for words in _FIELD:
            if set(named) & set(_DISEASES[words]):
                return words
    return ""


def _conditions(items: Sequence[SummaryItem]) -> Iterable[str]:
    """Return the conditions that the note says the patient has, in words."""
    found: dict[str, None] = {}
    for item in items:
        if item.status in ("present", "past"):
            for name in sorted(names_of(concept_spans(item.text, finding_lexicon().conditions))):
                found[name.replace("_", " ")] = None
    return found


def _finding(one: _Asked, answer: Answer, engine: AnswerEngine) -> GuidelineFinding:
    """Return what an answer says of a thing of the note."""
    evidence = tuple(
        CitedEvidence(
            text=" ".join(claim.text.split()),
            document=claim.citations[0].document_title,
            section=" > ".join(claim.citations[0].section_path),
        )
        for claim in answer.claims[:MOST_EVIDENCE]
        if claim.citations
    )
    return GuidelineFinding(
        about=one.item.text,
        source=one.item.source,
        kind=one.kind,
        question=one.question,
        verdict=_verdict(one, answer, engine),
        evidence=evidence,
    )


def _verdict(one: _Asked, answer: Answer, engine: AnswerEngine) -> Verdict:
    """Return whether an answer supports or contradicts what the note says."""
    texts = [claim.text for claim in answer.claims if claim.citations]
    if not texts:
        return "no guideline evidence"
    comparable = {
        q.key
        for text in texts
        if one.drugs <= read_facts(text, engine.drugs).ingredients
        for q in quantities(text)
        if q.kind == "dose" and not q.per
    }
    own = {q.key for q in one.doses if not q.per}
    if not own or not comparable:
        return "related"
    units = {unit for _, unit, _ in comparable}
    if own & comparable or any(_within(key, comparable) for key in own):
        return "supports"
    return "contradicts" if any(unit in units for _, unit, _ in own) else "related"


def _within(key: _DoseKey, ranges: Iterable[_DoseKey]) -> bool:
    """Return whether a dose lies in a range of doses of its unit."""
    values, unit, _ = key
    return any(
        unit == other and len(limits) > 1 and limits[0] <= min(values) and max(values) <= limits[-1]
        for limits, other, _ in ranges
    )
