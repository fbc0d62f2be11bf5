"""What strains are resistant and susceptible to, and which texts are about other strains."""

from __future__ import annotations

import pytest

from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.resistance import read_resistance

RIF, INH, FQ = "rifampin", "isoniazid", "fluoroquinolone"


@pytest.mark.parametrize(
    ("text", "to", "susceptible"),
    [
        ("rifampicin-resistant, INH susceptible TB", {RIF}, {INH}),
        ("resistant to isoniazid only", {INH}, set()),
        ("resistant to isoniazid but not to rifampin", {INH}, {RIF}),
        ("resistant to at least isoniazid and rifampin", {INH, RIF}, set()),
        ("isoniazid- or rifampin-resistant strains", {INH, RIF}, set()),
        ("MDR-TB", {INH, RIF}, set()),
        (
            "If rifampin resistance detected, stop; if rifampin resistance not detected, go on",
            set(),
            set(),
        ),
        ("MDR/RR-TB", {RIF}, set()),
        ("pre-XDR-TB", {RIF, FQ}, set()),
        ("Hr-TB, susceptible to rifampicin", {INH}, {RIF}),
        ("resistance to fluoroquinolones has been ruled out", set(), {FQ}),
        ("RR-TB without resistance to moxifloxacin", {RIF}, {FQ}),
        ("when quinolones are resistant", {FQ}, set()),
        ("a child in whom isoniazid resistance is absent", set(), {INH}),
        ("isoniazid-only resistant TB", {INH}, set()),
        ("rifampin 600 mg daily", set(), set()),
        ("a stiff spine, no known MDR", set(), set()),
        ("not all of them had MDR-TB", {INH, RIF}, set()),
    ],
)
def test_resistance_is_read_with_its_direction(
    text: str, to: set[str], susceptible: set[str]
) -> None:
    found = read_resistance(text)
    assert (found.to, found.susceptible) == (to, susceptible)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rifampin-resistant", "rifampin-susceptible, isoniazid-resistant"),
        ("RR-TB with resistance to quinolones", "RR-TB, resistance to quinolones excluded"),
        ("rifampicin mono-resistant", "resistant to isoniazid only"),
        ("rifampicin mono resistance", "resistant to isoniazid only"),
        ("MDR-TB", "isoniazid-resistant TB"),
    ],
)
def test_texts_on_other_strains_conflict(one: str, other: str) -> None:
    assert read_resistance(one).conflicts(read_resistance(other))
    assert read_resistance(other).conflicts(read_resistance(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rifampicin mono-resistant", "MDR/RR-TB"),
        ("RR-TB with quinolone resistance", "strains resistant to fluoroquinolones"),
        ("MDR-TB", "tuberculosis"),
    ],
)
def test_texts_on_the_same_or_unnamed_strains_do_not(one: str, other: str) -> None:
    assert not read_resistance(one).conflicts(read_resistance(other))


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("contacts of patients with MDR-TB", {"latent"}),
        ("after exposure to active TB", {"latent"}),
        ("treatment of MDR-TB", {"active"}),
    ],
)
def test_the_disease_of_a_source_case_is_not_that_of_the_contact(
    text: str, stage: set[str]
) -> None:
    assert facet_values(text, "stage") == stage


def test_strains_of_either_resistance_are_those_of_one_of_them():
    asked = read_resistance("resistant to isoniazid, susceptible to rifampin")
    either = read_resistance("isoniazid- or rifampin-resistant bacteria")
    both = read_resistance("resistant to isoniazid and rifampin")
    assert not asked.conflicts(either)
    assert asked.conflicts(both)


def test_what_to_do_with_each_result_is_for_both():
    assert not read_resistance("If RR, refer; and if RS, continue").to
    assert read_resistance("RR-TB patients are referred").to


@pytest.mark.parametrize(
    "text",
    [
        "Preventive isoniazid does not raise the risk of developing isoniazid-resistant TB.",
        "There is concern about the emergence of rifampin-resistant strains.",
        "Daily doses avoid the selection of isoniazid-resistant bacilli.",
    ],
)
def test_a_resistance_that_strains_may_get_is_not_one_they_have(text: str) -> None:
    assert not read_resistance(text).to


def test_a_resistance_that_was_acquired_is_one() -> None:
    text = "He developed isoniazid-resistant TB during treatment."
    assert read_resistance(text).to == {"isoniazid"}
