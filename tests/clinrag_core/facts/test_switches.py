"""Changes of schedule are read with their direction. Invented sentences."""

from __future__ import annotations

import pytest

from clinrag_core.facts.switches import Switch, switches


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Moving from monthly to 2 monthly zolumycin?", [Switch("monthly", "every_2_months")]),
        (
            "Switching from an every-2-month schedule (a single 600 mg) to a monthly schedule.",
            [Switch("every_2_months", "monthly")],
        ),
        ("Change from daily to thrice weekly zolumycin", [Switch("daily", "intermittent")]),
        ("From weekly zolumycin to weekly velotrib", []),
        ("Zolumycin monthly, then every two months", []),
        ("Zolumycin twice daily from the second day", []),
    ],
)
def test_a_change_of_schedule_has_its_direction(text: str, found: list[Switch]) -> None:
    assert list(switches(text)) == found
    assert all(not one.reverses(one) for one in found)
