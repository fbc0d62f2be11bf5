"""Documents that a question names by their publisher or initials. Invented titles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.rank.named_sources import named_sources, publishers
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.index.knowledge_base import PublishedDocument

DOCUMENTS = (
    PublishedDocument("who-a", "WHO", "Guidelines on cough", 2019),
    PublishedDocument("who-b", "WHO", "Policy on cough", 2009),
    PublishedDocument("ruritania", "Ruritania MoH", "Manual of cough and leprosy"),
    PublishedDocument("iscc", "CARE I (Weekly)", "International Standards for Cough Care, 2nd"),
)


def engine(kind: str) -> Any:
    base = SimpleNamespace(documents=DOCUMENTS, manifest=SimpleNamespace(kind=kind))
    return SimpleNamespace(knowledge_bases={"base": base})


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("What does WHO recommend for cough?", {"who-a", "who-b"}),
        ("What did WHO recommend for cough in 2009?", {"who-b"}),
        ("What did WHO recommend for cough in 1990?", {"who-a", "who-b"}),
        ("Who needs treatment of a cough?", set()),
        ("cough, Ruritania manual", {"ruritania"}),
        ("cough per the ruritanian manual", {"ruritania"}),
        ("in ruritania they cough", set()),
        ("cough (ruritania): dose", {"ruritania"}),
        ("How many specimens per ISCC?", {"iscc"}),
        ("how many specimens per iscc?", {"iscc"}),
        ("who should be tested?", set()),
        ("Specimens by the International Standards", {"iscc"}),
        ("What care is needed?", set()),
        ("Weekly dose for a cough", set()),
    ],
)
def test_a_source_is_named_as_it_is_written(question: str, documents: set[str]) -> None:
    found = named_sources(question, [engine("guideline")])
    assert found.documents == documents
    assert bool(found.spans) == bool(documents)


def test_labels_are_not_asked_for_by_their_publisher() -> None:
    assert named_sources("WHO on cough", [engine("label")]).documents == frozenset()


def test_the_name_of_a_source_is_no_word_that_the_answer_must_have() -> None:
    drugs = DrugLexicon()
    slots = read_slots("How often should a TB patient be reviewed according to ISCC?", drugs)
    said = "Assess the patient at least monthly."
    sources = sources_of([statement(said)], drugs)
    base: Any = sources.engines[0].knowledge_bases["guideline"]
    base.documents = DOCUMENTS
    one = RankedStatement(statement(said), "guideline", 1.0, 0.0)
    assert most_exact_first([one], slots, sources)[0].score > 1.0


def test_the_best_of_each_publisher_comes_first_if_it_is_near() -> None:
    near, far = ("ruritania", 4.5), ("ruritania", 2.0)
    for (document, score), is_raised in ((near, True), (far, False)):
        found = [("who-a", 5.0), ("who-a", 4.9), (document, score)]
        ranked = [
            RankedStatement(statement("Cough.").model_copy(update={"document_id": of}), "g", n, n)
            for of, n in found
        ]
        named = named_sources("Cough: WHO 2019 or the Ruritania manual?", [engine("guideline")])
        order = [(one.statement.document_id, one.score) for one in named.each_first(ranked)]
        raised = [("who-a", 5.0), ("ruritania", 5.0), ("who-a", 4.9)]
        assert order == (raised if is_raised else found)
        assert named.each_first([]) == []


def test_the_name_of_who_published_it_is_said_by_a_document() -> None:
    assert publishers(["ruritania"], [engine("guideline")]) == {"ruritania"}
    assert publishers(["who-a"], [engine("label")]) == frozenset()


def test_names_of_one_publisher_are_one() -> None:
    text = "Do ISCC and the International Standards agree with WHO?"
    found = named_sources(text, [engine("guideline")])
    assert found.by_name == (frozenset({"iscc"}), frozenset({"who-a", "who-b"}))
