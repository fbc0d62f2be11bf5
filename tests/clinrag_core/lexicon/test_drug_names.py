"""Drug names: one form for all spellings, and no drug lost to salt stripping."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.lexicon.drug_names import (
    ingredient,
    label_names,
    label_title,
    name_variants,
    normalise_drug_name,
    split_combination,
    strip_biologic_suffix,
    strip_salt,
)
from clinrag_core.model.label import ActiveIngredient, Product


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("ELIQUIS®", "eliquis"),
        ("  Isoniazid\u00a0Tablets, USP ", "isoniazid tablets"),
        ("MEN'S  Rogaine™", "men's rogaine"),
        ("interferon beta\u20111a", "interferon beta-1a"),
        ("Bactrim(R)", "bactrim"),
    ],
)
def test_normalise(name, normal):
    assert normalise_drug_name(name) == normal


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("CIPROFLOXACIN HYDROCHLORIDE", "ciprofloxacin"),
        ("atorvastatin calcium trihydrate", "atorvastatin"),
        ("streptomycin sulfate", "streptomycin"),
        ("bedaquiline fumarate", "bedaquiline"),
        ("ceftaroline fosamil", "ceftaroline"),
        ("cefuroxime axetil", "cefuroxime"),
        ("penicillin G benzathine", "penicillin g"),
        ("gentamicin sulfate in sodium chloride", "gentamicin"),
        ("levofloxacin in 5% dextrose", "levofloxacin"),
        ("rifampin", "rifampin"),
        # A form of dosing its own, or no drug without its last word.
        ("tenofovir alafenamide", "tenofovir alafenamide"),
        ("dimethyl fumarate", "dimethyl fumarate"),
        ("monomethyl fumarate", "monomethyl fumarate"),
        ("sodium bicarbonate", "sodium bicarbonate"),
        ("potassium chloride", "potassium chloride"),
        ("lithium carbonate", "lithium carbonate"),
        ("zinc", "zinc"),
        ("silver sulfadiazine", "silver sulfadiazine"),
        ("aminosalicylic acid", "aminosalicylic acid"),
    ],
)
def test_strip_salt(name, base):
    assert strip_salt(name) == base


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("rifampin", "rifampicin"),
        ("Rifampicin", "rifampin"),
        ("acetaminophen", "paracetamol"),
        ("albuterol sulfate", "salbutamol"),
        ("sulfamethoxazole and trimethoprim", "co-trimoxazole"),
        ("isoniazid", "inh"),
        ("pyrazinamide", "pza"),
        ("aminosalicylate sodium", "para-aminosalicylic acid"),
        ("piperacillin sodium and tazobactam sodium", "piperacillin-tazobactam"),
        ("Gentamicin Sulfate in Sodium Chloride", "gentamicin"),
        ("natalizumab-sztn", "natalizumab"),
        ("Zemdri (plazomicin)", "zemdri"),
        ("hydrocodone bitartrate and acetaminophen", "hydrocodone and acetaminophen"),
        ("rifampin, isoniazid, and pyrazinamide", "rifampin, isoniazid and pyrazinamide"),
    ],
)
def test_variants(name, other):
    assert other in name_variants(name)
    assert normalise_drug_name(name) in name_variants(name)


def test_a_list_of_drugs_loses_no_salt_at_its_end_only():
    """'diphenhydramine hcl, phenylephrine' would name a combination that does not exist."""
    name = "diphenhydramine hcl, phenylephrine hcl"
    assert name_variants(name) == (name,)


def test_variants_are_of_the_same_drug_only():
    assert "rifapentine" not in name_variants("rifampin")
    assert "rifabutin" not in name_variants("rifampin")
    assert name_variants("prednisone") == ("prednisone",)


@pytest.mark.parametrize("name", ["adalimumab", "interferon beta-1a", "co-trimoxazole"])
def test_biologic_suffix_is_cut_from_biologics_only(name):
    assert strip_biologic_suffix(name) == name


@pytest.mark.parametrize("name", ["Rifampicin", "RIFAMPIN", "rifampin sodium"])
def test_one_name_per_ingredient(name):
    assert ingredient(name) == "rifampin"


def test_split_combination():
    parts = ("rifampin", "isoniazid", "pyrazinamide")
    assert split_combination("Rifampin, Isoniazid, and Pyrazinamide") == parts
    assert split_combination("rifampin/isoniazid/pyrazinamide") == parts
    assert split_combination("bedaquiline") == ("bedaquiline",)


def test_names_without_coded_substances_come_from_the_generic_name():
    product = Product(name="Cabenuva", generic_names=("CABOTEGRAVIR AND RILPIVIRINE",))
    assert {"cabotegravir", "rilpivirine", "cabenuva"} <= set(label_names([product]))


def test_brand_names_are_not_split():
    product = Product(name="Cold and Flu", actives=(ActiveIngredient(substance="TESTAZID"),))
    assert label_names([product]) == ("cold and flu", "testazid")


@pytest.mark.parametrize(
    ("brands", "generic", "title"),
    [
        (["ELIQUIS", "Eliquis"], "apixaban", "ELIQUIS (apixaban)"),
        (["Modafinil"], "MODAFINIL", "Modafinil"),
        (["Zemdri (plazomicin)"], "PLAZOMICIN", "Zemdri (plazomicin)"),
        ([], "Isoniazid", "isoniazid"),
    ],
)
def test_title(brands, generic, title):
    products = [Product(name=name, generic_names=(generic,)) for name in brands or [None]]
    assert label_title(products) == title
    assert label_title([]) == ""


@given(st.text(max_size=40))
def test_names_are_stable(name):
    once = normalise_drug_name(name)
    assert strip_salt(strip_salt(name)) == strip_salt(name)
    assert list(name_variants(once)) == sorted(set(name_variants(once)))
    assert all(variant == variant.lower() for variant in name_variants(name))
