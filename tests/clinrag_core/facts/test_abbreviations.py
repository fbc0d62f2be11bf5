"""Abbreviations in a question, spelt out for search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.facts.abbreviations import abbreviations, spell_out, with_whole_words
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon()


@pytest.mark.parametrize(
    ("question", "spelt"),
    [
        ("INH dose?", "isoniazid dose?"),
        ("RIF + PZA for 2 months", "rifampin + pyrazinamide for 2 months"),
        ("TST of 10 mm", "tuberculin skin test (TST) of 10 mm"),
        ("GXP positive", "GeneXpert (GXP) positive"),
        ("Is isoniazid safe?", "Is isoniazid safe?"),
        ("rif and pza", "rif and pza"),
        ("MDR-TB", "MDR-TB"),
        ("DOTS", "DOTS"),
        ("", ""),
    ],
)
def test_only_whole_words_in_capitals_are_spelt_out(question: str, spelt: str):
    assert spell_out(question, DRUGS) == spelt


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Lu"])))
def test_a_text_without_capitals_stays_as_it_is(text: str):
    assert all(any(c.isupper() for c in short) or " " in short for short in abbreviations())
    if not any(short in text for short in abbreviations()):
        assert spell_out(text, DRUGS) == text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("boxed warning of the fluoroquinolones", True),
        ("a rifamycin with antiretrovirals", True),
        ("which antihistamine is least sedating", False),
        ("vitamin supplements", False),
    ],
)
def test_classes_of_the_field_are_known(text: str, named: bool):
    assert DRUGS.names_class(text) == named


def test_clipped_words_are_read_whole_unless_in_capitals() -> None:
    text = "Strep throat on chemo, cant swallow: SPEC?"
    assert with_whole_words(text) == "streptococcal throat on chemotherapy, can't swallow: SPEC?"


def test_capitals_with_figures_are_no_other_abbreviation():
    assert with_whole_words("RHZ + E100, SPEC") == "RHZ + ethambutol 100 mg, SPEC"


def test_w_is_with_but_weeks_after_a_number():
    assert with_whole_words("dose w rifampin for 8 w in liver dz") == (
        "dose with rifampin for 8 w in liver disease"
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("which drugs shouldnt i count", "which drugs shouldn't i count"),
        ("zolumycin maint dose", "zolumycin maintenance dose"),
        ("dengue, plt 32", "dengue, platelets 32"),
        ("zolumycin after the lytic", "zolumycin after the thrombolytic agent"),
        ("is Meridia a slimming pill", "is sibutramine a weight loss drug"),
        ("zolumycin with tums", "zolumycin with calcium antacids"),
        ("TAC in the blood", "TAC in the blood"),
    ],
)
def test_what_people_type_is_read_as_what_it_means(text: str, whole: str):
    assert with_whole_words(text) == whole


def test_cap_in_capitals_is_the_disease_and_else_the_ceiling():
    assert with_whole_words("Is it the CAP dose?") == "Is it the community-acquired pneumonia dose?"
    assert with_whole_words("What is the cap dose?") == "What is the maximum dose?"
