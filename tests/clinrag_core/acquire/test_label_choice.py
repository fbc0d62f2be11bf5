"""Which label of a drug is chosen."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.acquire.label_choice import SplSummary, choose_label
from clinrag_core.acquire.label_query import LabelQuery
from clinrag_core.acquire.label_title import names_drug, parse_title
from clinrag_core.errors import AcquireError, AmbiguousLabelError


def label(n, title, version=1, published="2024-01-01", original=None):
    return SplSummary(
        set_id=f"00000000-0000-0000-0000-{n:012d}",
        version=version,
        title=title,
        published=dt.date.fromisoformat(published) if published else None,
        original=original,
    )


def choose(drug, candidates, **query):
    return choose_label(drug, LabelQuery(**({"drug_name": drug} | query)), candidates)


@pytest.mark.parametrize(
    ("drug", "title"),
    [
        ("bedaquiline", "SIRTURO (BEDAQUILINE FUMARATE) TABLET [JANSSEN PRODUCTS LP]"),
        ("isoniazid", "ISONIAZID TABLET [X INC]"),
        ("isoniazid", "ISONIAZID TABLET"),
        (
            "rifampin, isoniazid and pyrazinamide",
            "RIFATER (RIFAMPIN, ISONIAZID, AND PYRAZINAMIDE) TABLET, SUGAR COATED [SANOFI]",
        ),
        (
            "apixaban",
            "ELIQUIS (APIXABAN) TABLET, FILM COATED ELIQUIS 30-DAY STARTER PACK "
            "(APIXABAN) KIT [E.R. SQUIBB & SONS, L.L.C.]",
        ),
        ("sulfamethoxazole and trimethoprim", "SULFAMETHOXAZOLE-TRIMETHOPRIM TABLET [X]"),
        ("ciprofloxacin hydrochloride", "CIPROFLOXACIN TABLET, FILM COATED [X]"),
        ("ciprofloxacin", "CIPROFLOXACIN HYDROCHLORIDE TABLET [X]"),
        ("nirmatrelvir and ritonavir", "PAXLOVID (NIRMATRELVIR AND RITONAVIR) KIT [PFIZER]"),
        (
            "doxycycline",
            "VIBRAMYCIN (DOXYCYCLINE HYCLATE) CAPSULE VIBRAMYCIN (DOXYCYCLINE "
            "CALCIUM) SUSPENSION VIBRAMYCIN (DOXYCYCLINE) POWDER, FOR SUSPENSION [PFIZER]",
        ),
        (
            "amoxicillin and clavulanate potassium",
            "AMOXICILLIN AND CLAVULANATE POTASSIUM TABLET, FILM COATED [SANDOZ INC]",
        ),
        (
            "piperacillin and tazobactam",
            "ZOSYN (PIPERACILLIN SODIUM AND TAZOBACTAM SODIUM) INJECTION, POWDER [WYETH]",
        ),
    ],
)
def test_title_names_the_drug(drug, title):
    assert names_drug(parse_title(title), drug)


@pytest.mark.parametrize(
    ("drug", "title"),
    [
        ("natalizumab", "ARZERRA (OFATUMUMAB) INJECTION, SOLUTION [NOVARTIS]"),
        ("rifampin", "RIFAMPIN AND ISONIAZID CAPSULE [X]"),
        ("rifampin and isoniazid", "RIFAMPIN CAPSULE [X]"),
        ("amoxicillin", "AMOXICILLIN AND CLAVULANATE POTASSIUM TABLET [X]"),
        ("sulfamethoxazole", "SULFAMETHOXAZOLE-TRIMETHOPRIM TABLET [X]"),
        ("penicillin G potassium", "BICILLIN L-A (PENICILLIN G BENZATHINE) INJECTION [PFIZER]"),
        ("penicillin G potassium", "PENICILLIN G SODIUM INJECTION [X]"),
        ("erythromycin lactobionate", "ERYTHROMYCIN STEARATE TABLET [X]"),
        ("cefazolin", "CEFAZOLIN IN DEXTROSE INJECTION [B. BRAUN]"),
        ("rifampin", "RIFAPENTINE TABLET [X]"),
        ("isoniazid", "TABLET [ISONIAZID INC]"),
        ("isoniazid", ""),
        ("apixaban", "A (APIXABAN) TABLET B (RIVAROXABAN) TABLET [X]"),
    ],
)
def test_title_names_another_product(drug, title):
    assert not names_drug(parse_title(title), drug)


def test_labeler_with_brackets_in_the_title():
    assert parse_title("X (Y [Z]) TABLET [LAB (US)]").labeler == "LAB (US)"


def test_the_only_matching_label_is_chosen():
    drug = label(3, "OXACILLIN INJECTION [MAKER]")
    other = label(1, "NAFCILLIN INJECTION [MAKER]", published="2025-01-01")
    copy = label(2, "OXACILLIN INJECTION [A-S Medication Solutions]", published="2025-01-01")
    form = label(4, "OXACILLIN CAPSULE [MAKER]")
    assert choose("oxacillin", [other, copy, drug, form], form="injection") == drug


def test_several_matching_labels_are_reported_and_none_is_chosen():
    labels = [label(n, "ISONIAZID TABLET [MAKER]") for n in range(12)]
    with pytest.raises(AmbiguousLabelError, match="12 labels match 'isoniazid'") as caught:
        choose("isoniazid", labels)
    assert labels[0].set_id in str(caught.value)
    assert "and 4 more" in str(caught.value)


def test_newest_is_chosen_only_if_the_query_asks_for_it():
    old = label(1, "ISONIAZID TABLET [A]", version=99, published="2020-01-01")
    new = label(2, "ISONIAZID TABLET [B]", published="2024-05-01")
    newer_version = label(3, "ISONIAZID TABLET [C]", version=2, published="2024-05-01")
    undated = label(4, "ISONIAZID TABLET [D]", published=None)
    labels = [old, new, undated, newer_version]
    for expected in (newer_version, new, old, undated):
        assert choose("isoniazid", labels, choose="newest") == expected
        labels.remove(expected)


def test_a_repackager_is_chosen_if_no_manufacturer_is_listed():
    copy = label(1, "ISONIAZID TABLET [REMEDYREPACK INC.]")
    assert choose("isoniazid", [copy]) == copy


def test_the_packager_of_the_listing_takes_precedence_over_the_name():
    copy = label(1, "AMIKACIN (AMIKACIN) [UNKNOWN CO]", original=False)
    maker = label(2, "ARIKAYCE (AMIKACIN) [INSMED]", original=True)
    assert choose("amikacin", [copy, maker]) == maker


def test_title_must_name_the_brand_and_the_drug():
    rosacea = label(1, "ORACEA (DOXYCYCLINE) CAPSULE [GALDERMA]", published="2025-01-01")
    brand = label(2, "VIBRAMYCIN (DOXYCYCLINE HYCLATE) CAPSULE [PFIZER]")
    query = {"drug_name": "Vibramycin", "name_type": "brand"}
    assert choose("doxycycline", [rosacea, brand], **query) == brand
    namesake = label(3, "VIBRAMYCIN (SOMETHING ELSE) CAPSULE [PFIZER]")
    with pytest.raises(AcquireError, match="none of 1 labels is for 'doxycycline' alone"):
        choose("doxycycline", [namesake], **query)


def test_no_candidates_are_an_error():
    with pytest.raises(AcquireError, match="no label is listed for 'isoniazid'"):
        choose("isoniazid", [])


@given(st.permutations(range(12)))
def test_the_order_of_candidates_has_no_influence(order):
    titles = ["ISONIAZID TABLET [A]", "ISONIAZID TABLET [PD-RX]", "RIFAMPIN CAPSULE [A]"]
    labels = [label(n, titles[n % 3], published=f"2024-01-{1 + n // 4:02d}") for n in range(12)]
    expected = choose("isoniazid", labels, choose="newest")
    assert choose("isoniazid", [labels[n] for n in order], choose="newest") == expected


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_title_is_read_without_an_exception(text, drug):
    names_drug(parse_title(text), drug)
