"""Which of the things a question may ask for a statement says: a dose, a duration, a warning.

Read once, when statements are cut, so that a ranking can compare all statements with a question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.populations import is_age_or_weight
from clinrag_core.facts.quantities import quantities
from clinrag_core.lexicon.stated_aspects import stated_aspect_wordings
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.section import SectionGroup

_FIGURES: tuple[Aspect, ...] = ("dose", "frequency", "duration")

_ADVICE = lazy_re(
    r"\b(?:recommended|should|must|do not|is given|are given|contraindicated|avoid)\b",
    re.IGNORECASE,
)


def advises(text: str) -> bool:
    """Return whether a text recommends or forbids something."""
    return _ADVICE.search(text) is not None


def stated_aspects(said: str, group: SectionGroup | None) -> tuple[Aspect, ...]:
    """Return the aspects that a statement of a section group says, sorted."""
    people = {(one.start, one.end) for one in intervals(said)}
    kinds = {
        quantity.kind
        for quantity in quantities(said)
        if not is_age_or_weight(said, quantity)
        and not any(a < quantity.end and quantity.start < b for a, b in people)
    }
    folded = said.casefold()
    found: set[Aspect] = {aspect for aspect in _FIGURES if aspect in kinds}
    for aspect, wording in stated_aspect_wordings().items():
        if group in wording.groups or wording.words.search(folded):
            found.add(aspect)
    return tuple(sorted(found))
