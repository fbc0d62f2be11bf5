"""The clauses of a question that ask, and the places that its story names."""

from __future__ import annotations

import pytest

from clinrag_core.answer.asking import asking_sentences, places_of_story


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
