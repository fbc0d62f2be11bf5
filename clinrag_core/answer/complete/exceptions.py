"""Shows for whom a rule does not hold with it: "not routinely needed" is no answer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import join_lists, list_around
from clinrag_core.answer.complete.restrictions import PROSE, joined
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

REACH = 12
"""Statements after a rule among which the list of those it does not hold for begins or ends."""
MOST_WORDS = 100
"""Words of the list, by judgement."""
_NOT_ROUTINE = lazy_re(
    r"\bnot (?:be )?(?:routinely|usually|generally|ordinarily|always|normally) (?:[\w-]+ )?"
    r"(?:indicated|needed|necessary|required|recommended|performed|done|given|advised|advocated)\b"
)
_FOR_SOME = lazy_re(
    r"\b(?:indicated|needed|necessary|required|recommended|should|advised)\b[^.:;]{0,60}"
    r"\b(?:patients|persons|people|individuals|those|women|adults|children)\b[^.;]{0,60}:"
)
"""How the words before a list begin it as one of those who are excepted."""


def with_exceptions(fitting: Sequence[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements, each rule that is not routine joined with whom it leaves out."""
    found: list[RankedStatement] = []
    taken: set[str] = set()
    for one in fitting:
        items = _excepted(one, sources)
        if items and not taken & {item.text for item in items}:
            first = one._replace(statement=items[0])
            listed = join_lists([first], lambda _, i=items: i, lambda _: True, most=MOST_WORDS)
            whole = joined(one.statement, [one.statement, listed[0].statement])
            found.append(one._replace(statement=whole))
            taken.update(item.text for item in items)
        else:
            found.append(one)
    return [
        one
        for one in found
        if one.statement.statement_kind != "item"
        or taken.isdisjoint(one.statement.text.split("\n"))
    ]


def _excepted(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return the items of the list of those for whom a rule does not hold; empty without one."""
    rule = one.statement
    if rule.statement_kind not in PROSE or not _NOT_ROUTINE.search(fold_chars(rule.said)):
        return []
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(rule.id, REACH)
        for position in range(at + 1, len(near)):
            item = near[position]
            if _begins_exceptions(item, rule):
                items = list_around(near, position)
                return items if all(map(is_quotable, items)) else []
    return []


def _begins_exceptions(item: IndexedStatement, rule: IndexedStatement) -> bool:
    """Return whether an item is of a list of people for whom what a rule is on is done."""
    match = _FOR_SOME.search(fold_chars(item.said)) if item.statement_kind == "item" else None
    if match is None:
        return False
    done = _NOT_ROUTINE.search(fold_chars(rule.said))
    what = rule.said[: done.start()] if done else rule.said
    return not set(key_stems(item.said[: match.start()])).isdisjoint(key_stems(what))
