"""What a label says to do about a tuberculous infection before its drug is started.

Drugs that suppress immunity wake a latent infection: who asks whether one may be started after a
positive test needs that first, whatever the ranking says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.lead.label_warnings import distinct
from clinrag_core.answer.question.asking import asking_part
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

MOST_SHOWN = 2
_STARTS = lazy_re(
    r"\b(?:start\w*|begin\w*|initiat\w*|commenc\w*|go ahead|proceed|first|treat(?:ment)?|wait\w*"
    r"|delay\w*|safe|ok(?:ay)?)\b"
)
_DEFINES = lazy_re(
    r"\b(?:sizes?|cut-?offs?|thresholds?|counts? as|considered|how (?:many|large)"
    r"|is (?:this|that|it) (?:a )?positive)\b|\bpositive\W*$"
)
"""What asks whether a test is positive, not what to do about it."""


def infection_first(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what labels of the drugs asked about say of treating a latent infection first.

    Empty where no test is positive, or where nothing is asked on starting or treating.
    """
    wordings, folded = slot_lexicon().wordings, fold_chars(slots.text)
    asking = fold_chars(asking_part(slots.text))
    asks = _STARTS.search(asking) and not _DEFINES.search(asking)
    is_infected = wordings.shows_infection.search(folded)
    if not (asks and is_infected) or wordings.shows_no_infection.search(folded):
        return []
    every = of_labels(slots, sources, (*reversed(WARNING_GROUPS), "warnings"))
    treated = wordings.infection_treated_first
    return distinct(one for one in every if treated.search(fold_chars(one.statement.said)))[
        :MOST_SHOWN
    ]
