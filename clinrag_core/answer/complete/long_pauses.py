"""Shows a dose to resume with what its section says of a longer pause.

"Resume at 30 mg" alone could hurt where a pause of a week means to begin again with 3 mg.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import REACH
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

_RESUMES = re.compile(
    r"\b(?:resum\w+|re-?start\w*|re-?initiat\w+)\b[^.;]{0,40}?"
    r"\d[\d.,]* ?(?:mg|mcg|µg|μg|g|units?|iu|ml)\b"
)
_LONG_PAUSE = re.compile(
    r"\bif\b[^.;]{0,60}\b(?:delay\w*|gaps?|interrupt\w*|held|pause[ds]?|interval)\b[^.;]{0,40}"
    r"\d+ (?:days|weeks|months)\b"
)
_BEGINS_AGAIN = re.compile(r"\b(?:re-?)?(?:initiat|start|titrat|escalat|load)\w*\b[^.;]{0,60}\d")


def with_long_pauses(found: list[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements, the first that resumes a dose followed by the rule for a longer pause."""
    for position, one in enumerate(found):
        rule = _rule_near(one, sources)
        if rule:
            others = [other for other in found if other.statement.id != rule.id]
            at = min(position + 1, len(others))
            return [*others[:at], one._replace(statement=rule), *others[at:]]
    return found


def _rule_near(one: RankedStatement, sources: Sources) -> IndexedStatement | None:
    """Return the rule for a longer pause in the section of a statement that resumes a dose."""
    if not _RESUMES.search(fold_chars(one.statement.said)):
        return None
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(one.statement.id, REACH)
        return next((o for o in near if o.id != one.statement.id and _is_rule(o)), None)
    return None


def _is_rule(statement: IndexedStatement) -> bool:
    """Return whether a statement says how to begin again after a pause of some length."""
    folded = fold_chars(statement.said)
    has_both = _LONG_PAUSE.search(folded) and _BEGINS_AGAIN.search(folded)
    return has_both is not None and is_quotable(statement)
