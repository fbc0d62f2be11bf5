"""Words that deny right before a place, and texts without what is denied."""

import pytest

from clinrag_core.facts.negation import denies, is_denied, since_denial, without_denied
from clinrag_core.text.units import units_of


@pytest.mark.parametrize(
    ("text", "between"),
    [
        ("no |zolumycin", ()),
        ("he is not taking |zolumycin", ("taking",)),
        ("she denies |zolumycin", ()),
        ("without any known |zolumycin", ("any", "known")),
        ("I don't mean |zolumycin", ("mean",)),
        ("not now: |zolumycin", None),
        ("no, give |zolumycin", None),
        ("rifazol instead of |zolumycin", None),
        ("one who cannot swallow |zolumycin", None),
        ("nothing but |zolumycin", None),
    ],
)
def test_what_is_denied_is_known_by_the_words_before_it(text: str, between) -> None:
    before, after = text.split("|")
    assert since_denial((before + after).lower(), len(before)) == between


def test_a_denial_far_before_a_place_does_not_reach_it() -> None:
    text = "no fever in the last three weeks of this long course of zolumycin"
    assert since_denial(text, text.index("zolumycin")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no known |gout", True),
        ("never had a |reaction", True),
        ("never had any |reaction", True),
        ("no longer the same |reaction", False),
    ],
)
def test_articles_do_not_part_a_denial_from_what_it_denies(text: str, *, expected: bool) -> None:
    before, after = text.split("|")
    assert is_denied(before + after, len(before)) is expected


@pytest.mark.parametrize(
    ("text", "is_denied"),
    [
        ("Do not stop", True),
        ("It isn\u2019t given", True),
        ("Nothing new", False),
        ("notes", False),
    ],
)
def test_a_word_that_denies_is_found(text: str, *, is_denied: bool) -> None:
    assert denies(text) is is_denied


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("oral, not intravenous, doses", "oral,  , doses"),
        ("Tablets instead of the injection today", "Tablets   today"),
        ("Why can't oral doses do?", "Why can't oral doses do?"),
    ],
)
def test_what_is_denied_is_left_out(text: str, kept: str) -> None:
    assert without_denied(text) == kept


def test_units_of_a_dimension_are_all_their_spellings() -> None:
    volume = units_of("volume")
    assert "millilitres" in volume
    assert "week" not in volume
    assert volume.index("millilitres") < volume.index("ml")  # the longest first
