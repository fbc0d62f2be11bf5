"""Shows the steps of a procedure together and in order, where it is asked how something is done.

Labels write them as short sentences after a title: "Administration through a tube Open capsule.
Sprinkle the granules ...". One step alone says nothing, and the steps for tablets are none for
capsules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import PROSE, joined
from clinrag_core.answer.sources import statement_bases
from clinrag_core.facts.dose_forms import named_forms
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

_ASKS_HOW = lazy_re(r"\bhow\b(?! (?:long|often|many|much|soon|fast|common|likely))|\bsteps\b", re.I)
_TITLE = lazy_re(
    r"(?:Administration|Preparation|Reconstitution|Dilution|Instructions|Directions)\b"
    r"(?: [a-z]+){0,2} [A-Z(]"
)
"""What begins a procedure: a title, and the first step right after it."""
_PRODUCT = lazy_re(r"[A-Z]{4,}(?: [A-Z][A-Za-z]+| [a-z]+)? [A-Z][a-z]+ ")
"""A product in capitals that opens a paragraph of its own: "BRAND SoluTab Do not break"."""
REACH = 8
"""Sentences on each side in which a procedure begins and ends."""
MOST_WORDS = 80
"""Words of a procedure, by judgement: the six steps of one through a tube have fifty."""


def with_procedures(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements with a step replaced by its procedure, those of another form left out."""
    if slots.asks_dosing or not _ASKS_HOW.search(slots.text):
        return fitting
    asked = named_forms(slots.text)
    found: list[RankedStatement] = []
    begun: set[str] = set()
    for one in fitting:
        steps = _steps(one, sources)
        said = " ".join(step.said for step in steps)
        forms = named_forms(said)
        if asked and forms and asked.isdisjoint(forms):
            continue
        if len(steps) < 2 or len(said.split()) > MOST_WORDS:  # noqa: PLR2004 - a title and a step
            found.append(one)
        elif steps[0].id not in begun:
            begun.add(steps[0].id)
            found.append(one._replace(statement=joined(steps[0], steps)))
    return found or fitting


def _steps(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return the sentences of the procedure that a statement is a step of; mostly none."""
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(one.statement.id, REACH)
        begins = [n for n, other in enumerate(near) if _TITLE.match(other.said)]
        start = max((n for n in begins if n <= at), default=None)
        if start is None:
            return []
        end = next((n for n in range(start + 1, len(near)) if _ends(near[n], n in begins)), None)
        is_within = end is None or at < end
        same = [s for s in near[start:end] if s.block == near[start].block]
        return same if is_within else []
    return []


def _ends(one: IndexedStatement, begins: bool) -> bool:
    """Return whether a sentence is of another matter: a new title, or a product named anew."""
    return begins or one.statement_kind not in PROSE or _PRODUCT.match(one.said) is not None
