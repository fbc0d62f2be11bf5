"""How long somebody was treated, and how long must have been before a dose. Invented texts."""

from __future__ import annotations

import pytest

from clinrag_core.facts.completed_courses import is_after_course

AFTER = "Zolumycin 2.5 mg twice daily is for after at least 6 months of treatment of the clot."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Done 6 months of zolumycin 5 mg. What dose from now?", True),
        ("She finished her six months of it, dose now?", True),
        ("6 months completed, what next?", True),
        ("Been on zolumycin for 7 months, lower it?", True),
        ("Had 26 weeks of zolumycin already?", True),
        ("Done 3 months of zolumycin, what dose from now?", False),
        ("Clot two days ago, dose of zolumycin?", False),
        ("Dose of zolumycin for 6 months?", False),
    ],
)
def test_a_dose_after_a_course_is_for_those_who_had_it(question: str, expected: bool) -> None:
    assert is_after_course(question, AFTER) is expected
    assert not is_after_course(question, "Zolumycin 5 mg twice daily for 6 months.")
