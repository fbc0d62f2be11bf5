"""What a statement announces is shown with it. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.complete.announced import with_announced
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)
RATES = statement("The following rates can be used.")
ADULTS = statement("Adults: 5 mL an hour.", statement_kind="item")
CHILDREN = statement("Children: 2 mL an hour.", statement_kind="item")
AFTER = statement("Look at the line every hour.")
LISTED = f"{ADULTS.said} {CHILDREN.said}"


def shown(section: list[IndexedStatement], *fitting: IndexedStatement) -> list[str]:
    ranked = [RankedStatement(one, "guideline", 5.0 - n, 0.5) for n, one in enumerate(fitting)]
    return [one.statement.said for one in with_announced(ranked, sources_of(section, DRUGS))]


@pytest.mark.parametrize(
    "said",
    [
        RATES.said,
        "The following slow rates should be kept.",
        "Run zolumycin as follows.",
        "Run zolumycin with the following starting rates.",
        "Run zolumycin using the following hourly rates.",
    ],
)
def test_what_announces_a_list_is_shown_with_it(said: str) -> None:
    announces = statement(said)
    section = [announces, ADULTS, CHILDREN, AFTER]
    assert shown(section, announces) == [f"{said} {LISTED}"]


def test_an_item_that_is_shown_with_what_announces_it_is_not_shown_again() -> None:
    section = [RATES, ADULTS, CHILDREN, AFTER]
    assert shown(section, RATES, CHILDREN, AFTER) == [f"{RATES.said} {LISTED}", AFTER.said]
    assert shown(section, ADULTS, RATES) == [f"{RATES.said} {LISTED}"]
    assert shown(section, ADULTS) == [ADULTS.said]


def test_items_that_do_not_come_right_after_it_are_not_announced() -> None:
    assert shown([RATES, AFTER, ADULTS], RATES) == [RATES.said]
    assert shown([ADULTS, RATES], RATES) == [RATES.said]


@pytest.mark.parametrize(
    "said", ["Rates vary.", "The following is known: rates vary.", "Use the following: 5 mL."]
)
def test_what_announces_nothing_is_left_as_it_is(said: str) -> None:
    one = statement(said)
    assert shown([one, ADULTS], one) == [said]


def test_no_more_items_are_shown_than_may_be_read_at_once() -> None:
    long = [
        statement(f"{' '.join([word] * 50)}.", statement_kind="item")
        for word in ("slow", "faster", "fast")
    ]
    assert shown([RATES, *long], RATES) == [f"{RATES.said} {long[0].said} {long[1].said}"]


FOLLOWING = statement("Give the following single daily dose of zolumycin before a meal.")
DOSE = statement("Below 44 kg 4 tablets, above it 5 tablets.")


def test_doses_come_with_the_sentence_that_announces_them() -> None:
    """ "5 tablets" was shown without "a single daily dose, an hour before a meal"."""
    both = f"{FOLLOWING.said} {DOSE.said}"
    assert shown([FOLLOWING, DOSE, AFTER], DOSE) == [both]
    assert shown([FOLLOWING, DOSE, AFTER], DOSE, FOLLOWING) == [both]
    assert shown([FOLLOWING, AFTER, DOSE], DOSE) == [DOSE.said]
    assert shown([FOLLOWING, AFTER], AFTER) == [AFTER.said]
    assert shown([RATES, DOSE], DOSE) == [DOSE.said]
