"""Doses by body weight, the most that is allowed, and frequencies that are left out of a text."""

from clinrag_core.facts.by_weight import (
    figures_per_kg,
    is_by_weight,
    is_for_most,
    is_headed_by_weight,
    most_allowed,
    without_weights,
)
from clinrag_core.facts.frequencies import says_how_often, without_frequencies
from clinrag_core.facts.times import times_of_treatment


def test_a_cell_gives_its_range_and_a_clause_its_figures():
    assert figures_per_kg("dose in mg per kg (range): 5 (4-6)") == [4.0, 6.0]
    assert figures_per_kg("10 to 15 mg/kg daily") == [10.0, 15.0]
    assert figures_per_kg("300 mg daily") == []


def test_the_most_is_read_in_mg_and_not_by_weight():
    assert most_allowed("10 mg/kg, no more than 600 mg a day") == 600.0
    assert most_allowed("at most 15 mg/kg") is None
    assert is_for_most("over 50 kg: 600 mg")
    assert not is_for_most("over 50 kg to 70 kg: 450 mg")


def test_a_clearance_by_weight_heads_no_dose():
    assert is_by_weight("clearance 0.4 l/h/kg")
    assert not is_headed_by_weight("clearance 0.4 l/h/kg")
    assert is_headed_by_weight("dose (mg per kg): 10")


def test_weights_and_frequencies_can_be_left_out():
    assert without_weights("40-55 kg: 450 mg").split() == [":", "450", "mg"]
    assert without_frequencies("600 mg once-daily with food").split() == [
        "600",
        "mg",
        "with",
        "food",
    ]
    assert says_how_often("then 600 bd", len("then 600 "))
    assert not says_how_often("then 600 bdelium", len("then 600 "))


def test_numbered_times_of_treatment():
    assert times_of_treatment("day 1 and weeks 3 to 4") == {"day 1", "weeks 3"}
