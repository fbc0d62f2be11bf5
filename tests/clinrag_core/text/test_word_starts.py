"""A search at the words that may begin a match finds what a search of the whole text finds."""

from __future__ import annotations

import re

import pytest

from clinrag_core.text.word_starts import says, word_starts

TEXTS = (
    "pre-XDR-TB, and a skin test of 5 mm",
    "a haemodialysis patient; no cap",
    "p. vivax in the i.v. line",
    "non-tuberculous disease, tuberculosis",
    "in_hibitors are inhibitors",
    "after 2 weeks of treatment",
    "with food",
    "5mg/kg",
    "",
)


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        (r"\b(?:m|x|pre-?x)dr(?:[-/ ]?tb)?\b", {"mdr", "xdr", "pre", "prex"}),
        (r"(?<!non-)(?<!non )\btubercul(?:osis|ous)\b", {"tube"}),
        (r"\bs?cap\b(?! (?:on|the)\b)", {"scap", "cap"}),
        (r"\bp(?:lasmodium|\.) vivax\b", {"plas", "p"}),
        (r"\bi\.?v\.?", {"i", "iv"}),
        (r"\b(?:ha?emo-?)?dialysis\b", {"haem", "hemo", "dial"}),
        (r"\b[rh]r-?tb\b", {"rr", "hr", "rrtb", "hrtb"}),
        (r"\bin\s*hibitors?\b", {"in"}),
    ],
)
def test_it_knows_the_letters_that_matches_begin_with(pattern: str, letters: set[str]) -> None:
    found = word_starts(re.compile(pattern))
    assert found.letters == letters
    assert found.others is None


@pytest.mark.parametrize(
    "pattern",
    [r"mg/kg", r"\b\w+osis\b", r"^\W*with\b", r"\b(?:tb )+x", r"\bx*y", r"\b(?!in)\w+", r"(?:a|)b"],
)
def test_what_may_begin_anywhere_is_searched_everywhere(pattern: str) -> None:
    found = word_starts(re.compile(pattern))
    assert found.others is not None
    assert found.others.pattern


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(?:m|x|pre-?x)dr(?:[-/ ]?tb)?\b",
        r"(?<!non-)\btubercul(?:osis|ous)\b",
        r"\bs?cap\b",
        r"\bp(?:lasmodium|\.) vivax\b|\bi\.?v\.?",
        r"\b(?:ha?emo-?)?dialysis\b",
        r"\bhibitors\b",
        r"^\W*with\b",
        r"mg/kg|\bweeks? of\b",
        r"\btb\b|\ba\b",
    ],
)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_it_finds_what_a_search_finds(pattern: str, text: str) -> None:
    folded = text.lower()
    expression = re.compile(pattern)
    assert says(folded, expression) is (expression.search(folded) is not None)
