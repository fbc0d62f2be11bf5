"""A rule that is not routine is shown with those it leaves out. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.complete.exceptions import with_exceptions
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)
LEAD_IN = "Blood tests are recommended for patients with:"
RULE = statement("Blood tests are not routinely needed on zolumycin.")
WHOLE = f"{RULE.said} {LEAD_IN} gout; heavy drinking"


def item(own: str, lead_in: str = LEAD_IN) -> IndexedStatement:
    made = statement(f"{lead_in} {own}", statement_kind="item")
    return made.model_copy(update={"text": f"• {own}"})


GOUT, DRINKING = item("gout"), item("heavy drinking")


def shown(section: list[IndexedStatement], *fitting: IndexedStatement) -> list[str]:
    ranked = [RankedStatement(one, "guideline", 5.0 - n, 0.5) for n, one in enumerate(fitting)]
    return [one.statement.said for one in with_exceptions(ranked, sources_of(section, DRUGS))]


def test_a_rule_that_is_not_routine_is_joined_with_those_it_leaves_out() -> None:
    assert shown([RULE, GOUT, DRINKING], RULE) == [WHOLE]
    assert shown([RULE, statement("They take a minute."), GOUT, DRINKING], RULE) == [WHOLE]


@pytest.mark.parametrize(
    "rule",
    [
        "Blood tests should not be routinely performed.",
        "Blood tests are not usually required.",
        "Tests are not always recommended at the start.",
        "Blood is generally seen, but tests are not routinely done.",
    ],
)
def test_a_rule_is_worded_in_many_ways(rule: str) -> None:
    said = statement(rule)
    assert shown([said, GOUT, DRINKING], said) == [f"{rule} {LEAD_IN} gout; heavy drinking"]


def test_a_list_on_another_matter_is_not_joined() -> None:
    stops = item("gout", "Zolumycin should be stopped in patients with:")
    assert shown([RULE, stops], RULE) == [RULE.said]


def test_a_joined_rule_cites_the_items_as_well() -> None:
    ranked = [RankedStatement(RULE, "guideline", 5.0, 0.5)]
    (one,) = with_exceptions(ranked, sources_of([RULE, GOUT, DRINKING], DRUGS))
    quotes = [quote for said in (RULE, GOUT, DRINKING) for quote in said.quotes]
    assert one.statement.quotes == tuple(dict.fromkeys(quotes))
    assert one.score == 5.0


def test_items_that_a_rule_is_shown_with_are_not_shown_again() -> None:
    after = statement("They take a minute.")
    section = [RULE, GOUT, DRINKING, after]
    assert shown(section, RULE, DRINKING, after) == [WHOLE, after.said]
    assert shown(section, GOUT, RULE) == [WHOLE]
    assert shown(section, GOUT) == [GOUT.said]


def test_a_list_is_joined_with_the_first_of_two_rules() -> None:
    other = statement("Scans are not usually needed.")
    assert shown([RULE, other, GOUT, DRINKING], RULE, other) == [WHOLE, other.said]


@pytest.mark.parametrize(
    ("rule", "lead_in"),
    [
        ("Blood tests are needed on zolumycin.", LEAD_IN),
        ("Blood tests are not needed on zolumycin.", LEAD_IN),
        (RULE.said, "Take it with:"),
        (RULE.said, "Blood tests are done with:"),
    ],
    ids=["rule-that-holds", "rule-for-everybody", "list-of-something-else", "list-of-nobody"],
)
def test_other_rules_and_lists_are_left_as_they_are(rule: str, lead_in: str) -> None:
    said = statement(rule)
    assert shown([said, item("gout", lead_in), item("rash", lead_in)], said) == [rule]


def test_a_row_is_no_rule() -> None:
    row = statement(RULE.said, statement_kind="row")
    assert shown([row, GOUT, DRINKING], row) == [row.said]


def test_a_list_before_a_rule_far_from_it_or_in_another_section_is_not_of_it() -> None:
    between = [statement(f"Line {n} of the page.") for n in range(13)]
    other = [one.model_copy(update={"section_ordinal": 1}) for one in (GOUT, DRINKING)]
    for section in ([GOUT, DRINKING, RULE], [RULE, *between, GOUT, DRINKING], [RULE, *other]):
        assert shown(section, RULE) == [RULE.said]


def test_of_a_list_too_long_to_be_shown_the_first_item_is() -> None:
    long = [item(" ".join([word] * 60)) for word in ("gout", "rash")]
    assert shown([RULE, *long], RULE) == [f"{RULE.said} {long[0].said}"]
