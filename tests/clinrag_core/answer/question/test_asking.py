"""The clauses of a question that ask, and the places that its story names."""

from __future__ import annotations

import pytest

from clinrag_core.answer.question.asking import (
    asked_matters,
    asking_sentences,
    aspects_of_topic,
    lists_matters,
    origins,
    places_of_story,
    with_capitals,
)


@pytest.mark.parametrize(
    ("question", "places"),
    [
        (
            "Home from Ruritania, two weeks of zolumycin done. How long does he go on?",
            {"ruritania"},
        ),
        ("A weekend in Strelsau and she asks for zolumycin. Which dose?", {"strelsau"}),
        ("Is zolumycin licensed in Ruritania?", set()),
        ("Patient with Crohn's disease. Dose of zolumycin?", set()),
        ("Given to Crohn's patients. Dose of zolumycin?", set()),
    ],
)
def test_a_place_belongs_to_the_story_unless_it_is_asked_about(
    question: str, places: set[str]
) -> None:
    assert places_of_story(question) == places


def test_a_sentence_that_asks_may_begin_small() -> None:
    story = "child 9, 30 kg, off to camp in the holidays. how much zolumycin each week?"
    assert asking_sentences(story) == "how much zolumycin each week?"
    assert asking_sentences("Zolumycin vs. what?") == "Zolumycin vs. what?"


@pytest.mark.parametrize(
    ("typed", "asks"),
    [
        ("Potter 37, pale, Hb 11.2. no bleeding. per the manual how big a fall?", "per the manual"),
        ("Child of 8, oral zolumycin. dose per kg?", "dose per kg?"),
        ("Zolumycin vs. placebo, approx. half price?", "Zolumycin vs. placebo, approx. half"),
        ("Boy 9, at his gran's. Takes zolumycin. mg/kg dose pls", "mg/kg dose pls"),
    ],
)
def test_a_sentence_may_begin_small_after_any_word(typed: str, asks: str) -> None:
    assert asking_sentences(typed).startswith(asks)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Zolumycin for TB. per kilo?", "Zolumycin for TB. Per kilo?"),
        ("Zolumycin 5 mg. is it safe", "Zolumycin 5 mg. Is it safe"),
        ("Swab has E. coli", "Swab has E. coli"),
        ("Zolumycin 20 ml. dosed slowly", "Zolumycin 20 ml. dosed slowly"),
        ("Zolumycin vs. is", "Zolumycin vs. is"),
        ("Dr. smith asks", "Dr. smith asks"),
    ],
)
def test_a_short_word_ends_a_sentence_in_capitals_or_before_what_asks(typed, read) -> None:
    assert with_capitals(typed) == read


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        ("Zolumycin: when are ECGs and LFTs due?", True),
        ("Zolumycin: LFTs?", False),
        ("Zolumycin: how is it diluted, and how long may it be stored at home?", False),
    ],
)
def test_matters_in_a_list_are_each_asked_about(question: str, listed: bool) -> None:
    assert lists_matters(question) == listed


def test_where_somebody_grew_up_is_an_origin() -> None:
    assert origins("had BCG as a kid in india, which test?") == {"india"}
    assert origins("lives with a kid in treatment") == frozenset()


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("How long is made-up zolumycin good for?", "storage"),
        ("Zolumycin tube open: what temp do I keep it at, how long till we bin it?", "storage"),
        ("Zolumycin bag was made up at 8, what's the latest we can hang it?", "storage"),
        ("How fast can I push zolumycin?", "how fast it is infused"),
        ("When do I send the zolumycin trough?", "when levels are measured"),
        ("Zolumycin trough target?", "target levels"),
        ("How many mL of BCG for a newborn?", "BCG"),
        ("Over how long do I run zolumycin?", "how fast it is infused"),
        (
            "Zolumycin for colitis - when do I give up if it isn't working?",
            "what to do without a response",
        ),
    ],
)
def test_matters_are_read_from_everyday_words(question: str, matter: str) -> None:
    assert [one.name for one in asked_matters(question)] == [matter]


def test_any_begins_a_question() -> None:
    asked = "On zolumycin for years, tests fine. Next dose ok? any heart checks once we stop."
    assert asking_sentences(asked).endswith("any heart checks once we stop.")


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("Starting zolumycin: dose, and when do I take the level?", "when levels are measured"),
        ("Zolumycin, kidneys poor: which trough do we stay under?", "target levels"),
    ],
)
def test_levels_are_asked_about_in_many_ways(question: str, matter: str) -> None:
    assert matter in [one.name for one in asked_matters(question)]


@pytest.mark.parametrize(
    ("topic", "names_drugs", "aspects"),
    [
        ("what is the treatment of leprosy?", False, {"regimen"}),
        ("mycoplasma pneumonia treatment for a child aged 5 years", False, {"regimen"}),
        ("treating tb meningitis", False, {"regimen"}),
        ("rifamycin treatment of leprosy", True, set()),
        ("what is leprosy?", False, {"definition"}),
        ("leprosy in children", False, set()),
    ],
)
def test_of_a_bare_topic_the_treatment_or_the_meaning_is_asked(topic, names_drugs, aspects):
    """ "Treatment of mycoplasma pneumonia" had been answered with who gets it."""
    assert aspects_of_topic(topic, names_drugs) == aspects
