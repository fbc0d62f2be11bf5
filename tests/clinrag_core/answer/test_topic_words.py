"""The words that a question turns on must be met by the statements shown. Invented sources."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from clinrag_core.answer.slots import read_slots
from clinrag_core.answer.sources import Sources
from clinrag_core.answer.topic_words import (
    asking_sentences,
    has_own_document,
    topic_words,
    unmentioned,
    unsaid,
    unspoken,
)
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon()
IDF = {"tuberculosis": 1.0, "capsule": 3.0, "rash": 5.0, "driving": 6.5, "sauna": 8.0}
SOURCES = Sources([], DRUGS, IDF)


def statement(said: str) -> IndexedStatement:
    return IndexedStatement.model_construct(
        kind="label",
        document_title="Linezolid",
        headings=("Warnings",),
        run_in="",
        caption="",
        said=said,
    )


def words_of(question: str) -> list[str]:
    return [one.word for one in topic_words(question, DRUGS, IDF)]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the dose of linezolid in children with tuberculosis?", []),
        ("Side effects of rifampicin, 600 mg daily?", []),
        ("linezolid dose w/o references please", []),
        ("Linezolid after a sauna?", ["sauna"]),
        ("Can I crush linezolid tablets?", ["crush"]),
        ("What does linezolid cost?", ["cost"]),
        ("linezolid in restless-legs", ["restless", "legs"]),
        ("Does linezolid interact with grapefruit juice?", ["grapefruit", "juice"]),
        ("UTI on linezolid?", ["uti"]),
        ("linezolid in the sauna yesterday?", ["sauna"]),
        ("rostered, sauna rechecked: linezolid?", ["sauna"]),
    ],
)
def test_a_question_turns_on_what_no_slot_reads(question, words):
    assert words_of(question) == words


def test_only_the_sentences_of_a_case_that_ask_are_read():
    story = "Crohn patient, 27 F, after a sauna. Linezolid? She is well."
    assert asking_sentences(story) == "Linezolid?"
    assert asking_sentences("Linezolid after a sauna") == "Linezolid after a sauna"


def test_a_word_that_nothing_near_says_keeps_the_statements_from_answering():
    shown = [statement("Linezolid may cause a rash.")]
    assert unspoken("Is linezolid allowed in the sauna?", shown, shown, SOURCES) == ("sauna",)
    assert unspoken("Does linezolid cause a rash?", shown, shown, SOURCES) == ()


def test_a_word_of_the_same_sense_or_family_answers():
    shown = [statement("Reactions of the skin: exanthem, and problems when operating a vehicle.")]
    for question in ("Linezolid and rashes?", "linezolid: drive?", "dermal harm of linezolid"):
        assert unspoken(question, shown, shown, SOURCES) == ()


def test_nothing_answers_on_a_cost_that_does_not_say_it():
    said = [statement("Linezolid comes in a carton of 28 vials.")]
    assert unspoken("What does a carton of linezolid cost?", said, said, SOURCES) == ("cost",)
    assert unspoken("Cartons of linezolid in Peru?", said, said, SOURCES) == ("peru",)


def test_a_route_that_is_not_mentioned_is_answered_by_the_one_that_is():
    said = [statement("Linezolid is given by intramuscular injection.")]
    assert not unspoken("Linezolid as an IV drip?", said, said, SOURCES)
    assert unspoken("Linezolid as an IV drip?", [statement("Linezolid.")], [], SOURCES)


def test_a_word_said_nearby_counts_half():
    shown = [statement("Linezolid may cause a rash.")]
    near = [*shown, statement("Linezolid was studied after a sauna.")]
    assert unspoken("Linezolid and sauna?", shown, near, SOURCES) == ()


def test_a_common_word_alone_refuses_nothing():
    shown = [statement("Linezolid may cause a rash.")]
    assert unspoken("Rash on a linezolid capsule, red?", shown, shown, SOURCES) == ()


def test_the_refusal_names_the_drug_and_the_words():
    slots = read_slots("Is linezolid allowed in a Finnish sauna?", DRUGS)
    said = unmentioned(slots, ("finnish", "sauna"))
    assert said.endswith(
        'on linezolid nearest to the question do not mention "Finnish" or "sauna".'
    )


def test_what_no_passage_says_is_named(passage):
    passages = [passage("Linezolid may cause a rash.")]
    said = unsaid("Linezolid rash after a sauna", passages, SOURCES)
    assert said == 'They do not mention "sauna".'
    assert unsaid("Rash after linezolid?", passages, SOURCES) == ""


@pytest.mark.parametrize(
    ("question", "has"),
    [("Is a sauna good for the lungs?", True), ("Is swimming good for the lungs?", False)],
)
def test_a_document_with_a_rare_word_of_the_question_in_its_title_is_its_own(question, has):
    documents = [SimpleNamespace(title="Pneumonia after a sauna", id="sauna")]
    base = SimpleNamespace(manifest=SimpleNamespace(kind="guideline"), documents=documents)
    engine = SimpleNamespace(knowledge_bases={"guideline": base})
    assert has_own_document(question, Sources([engine], DRUGS, IDF)) is has
