"""The LOINC table: complete, consistent, and right where public code is commonly wrong."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from clinrag_core.lexicon.loader import load_table
from clinrag_core.lexicon.sections import (
    SectionTable,
    document_type,
    is_meaningful,
    openfda_section,
    plain_name,
    section_group,
    section_info,
)

INFOS = load_table("sections", SectionTable).section
OTC = [
    "50565-1", "50566-9", "50567-7", "50568-5", "50569-3", "50570-1", "51727-6", "53413-1",
    "53414-9", "55105-1", "55106-9",
]  # fmt: skip
KNOWN = [
    "34066-1", "34067-9", "34068-7", "34069-5", "34070-3", "34071-1", "34072-9", "34073-7",
    "34074-5", "34075-2", "34076-0", "34077-8", "34079-4", "34080-2", "34081-0", "34082-8",
    "34083-6", "34084-4", "34085-1", "34086-9", "34087-7", "34088-5", "34089-3", "34090-1",
    "34091-9", "34092-7", "34093-5", "42227-9", "42228-7", "42229-5", "42230-3", "42231-1",
    "42232-9", "43678-2", "43679-0", "43680-8", "43681-6", "43682-4", "43683-2", "43684-0",
    "43685-7", "44425-7", "48780-1", "49489-8", "51945-4", "59845-8", "68498-5", "69759-9",
    "71744-7", "77290-5", "77291-3", "88828-9", "88829-7", "88830-5", "90374-0", "90375-7", *OTC,
]  # fmt: skip


@pytest.mark.parametrize("code", KNOWN)
def test_code_is_known(code):
    assert section_info(code).name


@pytest.mark.parametrize(
    ("code", "group"),
    [
        ("34066-1", "boxed_warning"),
        ("42232-9", "warnings"),  # PRECAUTIONS, mapped to the boxed warning elsewhere
        ("42229-5", "other"),  # unclassified, mapped to mechanism of action elsewhere
        ("34090-1", "clinical_pharmacology"),  # mapped to contraindications elsewhere
        ("34084-4", "adverse_reactions"),  # mapped to contraindications elsewhere
        ("34070-3", "contraindications"),
        ("34071-1", "warnings"),
        ("43685-7", "warnings"),
        ("50741-8", "warnings"),  # safe handling, mapped to the boxed warning elsewhere
        ("43679-0", "clinical_pharmacology"),
        ("34081-0", "specific_populations"),
        ("34082-8", "specific_populations"),  # geriatric use, mapped to abuse elsewhere
        ("34074-5", "interactions"),  # laboratory test interactions, not geriatric use
        ("34092-7", "clinical_studies"),
        ("34083-6", "nonclinical_toxicology"),
        ("34067-9", "indications"),
        ("34068-7", "dosage"),
        ("34088-5", "overdosage"),
        ("34069-5", "how_supplied"),
        ("51945-4", "package_label"),
        ("48780-1", "product_data"),
    ],
)
def test_group(code, group):
    assert section_group(code) == group


def test_warnings_and_warnings_and_precautions_are_two_sections():
    assert section_info("34071-1").name == "WARNINGS SECTION"
    assert section_info("43685-7").name == "WARNINGS AND PRECAUTIONS SECTION"


def test_only_one_code_is_a_boxed_warning():
    assert [i.code for i in INFOS if i.group == "boxed_warning"] == ["34066-1"]


def test_patient_labelling():
    patient = {info.code for info in INFOS if info.audience == "patient"}
    assert patient == {"42231-1", "42230-3", "59845-8", "68498-5"}


def test_unknown_codes():
    assert section_info("00000-0") is None
    assert section_info(None) is None
    assert section_group("00000-0") == "other"


@pytest.mark.parametrize(
    ("code", "says"), [("34066-1", True), ("42229-5", False), (None, False), ("", False)]
)
def test_meaningful(code, says):
    assert is_meaningful(code) is says


@pytest.mark.parametrize("key", ["warnings_and_cautions", "warnings_and_precautions"])
def test_both_openfda_spellings_of_warnings_and_precautions(key):
    assert openfda_section(key).code == "43685-7"


def test_openfda_keys_are_unique():
    keys = [key for info in INFOS for key in info.openfda]
    assert len(keys) == len(set(keys))


def test_order_follows_a_printed_label():
    codes = ["34066-1", "34067-9", "34068-7", "34070-3", "43685-7", "34084-4", "34073-7", "42231-1"]
    orders = [section_info(code).order for code in codes]
    assert orders == sorted(orders)


@pytest.mark.parametrize(
    ("official", "plain"),
    [
        ("BOXED WARNING SECTION", "Boxed warning"),
        ("OTC - STOP USE SECTION", "Stop use"),
        ("DOSAGE & ADMINISTRATION SECTION", "Dosage and administration"),
        ("SPL MEDGUIDE SECTION", "Medguide"),
        ("PACKAGE LABEL.PRINCIPAL DISPLAY PANEL", "Package label: principal display panel"),
    ],
)
def test_plain_name(official, plain):
    assert plain_name(official) == plain


def test_document_types():
    assert document_type("34391-3").accept
    assert document_type("34390-5").otc
    assert document_type("60685-5").refusal == "drug_class_index"
    assert document_type("99999-9") is None


def test_every_code_of_the_real_labels_is_known(reference_corpus):
    facts = json.loads((reference_corpus / "labels" / "spl_facts.json").read_text())
    codes = {code for fact in facts for code in fact["loinc"]} - {"None"}
    assert {code for code in codes if section_info(code) is None} == set()


def test_only_these_codes_take_the_group_of_the_section_around_them():
    """Every other code has a group of its own, so that a filter by group misses none."""
    other = {info.code for info in INFOS if info.group == "other"}
    assert other == {"42229-5", "53413-1", "69718-5", "69719-3", "69759-9", "71744-7"}


def test_names_are_the_official_ones_of_the_real_labels(reference_corpus):
    """Each code's name is among the display names that labels give it."""
    printed: dict[str, set[str]] = {}
    for path in sorted((reference_corpus / "labels" / "spl").glob("*.xml")):
        for section in etree.parse(path).iter("{urn:hl7-org:v3}section"):
            code = section.find("{urn:hl7-org:v3}code")
            if code is not None and code.get("displayName"):
                name = code.get("displayName").upper().replace("&", "AND")
                printed.setdefault(code.get("code"), set()).add(" ".join(name.split()))
    assert len(printed) > 60
    for code, names in printed.items():
        official = section_info(code).name.upper().replace("&", "AND")
        assert official in names, (code, official, names)
