"""Doses that a source states once a day, however that is printed."""

import pytest

from clinrag_core.notes.doses import compare_doses, stated_doses


@pytest.mark.parametrize("often", ["once daily", "once-daily", "once a day"])
def test_once_a_day_is_no_condition(often: str):
    (dose,), _ = stated_doses(f"450 mg {often}")
    assert not dose.is_conditional


def test_once_something_has_happened_is_a_condition():
    (dose,), _ = stated_doses("450 mg daily once the culture is negative")
    assert dose.is_conditional


def test_a_hyphened_schedule_supports_the_dose_of_a_note():
    source = "The once-daily dose is 450 mg"
    assert compare_doses("450 mg daily", [(source, source)]) == "supports"
