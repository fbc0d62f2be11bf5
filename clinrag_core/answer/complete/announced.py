"""Shows what a statement announces with it: "the following rates can be used" says none of them."""

from __future__ import annotations

from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import joined
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

REACH = 12
"""Items after a statement that may be what it announces."""
MOST_WORDS = 110
"""Words of a statement with what it announces, by judgement: nearly a whole answer."""
_ANNOUNCES = lazy_re(
    r"\b[Tt]he following (?:[\w-]+ ){0,5}(?:can|may|should|must|are|is)\b[^.:;]{0,40}\.\s*$"
    r"|\b(?:with|using|as) the following (?:[\w-]+ ){1,10}[\w-]+\.\s*$"
    r"|\bas follows\s*\.\s*$"
)
"""How a statement ends whose list comes after it, without a colon."""
_DOSE_FOLLOWS = lazy_re(
    r"\bfollowing (?:[\w-]+ ){0,4}(?:dos(?:e|es|age|ages)|schedules?|regimens?)\b[^:;]*\.\s*$"
)
"""A sentence whose doses come after it, and that says how they are taken."""


def with_announced(fitting: Sequence[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements, each that announces a list joined with its first items.

    Doses come with the sentence that announces them: "the following single daily dose, before a
    meal" says of "5 tablets" how often.
    """
    found: list[RankedStatement] = []
    taken: set[str] = set()
    for one in fitting:
        items = _announced(one, sources)
        if items:
            whole = joined(one.statement, [one.statement, *items])
            found.append(one._replace(statement=whole))
            taken.update(item.id for item in items)
        elif (before := _announcing(one, sources)) is not None:
            whole = joined(one.statement, [before, one.statement])
            found.append(one._replace(statement=whole))
            taken.add(before.id)
        else:
            found.append(one)
    return [one for one in found if one.statement.id not in taken]


def _announced(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return the items right after a statement that announces them; mostly none."""
    if not _ANNOUNCES.search(one.statement.said):
        return []
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(one.statement.id, REACH)
        after = near[at + 1 :] if near else []
        items = list(takewhile(lambda o: o.statement_kind == "item" and is_quotable(o), after))
        words = accumulate(len(o.said.split()) for o in (one.statement, *items))
        shown = sum(so_far <= MOST_WORDS for so_far in words) - 1
        if items:
            return items[: max(shown, 0)]
    return []


def _announcing(one: RankedStatement, sources: Sources) -> IndexedStatement | None:
    """Return the sentence right before a dose that announces it; None where there is none."""
    if one.statement.statement_kind != "sentence" or not any(map(str.isdigit, one.statement.said)):
        return None
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(one.statement.id, 1)
        before = near[at - 1] if near and at else None
        if before is not None and is_quotable(before) and _DOSE_FOLLOWS.search(before.said):
            return before
    return None
