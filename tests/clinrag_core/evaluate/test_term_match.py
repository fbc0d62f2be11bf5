"""Terms are found as whole words and whole quantities, whatever way a claim prints them."""

import pytest

from clinrag_core.evaluate.term_match import holds_all, holds_any, matchable


@pytest.mark.parametrize(
    ("claim", "term"),
    [
        ("Give 5 mg daily", "5 mg"),
        ("Give 5mg daily", "5 mg"),
        ("Give 5 mg daily", "5mg"),
        ("Give 5\n  milligrams", "5 mg"),
        ("Up to 1,200 mg", "1200 mg"),
        ("600 mg/day in one dose", "600 mg"),
        ("600 mg per day", "600 mg"),
        ("10 mg/kg/day", "10 mg/kg"),
        ("10 mg per kg daily", "10 mg/kg"),
        ("10–15 mg/kg", "10 to 15 mg/kg"),
        ("10 to 15 mg/kg", "10-15 mg/kg"),
        ("for six months", "6 months"),
        ("a 6-month course", "six months|half a year"),
        ("Once-weekly doses", "once weekly"),
        ("ONCE WEEKLY", "once weekly"),
        ("avoid in allergies", "allergy"),
        ("a rash", "rashes"),
        ("rashes", "rash"),
        ("Children: 20 mg/kg", "child"),
        ("a child of 20 kg", "children"),
        ("pregnant women", "pregnant woman"),
        ("monthly visits", "visit"),
        ("in 25 % of adults", "25%"),
        ("weight ≥ 35 kg", "35 kg"),
        ("resistance", "resist*|other"),
        ("tablets of 300 mg/150 mg", "300 mg"),
    ],
    ids=str,
)
def test_a_term_is_found(claim: str, term: str):
    assert holds_all(matchable(claim), [term])


@pytest.mark.parametrize(
    ("claim", "term"),
    [
        ("Give 15 mg", "5 mg"),
        ("Give 2.5 mg", "5 mg"),
        ("Give 0,5 mg", "5 mg"),
        ("Give 50 mg", "5 mg"),
        ("Give 5 mg/kg", "5 mg"),
        ("Give 5 mg per kg per day", "5 mg"),
        ("A solution of 5 mg/mL", "5 mg"),
        ("Give 5 mcg", "5 mg"),
        ("version 2.10", "2"),
        ("notable effects", "table"),
        ("diagnosis", "diagnosi"),
        ("children", "childre"),
        ("omens", "man"),
        ("rifapentine", "rifa"),
        ("unresisted", "resist*"),
        ("for six months", "16 months"),
    ],
    ids=str,
)
def test_a_part_of_a_word_or_of_a_number_is_not_the_term(claim: str, term: str):
    assert not holds_all(matchable(claim), [term])


def test_every_term_and_one_alternative_of_each_must_occur():
    claim = matchable("Zantriva 900 mg once a week")
    assert holds_all(claim, ["900 mg|900mg", "weekly|once a week"])
    assert not holds_all(claim, ["900 mg", "daily"])
    assert holds_any(claim, ["daily", "once a week"])
    assert not holds_any(claim, ())
