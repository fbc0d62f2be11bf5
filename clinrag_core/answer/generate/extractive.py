"""The extractive generator: statements of the sources, chosen and ordered, each with its citations.

Deterministic, and nothing is written that is not in the sources. The best statement comes first,
then what qualifies it, in the order of the documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.generate.protocol import Draft, DraftClaim, context
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.text.similarity import jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.generate.protocol import QuotableStatement, Role, Task

SAME = 0.8
"""Jaccard similarity of key stems from which two statements say the same."""
REPEATED = 0.8
"""Share of the shorter statement's key stems in another one of its document, from which it repeats
it, by judgement: highlights, boxed warning and section of a label differ in a few words."""
FLOOR = 0.88
"""Share of the best score that another claim has at least: .82 to .90 find the same vital facts on
dev, and the higher the less beside the point."""
MOST_WORDS = 120
"""Words of an answer after which no further claim is added."""


class ExtractiveGenerator:
    """Drafts an answer from statements, without a model."""

    name = "extractive"
    revision = "extractive/5"

    def generate(self, task: Task) -> Draft:
        """Return the best statement and those that belong to it."""
        chosen = _chosen(task)
        first, rest = chosen[:1], sorted(chosen[1:], key=_place)
        leads = _distinct(task, "lead")
        first = [one for one in first if not _in(one, leads)]
        before = [*leads, *first]
        warnings = [one for one in _distinct(task, "warning") if not _in(one, before)]
        rest = [one for one in rest if not _in(one, [*before, *warnings])]
        return Draft(tuple(map(_claim, (*before, *warnings, *rest))))


def warnings_of(task: Task) -> Draft:
    """Return the warnings that every answer to a task holds, in the sources' words."""
    leads = _distinct(task, "lead")
    warnings = [one for one in _distinct(task, "warning") if not _in(one, leads)]
    return Draft(tuple(map(_claim, (*leads, *warnings))))


def _distinct(task: Task, role: Role) -> list[QuotableStatement]:
    """Return the statements of a role; of those that say the same, the first."""
    distinct: list[QuotableStatement] = []
    for one in task.statements:
        if one.role == role and not _in(one, distinct):
            distinct.append(one)
    return distinct


def _in(one: QuotableStatement, others: Sequence[QuotableStatement]) -> bool:
    return any(_same(one, other) for other in others)


def _claim(one: QuotableStatement) -> DraftClaim:
    said, kind = one.statement.said, one.statement.statement_kind
    return DraftClaim(said, one.citations, context(one.statement), (said,), kind)


def _chosen(task: Task) -> list[QuotableStatement]:
    """Return the statements to show besides the warnings, best first."""
    direct = _most_complete([q for q in task.statements if q.role == "direct"])
    if not direct:
        return []
    best = direct[0]
    chosen = [best]
    words = len(best.statement.said.split())
    for quotable in direct[1:]:
        if len(chosen) == task.sentences or quotable.score < FLOOR * best.score:
            break
        length = len(quotable.statement.said.split())
        if words + length <= MOST_WORDS and not _in(quotable, chosen):
            chosen.append(quotable)
            words += length
    return chosen


def _most_complete(direct: list[QuotableStatement]) -> list[QuotableStatement]:
    """Return statements with each that another one begins with replaced by that one.

    "Sometimes this is found late. In such cases ..." says more than its first sentence.
    """
    kept: dict[str, QuotableStatement] = {}
    for one in direct:
        said = one.statement.said
        longer = next((q for q in direct if q.statement.said.startswith(said) and q != one), one)
        kept.setdefault(longer.statement.id, longer._replace(score=one.score))
    return list(kept.values())


def _same(one: QuotableStatement, other: QuotableStatement) -> bool:
    """Return whether two statements say the same; a label's highlights repeat its sections."""
    mine, its = (
        frozenset(key_stems(without_cross_references(q.statement.said))) for q in (one, other)
    )
    if mine <= its or its <= mine or jaccard(mine, its) >= SAME:
        return True
    shared = len(mine & its) / min(len(mine), len(its))
    return one.statement.document_id == other.statement.document_id and shared >= REPEATED


def _place(quotable: QuotableStatement) -> tuple[str, int]:
    return quotable.statement.document_id, quotable.statement.order
