"""Tests, precautions and follow-up of a plan against passages on them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from clinrag_core.answer.records import Answer, Claim
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.citation import Citation
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.guideline import check_guidelines
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import GuidelineFinding

NOTE = """HPI: 34-year-old man, unwell for two weeks.
Impression: pulmonary tuberculosis
Plan:
1. Sputum culture today, says Mrs. Vantongeren
2. Airborne isolation
3. Physiotherapy for his knee
"""


class OneAnswer:
    """Plays the answer engine: the same claim for each question; keeps what it was asked."""

    def __init__(self, text: str, title: str = "Tuberculosis care") -> None:
        self.text, self.title = text, title
        self.asked: list[str] = []
        self.search = NoLabels()
        self.drugs = DrugLexicon({"isoniazid": ["isoniazid"]})

    def ask(self, question: str) -> Answer:
        self.asked.append(question)
        cited = Citation(
            chunk_id="c", document_id="d", document_title=self.title, section_path=(),
            start=0, end=1, snippet=self.text,
        )  # fmt: skip
        return Answer(status="answered", claims=(Claim(text=self.text, citations=(cited,)),))


class NoLabels:
    """Plays the search engine of a release without labels."""

    def __init__(self) -> None:
        self.knowledge_bases: dict[str, SimpleNamespace] = {}


def findings(engine: OneAnswer, text: str = NOTE) -> list[GuidelineFinding]:
    note = read_note(text, 1_000)
    summary = extractive_summary(note).summary
    return list(check_guidelines(summary, extractive_plan(note, summary), engine))


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Send a sputum culture of every patient.", "supports"),
        ("We suggest not obtaining sputum cultures in outpatients.", "contradicts"),
        ("A sputum culture is obtained only in severe disease.", "no guideline evidence"),
        ("A sputum culture grows in six weeks.", "no guideline evidence"),
        ("A chest radiograph should come first.", "no guideline evidence"),
        (
            "Recommendations for Use of Sputum Culture, United States. MMWR, 2023",
            "no guideline evidence",
        ),
        ("Costs of sputum culture should not be factored in.", "no guideline evidence"),
        ("Do not delay treatment; a sputum culture is sent before it.", "supports"),
    ],
)
def test_care_of_a_plan_gets_its_verdict(claim: str, verdict: str):
    found = {f.question: f.verdict for f in findings(OneAnswer(claim))}
    assert found["Is a sputum culture recommended for tuberculosis?"] == verdict


def test_a_passage_on_another_disease_is_no_evidence():
    engine = OneAnswer("Send a sputum culture of every patient.", "Community-acquired pneumonia")
    assert {f.verdict for f in findings(engine)} == {"no guideline evidence"}


def test_only_care_for_the_diseases_of_the_field_is_asked_about_and_never_in_words_of_the_note():
    engine = OneAnswer("")
    findings(engine)
    assert engine.asked == [
        "Is a sputum culture recommended for tuberculosis?",
        "Is airborne isolation recommended for tuberculosis?",
    ]
    other = OneAnswer("")
    findings(other, NOTE.replace("pulmonary tuberculosis", "sinusitis"))
    assert other.asked == []


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ("Sputum culture.", "supports"),
        ("Sputum culture at the start.", "supports"),
        ("Sputum culture at the end of treatment.", "no guideline evidence"),
        ("Repeat sputum culture in 6 weeks.", "no guideline evidence"),
    ],
)
def test_what_is_asked_for_at_the_start_says_nothing_of_the_end(plan: str, verdict: str):
    """A film at the diagnosis supported one at the end of treatment."""
    engine = OneAnswer("A sputum culture is recommended for tuberculosis before treatment.")
    found = findings(engine, f"Impression: pulmonary tuberculosis\nPlan:\n{plan}\n")
    assert [one.verdict for one in found] == [verdict]
