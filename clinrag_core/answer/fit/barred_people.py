"""People whom a row of a table names under its contraindications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import WITH_KIDNEY
from clinrag_core.facts.contraindications import CONTRAINDICATIONS
from clinrag_core.facts.people import read_people
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots


def bars_them(slots: QuestionSlots, said: str) -> bool:
    """Return whether contraindications listed in a row are conditions of the people asked about.

    Disease of the kidneys is also dialysis.
    """
    listed = CONTRAINDICATIONS.search(fold_chars(said))
    if listed is None:
        return False
    theirs = slots.people.conditions
    if theirs & WITH_KIDNEY:
        theirs |= WITH_KIDNEY
    return not theirs.isdisjoint(read_people(listed["cell"]).conditions)
