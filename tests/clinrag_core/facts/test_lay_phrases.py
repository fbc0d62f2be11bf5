"""Births, the pill, minerals and steps of a dose in clinical words. Invented sentences."""

from __future__ import annotations

import pytest

from clinrag_core.facts.lay_words import in_clinical_words


@pytest.mark.parametrize(
    "asked",
    [
        "She delivered 6 weeks ago, zolumycin?",
        "Woman who gave birth just 3 weeks ago: zolumycin?",
        "28F had a baby two months ago, zolumycin?",
        "Delivered 6 weeks ago and breastfeeding, zolumycin?",
        "6 weeks after the birth, zolumycin?",
        "Zolumycin 2 weeks postnatal?",
        "Zolumycin, 3 weeks pp?",
    ],
)
def test_some_weeks_after_a_birth_are_postpartum(asked: str) -> None:
    assert "postpartum" in in_clinical_words(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "the parcel was delivered 6 weeks ago",
        "zolumycin was delivered 6 weeks ago",
        "3 wks postnatal infant",
        "zolumycin 6 weeks ago",
    ],
)
def test_what_else_was_delivered_is_no_birth(asked: str) -> None:
    assert in_clinical_words(asked) == asked


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        (
            "Can she keep the pill on zolumycin?",
            "Can she keep the oral contraceptive pill on zolumycin?",
        ),
        ("trust the pill with zolumycin?", "trust the oral contraceptive pill with zolumycin?"),
        ("swallow the pill whole?", "swallow the pill whole?"),
        ("keep the pill box?", "keep the pill box?"),
        ("RHZE and contraception?", "rifampicin and contraception?"),
        ("2RHZE/4RH with birth control?", "rifampicin with birth control?"),
        ("RHZE dose?", "RHZE dose?"),
        ("norgestrel/EE with zolumycin?", "norgestrel/ethinyl estradiol with zolumycin?"),
    ],
)
def test_the_pill_is_a_contraceptive_and_a_regimen_its_rifamycin(asked: str, read: str) -> None:
    assert in_clinical_words(asked) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("preg test neg, zolumycin?", "not pregnant (tested), zolumycin?"),
        ("pregnancy test was negative. Start?", "not pregnant (tested). Start?"),
        ("hCG today negative, zolumycin?", "not pregnant (tested), zolumycin?"),
        ("negative urine pregnancy test", "not pregnant (tested)"),
        ("pregnancy test positive", "pregnancy test positive"),
    ],
)
def test_a_negative_pregnancy_test_is_no_pregnancy(asked: str, read: str) -> None:
    assert in_clinical_words(asked) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("zolumycin with ferrous sulfate?", "zolumycin with iron supplements?"),
        ("zolumycin and ferrous fumarate tabs?", "zolumycin and iron supplements?"),
        ("is she on ferrous?", "is she on iron supplements?"),
        ("ferrous metals", "ferrous metals"),
    ],
)
def test_ferrous_salts_are_iron(asked: str, read: str) -> None:
    assert in_clinical_words(asked) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("5 mg for a week, up to 20 now?", "5 mg for a week, increase the dose to 20 now?"),
        ("10 mg, go up to 20 mg today?", "10 mg, increase the dose to 20 mg today?"),
        ("zolumycin: step up to 20?", "zolumycin: increase the dose to 20?"),
        ("up to 20 mg daily?", "up to 20 mg daily?"),
        ("up to 20 days of it", "up to 20 days of it"),
    ],
)
def test_up_to_an_amount_now_increases_the_dose(asked: str, read: str) -> None:
    assert in_clinical_words(asked) == read
