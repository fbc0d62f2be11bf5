"""Which drugs of other fields are asked about in this one: those the documents are about."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import statement

from clinrag_core.answer.question import reader as question_reader
from clinrag_core.answer.question.reader import CHAPTER, OF_WORD, QuestionReader
from clinrag_core.index.scope_record import DrugScope, ReleaseScope
from clinrag_core.retrieve.engine import SearchEngine

ASKED = "What is the target INR on warfarin after a clot?"


@pytest.mark.parametrize(("matters", "route"), [(CHAPTER, "GUIDELINE"), (4, "OUT_OF_DOMAIN")])
def test_a_drug_that_guidelines_have_a_chapter_on_is_of_the_field(
    matters: int, route: str, search: SearchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_guidelines = DrugScope(guideline={"dose": matters // 2, "interactions": matters // 2})
    scope = ReleaseScope(drugs={"warfarin": of_guidelines}, products=(), conditions={})
    monkeypatch.setattr(search, "scope", scope)
    question = QuestionReader(search).read(ASKED)
    assert question.route.route == route
    assert question.is_covered == (route == "GUIDELINE")


def test_a_word_that_is_written_right_is_not_respelt(search: SearchEngine) -> None:
    reader = QuestionReader(search)
    misspelt = reader.read("Is jaundice seroius in a child on isoniazid?")
    assert [one.typed for one in misspelt.corrections] == ["seroius"]
    assert reader.read("Is jaundice serious in a child on isoniazid?").corrections == ()


def test_a_rare_word_is_meant_where_it_makes_the_name_of_a_disease() -> None:
    """ "Neuralga" was refused: few labels have the right word."""
    names = question_reader._names_disease
    assert names("dose for postherpetic neuralga", "neuralga", "neuralgia")
    assert not names("dose for a neuralga", "neuralga", "neuralgia")


@pytest.mark.parametrize(
    ("scope", "question"),
    [
        (
            ReleaseScope(drugs={}, products=(), conditions={}, subjects=("dengu",)),
            "Platelets in dengue?",
        ),
        (
            ReleaseScope(drugs={}, products=(), conditions={}, fields={"blood pressure": CHAPTER}),
            "What BP counts as high?",
        ),
    ],
    ids=["a title", "passages"],
)
def test_what_the_documents_are_about_is_of_the_field(
    scope: ReleaseScope, question: str, search: SearchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert QuestionReader(search).read(question).route.route == "OUT_OF_DOMAIN"
    monkeypatch.setattr(search, "scope", scope)
    covered = QuestionReader(search).read(question)
    assert (covered.route.route, covered.is_covered) == ("GUIDELINE", True)


@pytest.mark.parametrize(
    ("said", "route"),
    [
        ("Medicine: Warfarin PO; Status: Open", "GUIDELINE"),
        ("Medicine: Apixaban PO; Status: as warfarin", "OUT_OF_DOMAIN"),
    ],
)
def test_a_drug_with_a_row_of_its_own_is_of_the_field(
    said: str, route: str, search: SearchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = sources_of([statement(said, statement_kind="row")], search.drugs).engines[0]
    bases = index.knowledge_bases["guideline"]
    monkeypatch.setattr(question_reader, "statement_bases", lambda _: [(bases, bases.statements)])
    assert QuestionReader(search).read("Is warfarin open?").route.route == route


@pytest.mark.parametrize(
    ("question", "count", "is_covered"),
    [
        ("what systolic is too high to send somebody home with", OF_WORD, True),
        ("what systolic is too high to send somebody home with", OF_WORD - 1, False),
        ("what pressure is too high to send somebody home with", OF_WORD, False),
    ],
    ids=["a chapter", "too few", "an everyday word"],
)
def test_a_technical_word_that_guidelines_say_often_is_of_the_field(
    question: str, count: int, *, is_covered: bool, search: SearchEngine, monkeypatch
) -> None:
    said = [statement(f"Systolic pressure {n} is high.") for n in range(count)]
    index = sources_of(said, search.drugs).engines[0]
    bases = index.knowledge_bases["guideline"]
    monkeypatch.setattr(question_reader, "statement_bases", lambda _: [(bases, bases.statements)])
    assert QuestionReader(search).read(question).is_covered == is_covered


@pytest.mark.parametrize(("title", "is_covered"), [("Brown Fever", True), ("Fever", False)])
def test_a_name_of_two_words_from_a_title_is_of_the_field(
    title: str, *, is_covered: bool, search: SearchEngine, monkeypatch
) -> None:
    said = [statement(f"Brown fever has {n} signs.") for n in range(OF_WORD)]
    bases = sources_of(said, search.drugs).engines[0].knowledge_bases["guideline"]
    monkeypatch.setattr(question_reader, "statement_bases", lambda _: [(bases, bases.statements)])
    monkeypatch.setattr(question_reader, "guideline_titles", lambda _: [f"Guide to {title}"])
    assert QuestionReader(search).read("Warfarin for brown fever?").is_covered == is_covered


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("Stop rifampin before a colonoscopy?", "procedure"),
     ("Stop rifampin before a thyroidectomy?", "surgery"),
     ("Stop rifampin before an autopsy?", None)],
)  # fmt: skip
def test_an_operation_that_no_document_names_is_read_as_one(
    asked: str, meant: str | None, search: SearchEngine
) -> None:
    question = QuestionReader(search).read(asked)
    assert [one.meant for one in question.corrections] == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("products", "meant"),
    [
        ([{"atorvastatin"}], "atorvastatin"),
        ([{"amlodipine", "atorvastatin"}], "amlodipine and atorvastatin"),
        ([{"atorvastatin"}, {"simvastatin"}], None),
    ],
    ids=["the only one", "in a combination", "one of two"],
)
def test_a_class_is_read_as_its_only_labelled_product(
    products: list[set[str]],
    meant: str | None,
    search: SearchEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search.drugs, "products", frozenset(map(frozenset, products)))
    question = QuestionReader(search).read("Do statins cause muscle pain?")
    assert [(one.typed, one.meant) for one in question.corrections] == [
        ("statins", one) for one in [meant] if one
    ]
    for other in ("Do statins interact with rifampin?", "Which statin is safest?"):
        assert QuestionReader(search).read(other).corrections == ()
