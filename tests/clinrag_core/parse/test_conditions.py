"""For whom a recommendation holds: half a condition is worse than none."""

from __future__ import annotations

import pytest

from clinrag_core.parse.assemble.conditions import conditions_of
from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.recommendations import graded

GRADE = "(strong recommendation, low certainty of evidence)"


@pytest.mark.parametrize(
    ("statement", "conditions"),
    [
        ("Vortazole should be given. " + GRADE, ()),
        (
            f"1.2 In patients with vortazole-susceptible, mirudine-resistant disease, vortazole is "
            f"recommended {GRADE}",
            ("In patients with vortazole-susceptible, mirudine-resistant disease",),
        ),
        (
            "Recommendation 4: Vortazole is suggested for adults with fever, unless the kidney "
            "fails (GFR < 30 mL/min, dialysis). " + GRADE,
            (
                "for adults with fever",
                "unless the kidney fails (GFR < 30 mL/min, dialysis)",
            ),
        ),
        (
            "All children, including newborns, who are ill should be weighed. " + GRADE,
            ("All children, including newborns, who are ill",),
        ),
        (
            "Start vortazole in persons who have, or are suspected of having, fever; stop it if "
            "there is a rash.",
            (
                "in persons who have, or are suspected of having, fever",
                "if there is a rash",
            ),
        ),
        (
            "Offer vortazole in women older than 65 who can walk when the dose can be checked "
            f"{GRADE}",
            ("in women older than 65 who can walk when the dose can be checked",),
        ),
        ("Patient care activities should be planned.", ()),
        (
            "Vortazole for patients with fever should be given for 1,000 hours. " + GRADE,
            ("for patients with fever",),
        ),
    ],
)
def test_the_clauses_of_a_statement_that_limit_it(
    statement: str, conditions: tuple[str, ...]
) -> None:
    assert conditions_of(statement) == conditions


def test_a_recommendation_carries_its_conditions() -> None:
    (piece,) = graded([Piece("paragraph", f"In infants, vortazole is suggested {GRADE}.")], "Title")
    assert piece.recommendation is not None
    assert piece.recommendation.conditions == ("In infants",)
    assert piece.recommendation.strength == "strong"
