"""Shows a dose to resume with what its section says of a longer pause.

"Resume at 30 mg" alone could hurt where a pause of a week means to begin again with 3 mg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import REACH
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement


def with_long_pauses(found: list[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements, the first that resumes a dose followed by the rule for a longer pause."""
    for position, one in enumerate(found):
        rule = _rule_near(one, sources)
        if rule:
            before, after = (
                [other for other in part if other.statement.id != rule.id]
                for part in (found[:position], found[position + 1 :])
            )
            return [*before, one, one._replace(statement=rule), *after]
    return found


def _rule_near(one: RankedStatement, sources: Sources) -> IndexedStatement | None:
    """Return the rule for a longer pause in the section of a statement that resumes a dose."""
    if not says(fold_chars(one.statement.said), slot_lexicon().wordings.resumes_at):
        return None
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, _ = index.around(one.statement.id, REACH)
        for other in near:
            if other.id != one.statement.id and _is_rule(other):
                return other
    return None


def _is_rule(statement: IndexedStatement) -> bool:
    """Return whether a statement says how to begin again after a pause of some length."""
    folded = fold_chars(statement.said)
    wordings = slot_lexicon().wordings
    is_rule = says(folded, wordings.after_pause) and says(folded, wordings.begins_again)
    return is_rule and is_quotable(statement)
