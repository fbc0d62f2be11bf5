"""The table of clinical wordings: its plain words say the same and nothing more."""

from __future__ import annotations

import re

import pytest

from clinrag_core.answer.plain.guard import _facts  # pyright: ignore[reportPrivateUsage]
from clinrag_core.lexicon.clinical_terms import clinical_terms

LEAST_TERMS = 300
"""Clinical terms that issue 13 asks for."""


def forms(term: str) -> set[str]:
    """The wording with and without what is optional."""
    return {re.sub(r"\((.*?)\)", r"\1", term), re.sub(r"\(.*?\)", "", term)}


WORDINGS = sorted({form for term in clinical_terms().pairs for form in forms(term)})


def in_plain_words(text: str) -> str:
    written, at = "", 0
    for use in clinical_terms().uses(text):
        written, at = written + text[at : use.start] + use.plain, use.end
    return written + text[at:]


def test_there_are_at_least_three_hundred_terms_and_each_is_replaced():
    assert len(clinical_terms().pairs) >= LEAST_TERMS
    assert [w for w in WORDINGS if in_plain_words(f"{w} x") == f"{w} x"] == []


def test_plain_words_state_the_facts_of_the_wording(drugs):
    """A row that adds or loses a figure, risk, population, route or denial changes answers."""
    pairs = ((wording, in_plain_words(wording)) for wording in WORDINGS)
    assert [pair for pair in pairs if _facts(pair[0], drugs) != _facts(pair[1], drugs)] == []


def test_no_plain_words_need_plain_words():
    again = {
        plain: in_plain_words(plain)
        for term, plain in clinical_terms().pairs.items()
        if "{}" not in plain and "(" not in plain and in_plain_words(plain) != plain
    }
    assert again == {}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Adverse reactions occur.", "side effects occur."),
        ("An INR", "An blood clotting test (INR)"),
        ("the inr of it", "the inr of it"),
        ("smear-positive", "smear-positive (germs seen under the microscope)"),
        ("fixed-dose combination (FDC)", "tablet with several medicines (FDC)"),
        ("a nonrenal cause", "a nonrenal cause"),
        ("co-administered with food", "given with food"),
        ("haemorrhage", "bleeding"),
    ],
)
def test_wordings_are_found_as_whole_words(text: str, plain: str):
    assert in_plain_words(text) == plain
