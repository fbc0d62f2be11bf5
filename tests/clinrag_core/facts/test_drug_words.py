"""Words that stand for a drug: beginnings of its name, its class, treatments with it."""

from __future__ import annotations

import pytest

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.reader import read_facts

DRUGS = DrugLexicon({"zolumycin": ("zolumycin",), "zolumetrol": ("zolumetrol",)})


@pytest.mark.parametrize(
    ("typed", "drug"), [("zolumy", "zolumycin"), ("zolum", None), ("zolu", None), ("metal", None)]
)
def test_the_beginning_of_one_name_stands_for_it(typed: str, drug: str | None):
    text, corrections = DRUGS.correct(f"dose of {typed}")
    assert text == f"dose of {drug or typed}"
    assert [one.meant for one in corrections] == ([drug] if drug else [])


def test_classes_and_treatments_are_words_for_a_drug():
    assert {"rifamycin", "rifampicin"} <= DRUGS.words_for({"rifampin"})
    assert "IPT" in DRUGS.words_for({"isoniazid"})
    assert "IPT" not in DRUGS.words_for({"rifampin"})
    assert {"ace inhibitor", "aceis"} <= DRUGS.words_for({"lisinopril"})
    assert "antifungal" not in DRUGS.words_for({"fluconazole"})  # too wide to say much


@pytest.mark.parametrize(
    ("typed", "drug"),
    [("trizefill", "tryzephil"), ("trisephil", "tryzephil"), ("trosemil", None)],
)
def test_a_name_is_known_by_its_sound(typed: str, drug: str | None):
    drugs = DrugLexicon({"tryzephil": ("tryzephil",), "zolumycin": ("zolumycin",)})
    _, corrections = drugs.correct(f"dose of {typed}")
    assert [one.meant for one in corrections] == ([drug] if drug else [])


def test_two_names_of_one_sound_are_left_as_they_are():
    drugs = DrugLexicon({"zefacin": ("zefacin",), "zephacyn": ("zephacyn",)})
    assert drugs.correct("zefasyn")[1] == ()


def test_a_brand_in_several_strengths_is_known_without_them():
    names = ("zolumycin", "Zolubrand 1/35", "Zolubrand 7/7/7")
    drugs = DrugLexicon({"zolumycin": names})
    (mention,) = read_facts("Can she take Zolubrand?", drugs).drugs
    assert mention.ingredients == {"zolumycin"}


@pytest.mark.parametrize(
    ("written", "is_named"),
    [
        ("Zolubrand Childrens Night Cough and Cold", True),
        ("Zolubrand Night Cough & Cold", True),
        ("Zolubrand", False),
    ],
)
def test_a_long_brand_is_named_without_whom_it_is_for(written: str, is_named: bool):
    names = ("zolumycin", "Zolubrand Childrens Night Cough and Cold")
    drugs = DrugLexicon({"zolumycin": names})
    found = [one.ingredients for one in read_facts(f"{written}, dose?", drugs).drugs]
    assert found == ([frozenset({"zolumycin"})] if is_named else [])


def test_the_letters_of_one_name_in_another_order_are_it():
    drugs = DrugLexicon({"tryzephil": ("tryzephil",), "zolumycin": ("zolumycin",)})
    assert [one.meant for one in drugs.correct("dose of tzyrephil")[1]] == ["tryzephil"]
    assert drugs.correct("dose of zyrteplih")[1] == ()


def test_a_clipped_name_is_the_one_of_several_that_the_question_has_in_full():
    drugs = DrugLexicon({"zolumycin": ("zolumycin",), "zolumavir": ("zolumavir",)})
    assert drugs.correct("dose of zolum")[1] == ()
    (found,) = drugs.correct("on zolumycin: dose of zolum")[1]
    assert found.meant == "zolumycin"


def test_the_beginning_of_a_long_brand_names_it_but_no_combination():
    brand = (
        "zolumycin",
        "Zolubrand Island Sport Fresh Spray",
        "Zolumycin acetate and velotrib mix",
    )
    drugs = DrugLexicon({"zolumycin": brand})
    for written, named in (("Zolubrand Island Sport", 1), ("Zolubrand Island", 0)):
        assert len(read_facts(f"{written}, dose?", drugs).drugs) == named
    found = read_facts("Zolumycin acetate and linezolid", drugs).drugs
    assert [one.name for one in found] == ["zolumycin", "linezolid"]
