"""What a word is in a story that no source needs to know."""

from __future__ import annotations

import runpy

import pytest

from clinrag_core.lexicon.circumstances import circumstance
from clinrag_core.settings import data_folder


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("waitress", "who"),
        ("footballers", "who"),
        ("saturday", "who"),
        ("mwf", "who"),
        ("caravan", "thing"),
        ("barbecue", "matter"),
        ("grapefruit", "matter"),
        ("taper", "act"),
    ],
)
def test_people_times_things_and_food_are_circumstances(word, kind):
    assert circumstance(word) == kind


@pytest.mark.parametrize(
    "word",
    [
        *("migraine", "hangover", "flushes", "legs", "stroke", "pregnancy"),  # illness, the body
        *("smoker", "prisoner", "toddler", "alcoholic"),  # people whom sources advise on
        *("aspirin", "vaccine", "stent", "catheter", "massage"),  # drugs, devices, treatments
        *("peru", "zolumycin", "cost"),  # a country, a drug, what an answer must say
    ],
)
def test_what_an_answer_may_turn_on_is_none(word):
    assert circumstance(word) is None


class Senses:
    """A small WordNet: each word has one class."""

    def __init__(self) -> None:
        self.index = {("noun", one): ["1"] for one in ("baker", "leg", "legs", "plate")}
        self.adjectives = frozenset(["dental"])
        self._shares = {"baker": "who", "leg": "ill", "legs": "act", "dental": "thing"}
        self._shares |= {"plate": "thing", "stroke": "act"}

    def is_first_ill(self, word: str) -> bool:
        return word == "stroke"

    def shares(self, part: str, word: str) -> dict[str, float]:
        own = self._shares.get(word) if part == "noun" else None
        return (
            dict.fromkeys(("who", "ill", "act", "matter", "thing"), 0.0) | {own: 1.0} if own else {}
        )


@pytest.mark.parametrize(
    ("word", "kind"),
    [("baker", "who"), ("plate", "thing"), ("legs", None), ("dental", None), ("stroke", None)],
)
def test_the_command_classes_a_word_by_the_uses_of_its_senses(word, kind):
    pytest.importorskip("spellchecker", reason="pyspellchecker is not installed")
    sort_of = runpy.run_path(str(data_folder() / "words" / "circumstances.py"))["sort_of"]
    assert sort_of(word, Senses()) == kind


def test_a_limb_is_where_something_is() -> None:
    assert {circumstance(one) for one in ("forearm", "ankles", "thigh")} == {"thing"}
